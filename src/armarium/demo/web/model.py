"""What the small web consists of: editions, sites, and the answers that their addresses give."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

TOP = "localhost"  # RFC 6761: browsers and resolvers take every name below it to the loopback by themselves


class Edition(Enum):
    """The web as it was a month ago, and as it is today."""

    FIRST = "first"
    SECOND = "second"

    @property
    def other(self) -> "Edition":
        return Edition.SECOND if self is Edition.FIRST else Edition.FIRST


@dataclass(frozen=True)
class Answer:
    """What an address answers. In the body `site:bakery/x` stands for an address of another site."""

    body: bytes = b""
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    location: str = ""  # of a redirect; may be `site:bakery/x`
    seconds: float = 0.0  # it thinks for so long before it answers
    zipped: bool = False  # sent gzip-encoded to whoever takes that


@dataclass(frozen=True)
class Colours:
    paper: str
    ink: str
    accent: str
    second: str
    soft: str


@dataclass(frozen=True)
class Page:
    """A page as its author wrote it, in the markup of `markup.py`."""

    path: str
    title: str
    text: str
    date: str = ""  # of an article: 2026-10-05
    editions: frozenset[Edition] = frozenset(Edition)


@dataclass(frozen=True)
class Look:
    """A design: the layout of the style sheet, and the colours."""

    layout: str
    colours: Colours


@dataclass(frozen=True, eq=False)
class Site:
    """A site as its file in `sites/` describes it; the same only as itself."""

    word: str
    title: str
    theme: str
    description: str
    language: str
    looks: Mapping[Edition, Look]
    pages: tuple[Page, ...]
    files: Mapping[str, str] = field(default_factory=dict)  # given as text: JSON, the words of a PDF, a score
    menu: tuple[tuple[str, str], ...] = ()
    neighbours: tuple[str, ...] = ()
    redirects: tuple[tuple[int, str, str], ...] = ()  # status, from, to
    broken: frozenset[str] = frozenset()  # addresses that pages name and that are not there
    forbidden: tuple[str, ...] = ()  # folders that robots.txt closes
    replaced: frozenset[str] = frozenset()  # pictures that show something else in the second edition
    slow: Mapping[str, float] = field(default_factory=dict)
    trap: tuple[str, str] | None = None  # its kind, the folder in which it lies
    charset: str = "utf-8"
    feed: str = ""  # rss or atom
    has_map: bool = False  # sitemap.xml
    zipped: bool = False
    opened: Edition = Edition.FIRST
    end: str = ""  # what happens in the second edition: gone, sale, or the site to which it moved

    @property
    def name(self) -> str:
        return f"{self.word}.{TOP}"

    def lives(self, edition: Edition) -> bool:
        """Whether it is itself then: not yet opened, gone and moved ones are not."""
        if edition is Edition.FIRST:
            return self.opened is Edition.FIRST
        return not self.end


# --- Which edition is served stands in a small file, so that any process can turn the page.


FILE = "edition"


def read_edition(folder: Path) -> Edition:
    """The first, where nobody chose or what stands there means nothing."""
    try:
        return Edition((folder / FILE).read_text("utf-8").strip())
    except (OSError, ValueError):
        return Edition.FIRST


def write_edition(folder: Path, edition: Edition) -> None:
    """Whole or not at all: a reader never finds half a word."""
    beside = folder / f"{FILE}.{os.getpid()}"
    beside.write_text(edition.value + "\n", "utf-8")
    beside.replace(folder / FILE)
