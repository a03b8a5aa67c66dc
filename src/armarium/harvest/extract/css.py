"""Style sheets: what a browser loads because of them."""

import re
from collections.abc import Iterator

from armarium.formats.text import Kind
from armarium.harvest.extract.document import Document
from armarium.harvest.extract.findings import Findings
from armarium.harvest.model import Hop

_STRING = r"\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'"
_HEX = r"[0-9a-fA-F]{1,6}[ \t\n\f\r]?+"
_URL = rf"[uU][rR][lL]\(\s*+(?:(?P<url>{_STRING})|(?P<bare>(?:[^\s\"'()\\]++|\\(?:{_HEX}|.))*+))\s*+\)"
# One pass over a sheet: what is no address is matched too, so that nothing is found inside it. (Not
# IGNORECASE: without it, the search skips to the next character that can begin an alternative.)
_sheet = re.compile(
    r"/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+"
    r"|@[nN][aA][mM][eE][sS][pP][aA][cC][eE]\b[^;{}]*+"  # its address is a name, nothing to fetch
    rf"|@[iI][mM][pP][oO][rR][tT](?:\s++|/\*[^*]*+\*/)*+(?P<import>{_STRING})"
    rf"|{_URL}"
    rf"|[iI][mM][aA][gG][eE]-[sS][eE][tT]\((?P<set>(?:[^()\"']++|{_STRING}|\([^()]*+\))*+)\)"
    rf"|AlphaImageLoader\([^();]{{0,200}}?\bsrc\s*+=\s*+(?P<filter>{_STRING})"
    # A string that is no address, or never ends: then its line does, and nobody looks at it again.
    r"|\"(?:[^\"\\\n]++|\\.)*+\"?+|'(?:[^'\\\n]++|\\.)*+'?+",
    re.DOTALL,
).finditer
# Inside image-set(): a string is an address, but not that of type("image/avif").
_image_set = re.compile(
    rf"[tT][yY][pP][eE]\([^()]*+\)|{_URL}|(?P<string>{_STRING})",
    re.DOTALL,
).finditer
# CSS Syntax, 4.3.7, "consume an escaped code point"
_escape = re.compile(r"\\(?:([0-9a-fA-F]{1,6})(?:\r\n|[ \t\n\f\r])?|(\r\n|[\n\f\r])|(.))", re.DOTALL).sub


def css_urls(sheet: str) -> Iterator[str]:
    """The addresses in a style sheet, a style element or a style attribute."""
    if "(" not in sheet and "@" not in sheet:
        return
    for found in _sheet(sheet):
        kind = found.lastgroup
        if kind is None:
            continue
        if kind == "set":
            yield from _set_urls(found["set"])
        else:
            yield _address(found[kind])


def _set_urls(inside: str) -> Iterator[str]:
    for found in _image_set(inside):
        if found.lastgroup is not None:
            yield _address(found[found.lastgroup])


def _address(written: str) -> str:
    if written[:1] in ("'", '"'):
        written = written[1:-1]
    return _escape(_unescaped, written) if "\\" in written else written


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        code = int(found[1], 16)
        return chr(code) if 0 < code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF else "\ufffd"
    return found[3] or ""


class CssExtractor:
    """Style sheets as files."""

    name = "css"

    def takes(self, document: Document) -> bool:
        return document.mime == "text/css" or (document.vague and document.suffix == "css")

    def read(self, document: Document, findings: Findings) -> None:
        # CSS Values, 4.5: addresses in a sheet are parsed as UTF-8, whatever the sheet's own encoding.
        text, _ = document.text(Kind.CSS)
        for url in css_urls(text):
            findings.add(url, Hop.EMBED, "css")
