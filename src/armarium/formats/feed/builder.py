"""From the elements of an XML feed to what it says."""

import html
from typing import NamedTuple

from armarium.formats.feed.capture import Capture
from armarium.formats.feed.model import (
    Feed,
    FeedItem,
    FeedLink,
    FeedText,
    SourceFeed,
    absolute,
    short_space,
    version_of,
)
from armarium.formats.text.xml import End, Start

_MAX_LINKS = 1_000

_CORE = ("", "atom")
# Element → attribute of the model. What stands directly in a feed, an item or a source counts, and nothing
# deeper.
_TEXTS = {
    "title": "title",
    "subtitle": "summary",
    "tagline": "summary",
    "summary": "summary",
    "abstract": "summary",
    "description": "summary",
    "rights": "rights",
    "copyright": "rights",
}
_DATES = {
    "updated": "updated_text",
    "modified": "updated_text",
    "lastbuilddate": "updated_text",
    "date": "updated_text",
    "published": "published_text",
    "pubdate": "published_text",
    "issued": "published_text",
    "created": "published_text",
}
# Elements that hold or carry an address → its relation
_ADDRESS_TEXTS = {
    ("", "comments"): "comments",
    ("wfw", "commentrss"): "comments-feed",
    ("feedburner", "origlink"): "alternate",
    ("atom", "logo"): "image",
    ("atom", "icon"): "icon",
}
_ADDRESS_ATTRIBUTES = {
    ("", "enclosure"): ("url", "enclosure"),
    ("media", "content"): ("url", "media"),
    ("media", "thumbnail"): ("url", "image"),
    ("media", "player"): ("url", "player"),
    ("itunes", "image"): ("href", "image"),
    ("", "logo"): ("href", "image"),
    ("thr", "in-reply-to"): ("href", "related"),
}


class _Record(NamedTuple):
    """A feed, item or source whose element is open."""

    part: SourceFeed
    depth: int


