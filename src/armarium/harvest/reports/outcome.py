"""How it ended with one address: exactly what a line of crawl.log tells."""

from datetime import datetime
from typing import NamedTuple

from armarium.harvest.model import DISREGARDED, Status

ROBOTS = "robotExcluded"
BY_HASH = "duplicate:digest"
NOT_MODIFIED = "duplicate:server-not-modified"
DNS_HOST = "dns:"
DISCARDED = "dol:"  # and how many links beyond a limit were dropped
NAMELESS = "linksTrunc"  # of those links, the addresses are not known any more: the crawl was killed
# A document that was not read to its end, so that nobody knows what else it links.
CUT = frozenset(
    (
        "lenTrunc",
        "timeTrunc",
        "disconnectTrunc",
        "midFetchTrunc",
        "decodedTrunc",
        "pdfTrunc",
        "robotsTrunc",
        "sitemapTrunc",
        "feedTrunc",
        "dashTrunc",
        "hlsTrunc",
        "headerTrunc",
        NAMELESS,
    )
)


class Outcome(NamedTuple):
    finished: datetime  # when the line was written
    status: int
    size: int | None  # of the body; None where there is none
    url: str
    hops: str = ""
    via: str = ""
    mime: str = ""
    thread: int = 1
    started: datetime | None = None  # None: never fetched
    milliseconds: int = 0
    digest: str = ""
    source: str = ""
    annotations: tuple[str, ...] = ()
    content_size: int = -1  # of the message, head included; -1 where it is not known
    filename: str = ""  # of the WARC file
    offset: int = -1
    record_length: int = -1  # of its record in that file
    location: str = ""  # where a seed redirects to

    @property
    def is_success(self) -> bool:
        return self.status > 0

    @property
    def is_disregarded(self) -> bool:
        return self.status in DISREGARDED

    @property
    def is_robots_denial(self) -> bool:
        return self.status == Status.ROBOTS_PRECLUDED

    @property
    def bytes(self) -> int:
        """What it adds to the volume of the crawl."""
        return self.content_size if self.content_size >= 0 else (self.size or 0)

    @property
    def host(self) -> str:
        """The host without its port; one for all look-ups of names, as in Heritrix's hosts-report."""
        if self.url.startswith(DNS_HOST):
            return DNS_HOST
        authority = self.url.partition("://")[2].partition("/")[0].partition("?")[0].rpartition("@")[2]
        if authority.startswith("["):
            return authority.partition("]")[0] + "]"
        return authority.partition(":")[0]
