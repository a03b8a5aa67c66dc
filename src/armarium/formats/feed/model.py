"""What a feed says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from armarium.formats.text.dates import parse_date
from armarium.formats.text.entities import unescape
from armarium.formats.url import InvalidUrl, resolve

_ADDRESS = re.compile(
    r"<[^<>]{0,4000}?\s(?:href|src|poster|data)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))", re.IGNORECASE
)
_MAX_ADDRESSES = 1_000
_TEXT_TYPES = frozenset(("text", "text/plain", "plain", ""))


def absolute(base: str, written: str) -> str:
    """An address as a link from ``base``; as written when it leads nowhere."""
    try:
        return resolve(base, written) if base else written
    except InvalidUrl:
        return written


@dataclass(frozen=True, slots=True)
class FeedText:
    """A title, a summary, a content: with markup as it stands, if its type allows markup."""

    value: str
    type: str = "text"  # as declared
    base: str = ""  # URL against which its links count

    def addresses(self) -> Iterator[str]:
        """Addresses in its markup, absolute."""
        if self.type in _TEXT_TYPES and "<" not in self.value:
            return
        for count, found in enumerate(_ADDRESS.finditer(self.value)):
            if count >= _MAX_ADDRESSES:
                return
            yield absolute(self.base, unescape(found[1] or found[2] or found[3] or "").strip())


@dataclass(frozen=True, slots=True)
class FeedLink:
    """An address with its relation to what it stands in: alternate, enclosure, self, comments, image …"""

    href: str
    rel: str = "alternate"
    type: str | None = None
    title: str | None = None
    length: str | None = None
    language: str | None = None

    @property
    def likely_type(self) -> str:
        """What to expect there, where the feed does not say."""
        return self.type or ("application/atom+xml" if self.rel == "self" else "text/html")


@dataclass(slots=True)
class SourceFeed:
    """What feed, source and item have in common."""

    id: str | None = None
    link: str | None = None  # the page it is about
    links: list[FeedLink] = field(default_factory=list)
    title: FeedText | None = None
    summary: FeedText | None = None  # subtitle, tagline, description
    rights: FeedText | None = None
    updated_text: str | None = None
    published_text: str | None = None

    @property
    def updated(self) -> datetime | None:
        """When it was last changed."""
        return parse_date(self.updated_text) if self.updated_text else None

    @property
    def published(self) -> datetime | None:
        """When it appeared."""
        return parse_date(self.published_text) if self.published_text else None

    def addresses(self) -> Iterator[str]:
        """Every address in it, in order, repetitions included."""
        if self.link:
            yield self.link
        for link in self.links:
            yield link.href
        for text in (self.title, self.summary, self.rights):
            if text is not None:
                yield from text.addresses()


@dataclass(slots=True)
class FeedItem(SourceFeed):
    """One item or entry."""

    content: list[FeedText] = field(default_factory=list)
    source: SourceFeed | None = None

    @property
    def enclosures(self) -> list[FeedLink]:
        """Files that belong to it."""
        return [link for link in self.links if link.rel == "enclosure"]

    def addresses(self) -> Iterator[str]:
        """Every address in it, those in its content and its source included."""
        yield from SourceFeed.addresses(self)
        for text in self.content:
            yield from text.addresses()
        if self.source is not None:
            yield from self.source.addresses()


@dataclass(slots=True)
class Feed(SourceFeed):
    """A whole feed."""

    version: str = ""  # rss090, rss091n, rss091u … rss20, atom03, atom10, cdf, json1, json11; empty: no feed
    encoding: str = "utf-8"
    items: list[FeedItem] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # how far it is from what its format asks
    cut: bool = False  # there is more than the limits allow

    def urls(self) -> list[str]:
        """Every http(s) and ftp address in the feed, each once, in order of appearance."""
        found: dict[str, None] = {}
        for part in (SourceFeed.addresses(self), *(item.addresses() for item in self.items)):
            for url in part:
                if url.startswith(("http://", "https://", "ftp://")):
                    found.setdefault(url)
        return list(found)
