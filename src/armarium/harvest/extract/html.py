"""HTML, and what is written like it."""

import re

from armarium.formats.text import Kind
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.extract.headers import says_nofollow
from armarium.harvest.extract.page import Page
from armarium.harvest.extract.pieces import read_pieces
from armarium.harvest.extract.xml_document import style_sheets

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
