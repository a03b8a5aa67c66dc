"""Reading a sitemap of any kind, entry by entry."""

import enum
import itertools
import re
from collections.abc import Iterable, Iterator

from armarium.formats.sitemap.entry import NO_URL, Entry, EntryCollector, Locator, Place, Role
from armarium.formats.text.decoding import TextStream
from armarium.formats.text.xml import Characters, Start, XmlReader

# sitemaps.org: "no more than 50,000 URLs and must be no larger than 50MB (52,428,800 bytes)", before
# compression
MAX_ENTRIES = 50_000
MAX_BYTES = 52_428_800

_LONGEST_LINE = 16_384
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,20}://\S+|/\S*")


class SitemapKind(enum.StrEnum):
    """What a document turned out to be."""

    URLSET = "urlset"
    INDEX = "index"
    TEXT = "text"
    RSS = "rss"
    ATOM = "atom"
    HTML = "html"  # a page came instead
    UNKNOWN = "unknown"


_ROOTS = {
    "urlset": SitemapKind.URLSET,
    "sitemapindex": SitemapKind.INDEX,
    "rss": SitemapKind.RSS,
    "rdf": SitemapKind.RSS,
    "channel": SitemapKind.RSS,
    "feed": SitemapKind.ATOM,
    "html": SitemapKind.HTML,
}
_ALONE = frozenset(("url", "sitemap", "item", "entry", "loc"))


class SitemapReader:
    """Iterate over it once. ``kind`` is known after the first entry; ``problems`` and ``cut`` at the end."""

    def __init__(
        self,
        pieces: Iterable[bytes],
        *,
        url: str,
        declared_charset: str | None = None,
        max_entries: int = MAX_ENTRIES,
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self.kind = SitemapKind.UNKNOWN
        self.problems: list[str] = []
        self.cut = False  # there is more than the limits allow
        self._pieces = pieces
        self._stream = TextStream(declared_charset=declared_charset, limit=max_bytes)
        self._locator = Locator(url)
        self._max_entries = max_entries

    def __iter__(self) -> Iterator[Entry]:
        text = self._stream.read(self._pieces)
        beginning = ""
        for piece in text:
            beginning = (beginning + piece).lstrip("\ufeff \t\r\n\0")
            if beginning:
                break
        pieces = itertools.chain((beginning,), text)
        entries = self._xml(pieces) if beginning.startswith("<") else self._lines(pieces)
        for count, entry in enumerate(entries):
            if count == self._max_entries:
                self.cut = True
                break
            yield entry
        self.cut = self.cut or self._stream.cut
        if self._stream.damaged:
            self.problems.append("the compression is damaged")

    def _xml(self, pieces: Iterable[str]) -> Iterator[Entry]:
        reader = XmlReader(_ALONE)
        collector = EntryCollector(self._locator)
        rooted = False
        for event in reader.read(pieces):
            if isinstance(event, Characters):
                collector.text(event.text)
            elif isinstance(event, Start):
                if not rooted:
                    rooted = True
                    self.kind = _ROOTS.get(event.name, SitemapKind.UNKNOWN)
                collector.start(event)
            elif (entry := collector.end(event)) is not None:
                yield entry
            elif collector.problems.get(NO_URL, 0) > self._max_entries:
                self.cut = True
                break
        self.cut = self.cut or collector.cut
        self.problems += dict.fromkeys(reader.problems + list(collector.problems))

    def _lines(self, pieces: Iterable[str]) -> Iterator[Entry]:
        """A text sitemap: one URL on each line (sitemaps.org, "Text file")."""
        held = ""
        for piece in itertools.chain(pieces, ("\n",)):
            *lines, held = re.split(r"[\r\n]", held + piece)
            held = held[-_LONGEST_LINE:]
            for line in lines:
                yield from self._line(line.strip("\ufeff \t\0"))

    def _line(self, line: str) -> Iterator[Entry]:
        if not line:
            return
        if len(line) > _LONGEST_LINE or not _ADDRESS.fullmatch(line):
            if "a line is not a URL" not in self.problems:
                self.problems.append("a line is not a URL")
            return
        url, place, relative = self._locator.address(line)
        if place is not Place.INVALID:
            self.kind = SitemapKind.TEXT
            yield Entry(url, Role.PAGE, line, place, relative)
