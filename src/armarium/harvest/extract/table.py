"""The extractors in the order in which they are asked."""

from itertools import islice

from armarium.core.crawl_order import Extraction
from armarium.formats.http import Response
from armarium.harvest.extract.css import CssExtractor
from armarium.harvest.extract.dash import DashExtractor
from armarium.harvest.extract.document import Document, Extractor
from armarium.harvest.extract.findings import Findings, Found
from armarium.harvest.extract.headers import HeaderExtractor
from armarium.harvest.extract.hls import HlsExtractor
from armarium.harvest.extract.html import HtmlExtractor
from armarium.harvest.extract.javascript import JavaScriptExtractor
from armarium.harvest.extract.json_document import (
    JsonExtractor,
    SpeculationRulesExtractor,
    WebAppManifestExtractor,
)
from armarium.harvest.extract.manifests import FeedExtractor, RobotsExtractor, SitemapExtractor
from armarium.harvest.extract.pdf import PdfExtractor
from armarium.harvest.extract.site_icon import is_site_icon, site_icon
from armarium.harvest.extract.text_tracks import TextTrackExtractor
from armarium.harvest.extract.xml_document import XmlExtractor

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
