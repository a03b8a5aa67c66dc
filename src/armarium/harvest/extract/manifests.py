"""Where sites name their own pages: robots.txt, sitemaps, feeds."""

from armarium.formats.feed import FeedLink, FeedText, parse_feed
from armarium.formats.feed.model import FeedItem, SourceFeed
from armarium.formats.robots import parse
from armarium.formats.sitemap import MAX_ENTRIES, Place, Role, SitemapReader
from armarium.formats.text import Kind
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.extract.addresses import is_absolute, is_path, suffix
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.extract.page import Page
from armarium.harvest.model import Hop

_SITEMAP_ROOTS = frozenset(("urlset", "sitemapindex"))
_FEED_ROOTS = frozenset(("rss", "feed", "rdf", "channel"))
_FEED_TYPES = frozenset(
    ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json")
)
_HOPS_OF_ROLES = {
    Role.IMAGE: Hop.EMBED,
    Role.VIDEO: Hop.EMBED,
    Role.THUMBNAIL: Hop.EMBED,
    Role.PLAYER: Hop.LINK,
    Role.OTHER: Hop.LINK,
}
_EMBEDDED = frozenset(("enclosure", "image", "icon", "logo", "thumbnail", "preview"))
_NOT_FOLLOWED = frozenset(
    ("self", "hub", "edit", "edit-media", "service.post", "service.edit", "replies.post")
)
_LINKED = frozenset(("comments", "related", "via", "license", "author", "replies", "source"))


class RobotsExtractor:
    """robots.txt: only its sitemaps; the paths of its rules are no links."""

    name = "robots"

    def takes(self, document: Document) -> bool:
        return document.path == "/robots.txt" and document.mime != "text/html"

    def read(self, document: Document, findings: Findings) -> None:
        if document.options.sitemaps:
            robots = parse(document.body)
            for sitemap in robots.sitemaps:
                findings.add(sitemap, Hop.MANIFEST, "sitemap:")
            if robots.cut:
                findings.annotations.append("robotsTrunc")


class SitemapExtractor:
    """Sitemaps of any kind; a plain list only where somebody said that it is a sitemap (hop M)."""

    name = "sitemap"

    def takes(self, document: Document) -> bool:
        if not document.options.sitemaps:
            return False
        if document.root in _SITEMAP_ROOTS:
            return True
        named = document.hop.endswith(Hop.MANIFEST) and document.mime != "text/html"
        if named and document.body[:2] == b"\x1f\x8b":
            return True
        return named and not document.root and document.mime == "text/plain"

    def read(self, document: Document, findings: Findings) -> None:
        # A sitemap has its own limit, which the protocol gives; that of a page would lose most of a site.
        findings.allow(MAX_ENTRIES, "sitemap-entries")
        findings.annotations.append("isSitemap")
        reader = SitemapReader([document.body], url=document.url, declared_charset=document.charset)
        for entry in reader:
            if entry.place is not Place.INVALID:
                findings.add(entry.url, Hop.MANIFEST, "sitemap/loc")
            for link in entry.links:
                findings.add(link.url, _HOPS_OF_ROLES.get(link.role, Hop.MANIFEST), f"sitemap/{link.role}")
        if reader.cut:
            findings.annotations.append("sitemapTrunc")


class FeedExtractor:
    """Feeds: items are named by the site itself, files and pictures belong to them."""

    name = "feed"

    def takes(self, document: Document) -> bool:
        if document.mime in _FEED_TYPES:
            return True
        if document.root in _FEED_ROOTS:
            return document.vague or document.mime == "text/html" or document.mime.endswith("xml")
        return False

    def read(self, document: Document, findings: Findings) -> None:
        feed = parse_feed(document.body, url=document.url, declared_charset=document.charset)
        self._part(feed, findings, document)
        for item in feed.items:
            self._part(item, findings, document)
            for text in item.content:
                self._text(text, findings, document)
        if feed.cut:
            findings.annotations.append("feedTrunc")

    def _part(self, part: SourceFeed | FeedItem, findings: Findings, document: Document) -> None:
        if part.link:
            findings.add(part.link, Hop.MANIFEST, "feed/link")
        for link in part.links:
            self._link(link, findings)
        for text in (part.title, part.summary):
            if text is not None:
                self._text(text, findings, document)

    def _link(self, link: FeedLink, findings: Findings) -> None:
        relation = link.rel.lower()
        if relation in _EMBEDDED:
            findings.add(link.href, Hop.EMBED, f"feed/{relation}")
        elif relation in _LINKED:
            findings.add(link.href, Hop.LINK, f"feed/{relation}")
        elif relation not in _NOT_FOLLOWED:
            findings.add(link.href, Hop.MANIFEST, "feed/link")

    def _text(self, text: FeedText, findings: Findings, document: Document) -> None:
        """Markup inside an item has a base of its own."""
        if "<" not in text.value:
            return
        inner = Findings(text.base or document.url, findings.room)
        Page(inner, javascript=False, follow_nofollow=document.options.follow_nofollow).read(text.value)
        found = inner.found()
        for link in (*found.links, *found.dropped):
            try:
                findings.add(resolve(inner.base, link.reference), link.hop, f"feed/{link.context}")
            except InvalidUrl:
                continue


# --- Text tracks with pictures.


_PICTURES = frozenset(("jpg", "jpeg", "png", "webp", "gif", "avif"))
_LONGEST = 4096


class TextTrackExtractor:
    """WebVTT: a track of thumbnails names a picture in every cue."""

    name = "text-track"

    def takes(self, document: Document) -> bool:
        return document.mime == "text/vtt" or (
            document.vague and document.body[:10].lstrip(b"\xef\xbb\xbf")[:6] == b"WEBVTT"
        )

    def read(self, document: Document, findings: Findings) -> None:
        text, _ = document.text(Kind.PLAIN)
        for written in text.splitlines():
            line = written.strip()
            named = 4 < len(line) <= _LONGEST and suffix(line) in _PICTURES
            if (named and is_path(line, certain=True)) or (len(line) <= _LONGEST and is_absolute(line)):
                findings.add(line, Hop.EMBED, "vtt/cue")
