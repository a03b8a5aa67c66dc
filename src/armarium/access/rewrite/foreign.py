"""Whether a tag stands in SVG or MathML, where `<title>` and `<style>` hold markup and CDATA sections exist.

The tree construction of the HTML Standard (13.2.6.5), as far as it changes how the text is cut into tags.
"""

import re
from collections import Counter
from typing import NamedTuple

from armarium.access.rewrite.tokens import is_self_closing

# Tags that end foreign content wherever they stand.
_BREAKING_OUT = frozenset(
    {
        "b",
        "big",
        "blockquote",
        "body",
        "br",
        "center",
        "code",
        "dd",
        "div",
        "dl",
        "dt",
        "em",
        "embed",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "hr",
        "i",
        "img",
        "li",
        "listing",
        "menu",
        "meta",
        "nobr",
        "ol",
        "p",
        "pre",
        "ruby",
        "s",
        "small",
        "span",
        "strong",
        "strike",
        "sub",
        "sup",
        "table",
        "tt",
        "u",
        "ul",
        "var",
    }
)
_FONT = re.compile(r"(?:^|[\s/\"'])(?:color|face|size)(?=[\s=/>]|\Z)", re.IGNORECASE)
# In these, HTML stands again.
_HTML_INSIDE = {
    "svg": frozenset({"foreignobject", "desc", "title"}),
    "math": frozenset({"mi", "mo", "mn", "ms", "mtext"}),
}
_HTML_ANNOTATION = re.compile(r"encoding\s*=\s*[\"']?\s*(?:text/html|application/xhtml\+xml)", re.IGNORECASE)


class _Open(NamedTuple):
    name: str
    language: str  # svg or math
    holds_html: bool


class Foreign:
    def __init__(self) -> None:
        self.stack: list[_Open] = []
        # How often a name is open: an end tag that closes nothing must not cost a walk through all of them.
        self._open: Counter[str] = Counter()

    @property
    def inside(self) -> bool:
        """Whether the rules of foreign content hold here."""
        return bool(self.stack) and not self.stack[-1].holds_html

    @property
    def in_style(self) -> bool:
        """Whether the text here is a style sheet."""
        return bool(self.stack) and self.stack[-1].name == "style"

    def start(self, name: str, attributes: str) -> bool:
        """A start tag: whether its element is foreign. Afterwards `inside` tells it of what stands in it."""
        if not self.inside:
            if name not in _HTML_INSIDE:
                return False
            if not is_self_closing(attributes):
                self._push(_Open(name, name, holds_html=False))
            return True
        if name in _BREAKING_OUT or (name == "font" and _FONT.search(attributes)):
            self._break_out()
            return False
        if not is_self_closing(attributes):
            # 13.2.6: of MathML, only annotation-xml can hold SVG; elsewhere `<svg>` is an element of MathML.
            is_svg = name == "svg" and self.stack[-1].name == "annotation-xml"
            language = "svg" if is_svg else self.stack[-1].language
            self._push(_Open(name, language, _holds_html(name, language, attributes)))
        return True

    def end(self, name: str) -> None:
        if name in ("p", "br") and self.inside:
            self._break_out()
        elif self._open[name]:
            while self._pop() != name:
                pass

    def _push(self, element: _Open) -> None:
        self.stack.append(element)
        self._open[element.name] += 1

    def _pop(self) -> str:
        name = self.stack.pop().name
        self._open[name] -= 1
        return name

    def _break_out(self) -> None:
        while self.inside:
            self._pop()


def _holds_html(name: str, language: str, attributes: str) -> bool:
    if language == "math" and name == "annotation-xml":
        return bool(_HTML_ANNOTATION.search(attributes))
    return name in _HTML_INSIDE[language]
