"""What a web consists of."""

from dataclasses import dataclass
from typing import NamedTuple

#: What a crawler must do, from the least to the most: follow HTML and redirects; read style sheets; read
#: srcset; follow meta refresh and og:image; fetch requisites from another host; follow nofollow; read
#: robots.txt, sitemaps and feeds; run scripts. Never required: excluded, outside, trap, fault, decoy.
LEVELS = ("html", "css", "srcset", "meta", "embed", "nofollow", "sitemap", "js")
OUTSIDE_HOSTS = 20
LIST_LENGTH = 20  # articles on one list page
EPOCH_SECONDS = 7 * 86400
FIRST_EPOCH = 1_700_000_000  # Last-Modified of everything lies before this
SHARED_FILES = 24  # files that sites share
FAULTS = ("reset", "truncated", "hang", "badgzip", "bigheader", "closedelimited")

Key = tuple[str | int, ...]


class Link(NamedTuple):
    """One reference on a page: where it stands, what finds it, and as it is written."""

    slot: str
    level: str
    href: str
    text: str = ""


@dataclass(frozen=True)
class Resource:
    """One URL of a site. `key` names what renders it; `level` is set where it follows from no link."""

    path: str
    kind: str
    key: Key
    mime: str = "text/html"
    status: int = 200
    location: str | None = None
    level: str | None = None


class Entry(NamedTuple):
    """Where the answers of a URL lie in the file of all answers: as it is, and with gzip (offset -1: not)."""

    status: int
    offset: int
    head: int
    length: int
    gzip_offset: int
    gzip_head: int
    gzip_length: int
    delay: int  # milliseconds
    etag: str
    modified: int
    special: str  # of FAULTS


class Truth(NamedTuple):
    level: str
    kind: str
    status: int
    sha1: str
