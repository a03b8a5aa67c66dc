"""The extractors in the order in which they are asked."""

import re
from itertools import islice

from armarium.core.crawl_order import Extraction
from armarium.formats.http import Response
from armarium.formats.text import Kind
from armarium.formats.url import resolve
from armarium.harvest.extract.css import CssExtractor
from armarium.harvest.extract.document import Document, Extractor
from armarium.harvest.extract.findings import Findings, Found
from armarium.harvest.extract.headers import HeaderExtractor, says_nofollow
from armarium.harvest.extract.javascript import JavaScriptExtractor
from armarium.harvest.extract.json_document import (
    JsonExtractor,
    SpeculationRulesExtractor,
    WebAppManifestExtractor,
)
from armarium.harvest.extract.manifests import (
    FeedExtractor,
    RobotsExtractor,
    SitemapExtractor,
    TextTrackExtractor,
)
from armarium.harvest.extract.page import Page
from armarium.harvest.extract.pdf import PdfExtractor
from armarium.harvest.extract.pieces import read_pieces
from armarium.harvest.extract.playlists import DashExtractor, HlsExtractor
from armarium.harvest.extract.xml_document import XmlExtractor, style_sheets
from armarium.harvest.model import Hop, Link

# --- HTML, and what is written like it.


# In XML an element may end where it begins, which HTML does not know: all that follows would be its text.
_empty_raw = re.compile(
    r"<(script|style|title|textarea|iframe|noscript|noframes|noembed|xmp)"
    r"((?:\s(?:[^<>\"'/]++|/(?!>)|\"[^\"<]*+\"|'[^'<]*+')*+)?)/>"
).sub


class HtmlExtractor:
    """Pages, and pictures that are written like pages."""

    name = "html"
    _TYPES = frozenset(
        ("text/html", "application/xhtml+xml", "image/svg+xml", "application/vnd.wap.xhtml+xml")
    )

    def takes(self, document: Document) -> bool:
        if document.mime in self._TYPES:
            return True
        return document.root in ("html", "svg") and (document.vague or document.mime.endswith("xml"))

    def read(self, document: Document, findings: Findings) -> None:
        options = document.options
        if document.mime == "text/html" and options.follow_nofollow and self._read_pieces(document, findings):
            return
        text, findings.encoding = document.text(Kind.HTML if document.mime == "text/html" else Kind.XML)
        page = Page(findings, javascript=options.javascript, follow_nofollow=options.follow_nofollow)
        if not options.follow_nofollow and document.head is not None:
            page.links_count = not says_nofollow(document.head.fields)
        if document.mime != "text/html":
            text = _empty_raw(r"<\1\2></\1>", text)
            style_sheets(text, findings)
        page.read(text)

    @staticmethod
    def _read_pieces(document: Document, findings: Findings) -> bool:
        findings.encoding = document.encoding(Kind.HTML)
        return findings.encoding == "utf-8" and read_pieces(
            document.body, findings, javascript=document.options.javascript
        )


# --- The icon of a site: no page needs to name it, and browsers ask for it all the same.


PLACE = "/favicon.ico"
CONTEXT = "favicon"


def site_icon(document: Document) -> list[Link]:
    """That of the place where a seed was found.

    HTML Standard, link type "icon": `/favicon.ico`, resolved against the address of the page, not its base.
    """
    head = document.head
    answered = head is not None and 200 <= (head.status or 0) < 300
    if not (document.options.favicon and answered) or document.hop.strip(Hop.REDIRECT):
        return []
    return [Link(resolve(document.url, PLACE), Hop.INFERRED, CONTEXT)]


def is_site_icon(document: Document) -> bool:
    """A server that answers with a page instead has no icon, and nobody asked for that page."""
    return document.hop.endswith(Hop.INFERRED)


# --- The extractors in the order in which they are asked.


# Read for every response, whatever its body.
HEADERS: Extractor = HeaderExtractor()
# The first that takes the document reads it. What is told by its root element stands before what is told by
# its type: sitemaps and feeds are sent as text/html every day.
EXTRACTORS: tuple[Extractor, ...] = (
    RobotsExtractor(),
    SitemapExtractor(),
    FeedExtractor(),
    DashExtractor(),
    HtmlExtractor(),
    CssExtractor(),
    PdfExtractor(),
    WebAppManifestExtractor(),
    SpeculationRulesExtractor(),
    JavaScriptExtractor(),
    JsonExtractor(),
    HlsExtractor(),
    TextTrackExtractor(),
    XmlExtractor(),
)


def extract(
    url: str, head: Response | None, mime: str, body: bytes, hop: str, options: Extraction, *, via: str = ""
) -> Found:
    """The references in a response. `body` is its decoded content. Never raises.

    `via`: the page that led to a script; relative addresses in a script count from there, and without it
    they are left out.
    """
    document = Document(url, head, mime, body, hop, options, via)
    findings = Findings(url, options.max_links)
    asked = [HEADERS] if head is not None else []
    if body and not is_site_icon(document):
        asked += islice((one for one in EXTRACTORS if one.takes(document)), 1)
    by = []
    for extractor in asked:
        before = len(findings)
        extractor.read(document, findings)
        by.append((type(extractor).__name__, len(findings) - before))
    found = findings.found()
    return found._replace(links=found.links + site_icon(document), by=tuple(by))
