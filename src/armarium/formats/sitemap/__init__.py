"""Sitemaps (sitemaps.org 0.9 and what passes for them): the URLs that a site names itself.

Comes in: the bytes of a sitemap, in pieces, plain or gzip, and the URL it came from.
Goes out: one ``Entry`` after the other, with its extensions (images, videos, news, alternates), and what was
wrong.

It must never stop at a fault it can step over, expand a document's own entities, fetch anything, or hold more
than one entry in memory.
"""

from armarium.formats.sitemap.entry import Entry, Link, Place, Role
from armarium.formats.sitemap.reader import MAX_BYTES, MAX_ENTRIES, SitemapKind, SitemapReader

__all__ = ["MAX_BYTES", "MAX_ENTRIES", "Entry", "Link", "Place", "Role", "SitemapKind", "SitemapReader"]
