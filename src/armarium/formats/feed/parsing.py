"""The entry point: bytes of some feed."""

from armarium.formats.feed.builder import FeedBuilder
from armarium.formats.feed.json_feed import parse_json_feed
from armarium.formats.feed.model import Feed
from armarium.formats.text import Basis
from armarium.formats.text.streams import TextStream
from armarium.formats.text.xml import Characters, Start, XmlReader

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
