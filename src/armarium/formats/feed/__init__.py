"""Feeds: RSS 0.90 to 2.0, Atom 0.3 and 1.0, CDF, JSON Feed.

Comes in: the bytes of a feed, the URL it came from (its base), the charset its server declared.
Goes out: ``Feed``: for people titles, dates and texts; for the crawler every address in it, absolute.

It must never raise for any bytes, expand a document's own entities, or grow beyond its limits.
"""

from armarium.formats.feed.model import Feed, FeedItem, FeedLink, FeedText, SourceFeed
from armarium.formats.feed.parsing import MAX_BYTES, MAX_ITEMS, parse_feed

__all__ = ["MAX_BYTES", "MAX_ITEMS", "Feed", "FeedItem", "FeedLink", "FeedText", "SourceFeed", "parse_feed"]