class FeedBuilder:
    """Fed with the events of a document; ``feed`` is what it says."""

    def __init__(self, url: str, max_items: int) -> None:
        self.feed = Feed()
        self._bases = [url]
        self._records: list[_Record] = []
        self._capture: Capture | None = None
        self._depth = 0
        self._root_space: str | None = None
        self._image = 0  # depth of an RSS image element
        self._max_items = max_items

    def start(self, event: Start) -> None:
        """An element begins."""
        self._depth += 1
        written = event.attributes.get("xml:base")
        outer = self._bases[-1]
        self._bases.append(absolute(outer, written.strip()) if written else outer)
        if self._root_space is None:
            self._root_space = event.space
            self.feed.version = version_of(event.name, event.space, event.attributes)
        if self._capture is not None and self._depth > self._capture.depth:
            self._capture.markup = True
            self._capture.add(_written(event))
            return
        space = self._short(event.space)
        if not self._opens_record(space, event):
            self._element(space, event)

    def _short(self, space: str) -> str:
        short = short_space(space)
        # A feed in a namespace of its own, which nobody else knows: its elements are what their names say.
        return "" if short == "?" and space == self._root_space else short

    def _opens_record(self, space: str, event: Start) -> bool:
        if space not in _CORE:
            return False
        if event.name in ("channel", "feed") and not self._records:
            self._open(self.feed, event)
            return True
        if event.name in ("item", "entry") and not isinstance(self._part, FeedItem):
            item = FeedItem()
            if len(self.feed.items) < self._max_items:
                self.feed.items.append(item)
            else:
                self.feed.cut = True
            self._open(item, event)
            return True
        if event.name == "source" and isinstance(self._part, FeedItem) and self._is_child:
            if address := event.attributes.get("url"):
                self._add(FeedLink(absolute(self._bases[-1], address), "source"))
            self._part.source = SourceFeed()
            self._open(self._part.source, event)
            return True
        return False

    def _open(self, part: SourceFeed, event: Start) -> None:
        self._records.append(_Record(part, self._depth))
        attributes = event.attributes
        if about := attributes.get("rdf:about"):
            part.id = about
        if address := attributes.get("href"):  # CDF
            self._linked(part, FeedLink(absolute(self._bases[-1], address)))
        if changed := attributes.get("lastmod"):
            part.updated_text = changed

    @property
    def _part(self) -> SourceFeed | None:
        return self._records[-1].part if self._records else None

    @property
    def _is_child(self) -> bool:
        return bool(self._records) and self._depth == self._records[-1].depth + 1

    def _element(self, space: str, event: Start) -> None:
        part = self._part
        if part is None:
            return
        if (space, event.name) in _ADDRESS_ATTRIBUTES:
            self._address_attribute(space, event)
        if not self._is_child:
            if self._image and event.name == "url" and space == "":
                self._begin(space, event)
            return
        if event.name == "image" and space == "":
            self._image = self._depth
        elif event.name == "link" and space in _CORE and event.attributes.get("href"):
            self._link_element(part, event)
        elif self._wanted(space, event.name):
            self._begin(space, event)

    @staticmethod
    def _wanted(space: str, name: str) -> bool:
        if space in _CORE:
            known = name in _TEXTS or name in _DATES or name in ("link", "id", "guid", "content", "body")
            return known or (space, name) in _ADDRESS_TEXTS
        if space in ("dc", "dcterms"):
            return name in ("title", "description", "rights") or name in _DATES
        return (space, name) in _ADDRESS_TEXTS or (space, name) in (("content", "encoded"), ("xhtml", "body"))

    def _begin(self, space: str, event: Start) -> None:
        self._capture = Capture(space, event.name, event.attributes, self._bases[-1], self._depth)

    def _address_attribute(self, space: str, event: Start) -> None:
        attribute, relation = _ADDRESS_ATTRIBUTES[space, event.name]
        attributes = event.attributes
        if address := attributes.get(attribute, "").strip():
            size = attributes.get("length", attributes.get("filesize"))
            url = absolute(self._bases[-1], address)
            self._add(FeedLink(url, relation, attributes.get("type"), attributes.get("title"), size))
        if space == "thr" and (origin := attributes.get("source")):
            self._add(FeedLink(absolute(self._bases[-1], origin), "related", "application/atom+xml"))

    def _link_element(self, part: SourceFeed, event: Start) -> None:
        """RFC 4287, 4.2.7: an atom:link; also in RSS, where it is a guest."""
        attributes = event.attributes
        link = FeedLink(
            absolute(self._bases[-1], attributes["href"].strip()),
            attributes.get("rel", "").strip() or "alternate",
            attributes.get("type"),
            attributes.get("title"),
            attributes.get("length"),
            attributes.get("hreflang"),
        )
        self._linked(part, link)

    def _linked(self, part: SourceFeed, link: FeedLink) -> None:
        if link.rel == "alternate" and part.link is None:
            part.link = link.href
        self._add(link, part)

    def _add(self, link: FeedLink, part: SourceFeed | None = None) -> None:
        target = part or self._part
        if target is not None and len(target.links) < _MAX_LINKS:
            target.links.append(link)
        elif target is not None:
            self.feed.cut = True

    def text(self, text: str) -> None:
        """Text of the element that is open."""
        if self._capture is not None:
            # Inside markup the text is markup's text: written as such again.
            self._capture.add(html.escape(text, quote=False) if self._capture.markup else text)

    def end(self, event: End) -> None:
        """An element ends."""
        capture = self._capture
        if capture is not None and self._depth > capture.depth:
            capture.add(f"</{event.name}>")
        elif capture is not None:
            self._capture = None
            self._store(capture)
        elif self._records and self._depth == self._records[-1].depth:
            self._records.pop()
        if self._image == self._depth:
            self._image = 0
        self._depth -= 1
        self._bases.pop()

    def _store(self, capture: Capture) -> None:
        part = self._part
        value = capture.value()
        if part is None or not value:
            return
        key = (capture.space, capture.name)
        if capture.name == "link":
            relation = capture.attributes.get("rel", "alternate")
            self._linked(
                part, FeedLink(absolute(capture.base, value), relation, capture.attributes.get("type"))
            )
        elif capture.name in ("id", "guid"):
            self._store_id(part, capture, value)
        elif key in _ADDRESS_TEXTS or capture.name == "url":
            self._add(FeedLink(absolute(capture.base, value), _ADDRESS_TEXTS.get(key, "image")))
        elif capture.name in _DATES:
            self._store_date(part, capture, value)
        else:
            self._store_text(part, capture, value)

    def _store_id(self, part: SourceFeed, capture: Capture, value: str) -> None:
        part.id = value
        # RSS 2.0: a guid is "a permalink" unless isPermaLink is "false".
        permanent = capture.attributes.get("ispermalink", "true").strip().lower() != "false"
        if capture.name == "guid" and permanent and value.startswith(("http://", "https://")):
            if part.link is None:
                part.link = value
            self._add(FeedLink(value, "guid"))

    @staticmethod
    def _store_date(part: SourceFeed, capture: Capture, value: str) -> None:
        name = _DATES[capture.name]
        # The format's own element is worth more than one of Dublin Core.
        if getattr(part, name) is None or capture.space in _CORE:
            setattr(part, name, value)

    @staticmethod
    def _store_text(part: SourceFeed, capture: Capture, value: str) -> None:
        text = FeedText(value, capture.type or ("xhtml" if capture.markup else "text"), capture.base)
        if capture.name in ("content", "encoded", "body"):
            if isinstance(part, FeedItem):
                part.content.append(text)
            return
        name = _TEXTS[capture.name]
        if getattr(part, name) is None or capture.space in _CORE:
            setattr(part, name, text)


def _written(event: Start) -> str:
    attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in event.attributes.items())
    return f"<{event.name}{attributes}>"
