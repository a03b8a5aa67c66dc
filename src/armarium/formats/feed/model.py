"""What a feed says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime

from armarium.formats.text.dates import parse_date
from armarium.formats.text.xml import unescape
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


# --- Namespaces and versions of feeds.


_ATOM = (
    "http://www.w3.org/2005/atom",
    "http://purl.org/atom/ns",
    "http://example.com/newformat",
    "http://example.com/necho",
    "http://purl.org/echo",
    "uri/of/echo/namespace",
    "atom",
)
_RSS = (
    "http://backend.userland.com/rss",
    "http://blogs.law.harvard.edu/tech/rss",
    "http://purl.org/rss/1.0/",
    "http://my.netscape.com/rdf/simple/0.9/",
    "http://example.com/rss",
    "http://channel.netscape.com/rdf/simple/0.9/",
    "http://purl.org/net/rss1.1",
)
# What a namespace begins with (in lower case) → the short name used here; prefixes that nobody declared
# included
_SPACES = (
    *((uri, "atom") for uri in _ATOM),
    ("http://purl.org/rss/1.0/modules/content", "content"),
    ("http://purl.org/rss/1.0/modules/", "?"),
    *((uri, "rss") for uri in _RSS),
    ("http://www.w3.org/1999/02/22-rdf-syntax-ns", "rdf"),
    ("http://purl.org/dc/terms", "dcterms"),
    ("http://purl.org/dc/", "dc"),
    ("http://search.yahoo.com/mrss", "media"),
    ("http://www.rssboard.org/media-rss", "media"),
    ("http://www.itunes.com/dtds/podcast", "itunes"),
    ("http://wellformedweb.org/commentapi", "wfw"),
    ("http://purl.org/syndication/thread", "thr"),
    ("http://rssnamespace.org/feedburner", "feedburner"),
    ("http://www.w3.org/1999/xhtml", "xhtml"),
)
_PREFIXES = frozenset(
    ("content", "dc", "dcterms", "media", "itunes", "wfw", "thr", "feedburner", "xhtml", "rdf")
)


def short_space(space: str) -> str:
    """The short name of a namespace: "" for none, "?" for one that feeds do not use."""
    if not space:
        return ""
    lower = space.lower()
    if lower in _PREFIXES:
        return lower
    found = next((short for uri, short in _SPACES if lower.startswith(uri)), "?")
    return "" if found == "rss" else found


def version_of(root: str, space: str, attributes: dict[str, str]) -> str:
    """The name of a format and version, from the root element; empty when it is not a feed."""
    version = attributes.get("version", "").strip()
    if root == "rss":
        return {"0.90": "rss090", "0.91": "rss091", "0.92": "rss092", "0.93": "rss093", "0.94": "rss094"}.get(
            version, "rss20" if version.startswith("2") else "rss"
        )
    if root == "feed":
        if "2005" in space:
            return "atom10"
        return {"0.1": "atom01", "0.2": "atom02", "0.3": "atom03"}.get(version, "atom")
    if root == "rdf":
        spaces = " ".join(attributes.values()).lower()
        return "rss090" if "rdf/simple/0.9" in spaces else "rss10"
    return "cdf" if root == "channel" else ""
