"""The entry point: bytes of some feed."""

import json
from typing import Any

from armarium.formats.feed.builder import FeedBuilder
from armarium.formats.feed.model import Feed, FeedItem, FeedLink, FeedText, absolute
from armarium.formats.text import Basis
from armarium.formats.text.decoding import TextStream
from armarium.formats.text.xml import Characters, Start, XmlReader

# --- JSON Feed 1 and 1.1 (jsonfeed.org).


_FEED_LINKS = (("feed_url", "self"), ("next_url", "next"), ("icon", "image"), ("favicon", "icon"))
_ITEM_LINKS = (("external_url", "related"), ("image", "image"), ("banner_image", "image"))
_MAX_LINKS = 1_000
MAX_CHARACTERS = 4_194_304  # JSON is read as a whole, and small lists take thirty times their characters


def parse_json_feed(text: str, url: str, max_items: int) -> Feed:
    """Read a JSON feed; a feed without a version when it is not one."""
    feed = Feed()
    if len(text) > MAX_CHARACTERS:
        feed.cut = True
        feed.problems.append(f"it is JSON of more than {MAX_CHARACTERS} characters, and was not read")
        return feed
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        feed.problems.append("it is not valid JSON")
        return feed
    version = _text(data, "version")
    if not version.startswith(("https://jsonfeed.org/version/", "http://jsonfeed.org/version/")):
        feed.problems.append("it is JSON, but not a feed")
        return feed
    feed.version = "json11" if version.rstrip("/").endswith("1.1") else "json1"
    feed.title = _construct(data, "title", "text", url)
    feed.summary = _construct(data, "description", "text", url)
    feed.link = _address(data, "home_page_url", url)
    feed.links = [FeedLink(found, rel) for key, rel in _FEED_LINKS if (found := _address(data, key, url))]
    for hub in _list(data, "hubs")[:_MAX_LINKS]:
        if found := _address(hub, "url", url):
            feed.links.append(FeedLink(found, "hub"))
    items = _list(data, "items")
    feed.cut = len(items) > max_items
    feed.items = [_item(item, url) for item in items[:max_items] if isinstance(item, dict)]
    return feed


def _item(data: Any, url: str) -> FeedItem:
    item = FeedItem(id=_text(data, "id") or None, link=_address(data, "url", url))
    item.title = _construct(data, "title", "text", url)
    item.summary = _construct(data, "summary", "text", url)
    base = item.link or url
    contents = (
        _construct(data, "content_html", "html", base),
        _construct(data, "content_text", "text", base),
    )
    item.content = [content for content in contents if content is not None]
    item.published_text = _text(data, "date_published") or None
    item.updated_text = _text(data, "date_modified") or None
    item.links = [FeedLink(found, rel) for key, rel in _ITEM_LINKS if (found := _address(data, key, url))]
    for attachment in _list(data, "attachments")[:_MAX_LINKS]:
        if found := _address(attachment, "url", url):
            kind = _text(attachment, "mime_type") or None
            size = attachment.get("size_in_bytes")
            length = str(size) if isinstance(size, int) and 0 <= size < 1 << 63 else None
            item.links.append(FeedLink(found, "enclosure", kind, _text(attachment, "title") or None, length))
    return item


def _text(data: Any, key: str) -> str:
    value = data.get(key) if isinstance(data, dict) else None
    # Version 1 allowed a number as an id.
    return (
        value
        if isinstance(value, str)
        else str(value)
        if isinstance(value, int) and abs(value) < 1 << 63
        else ""
    )


def _list(data: Any, key: str) -> list[Any]:
    value = data.get(key) if isinstance(data, dict) else None
    return value if isinstance(value, list) else []


def _address(data: Any, key: str, url: str) -> str | None:
    written = _text(data, key).strip()
    return absolute(url, written) if written else None


def _construct(data: Any, key: str, kind: str, base: str) -> FeedText | None:
    value = _text(data, key)
    return FeedText(value, kind, base) if value else None


# --- The entry point: bytes of some feed.


MAX_BYTES = 52_428_800
MAX_ITEMS = 50_000
_DOCTYPE_WITHIN = 4_096

_ALONE = frozenset(("item", "entry"))


def parse_feed(
    data: bytes,
    *,
    url: str = "",
    declared_charset: str | None = None,
    max_items: int = MAX_ITEMS,
    max_bytes: int = MAX_BYTES,
) -> Feed:
    """Read a feed of any format. What is not one gives a ``Feed`` without a version."""
    stream = TextStream(declared_charset=declared_charset, limit=max_bytes)
    text = "".join(stream.read([data])).lstrip("\ufeff \t\r\n\0")
    feed = parse_json_feed(text, url, max_items) if text[:1] in ("{", "[") else _xml(text, url, max_items)
    feed.encoding = stream.encoding
    feed.cut = feed.cut or stream.cut
    if stream.basis is Basis.DETECTED:
        feed.problems.append("its encoding is not declared, or not the one declared")
    if stream.damaged:
        feed.problems.append("the compression is damaged")
    return feed


def _xml(text: str, url: str, max_items: int) -> Feed:
    reader = XmlReader(_ALONE)
    builder = FeedBuilder(url, max_items)
    for event in reader.read([text]):
        if isinstance(event, Characters):
            builder.text(event.text)
        elif isinstance(event, Start):
            builder.start(event)
        else:
            builder.end(event)
    if builder.feed.version == "rss091":
        # Two formats of one number: Netscape's, told by its document type, and UserLand's.
        builder.feed.version = "rss091n" if "DTD RSS 0.91" in text[:_DOCTYPE_WITHIN] else "rss091u"
    builder.feed.problems += dict.fromkeys(reader.problems)
    return builder.feed
