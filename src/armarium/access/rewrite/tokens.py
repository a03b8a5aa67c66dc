"""Where a tag, a comment or the text of a script ends: the tokeniser of HTML (13.2.5) as expressions.

Every expression is possessive, so none can go back and try again: the time is in proportion to the text.
"""

import re
from collections import Counter
from typing import NamedTuple

_WS = r"\t\n\f\r "
_NAME = rf"[^{_WS}/>][^{_WS}/>=]*+"
_VALUE = rf"(?:\"[^\"]*+\"|'[^']*+'|[^{_WS}\"'>][^{_WS}>]*+|(?=>))"

# A start or end tag as a whole. A quote that is not closed makes it no tag: a browser drops such a rest.
TAG = re.compile(
    rf"<(/?+)([a-zA-Z][^{_WS}/>]*+)"
    rf"((?:[{_WS}/]++|{_NAME}(?:[{_WS}]*+=[{_WS}]*+{_VALUE}|(?![{_WS}]*+=)))*+)>"
)
ATTRIBUTE = re.compile(
    rf"[{_WS}/]*+({_NAME})(?:[{_WS}]*+=[{_WS}]*+(?:\"([^\"]*+)\"|'([^']*+)'|([^{_WS}\"'>][^{_WS}>]*+)?+))?+"
)

_DULL_TAGS = (
    "div|span|p|li|ul|ol|td|tr|th|tbody|thead|tfoot|table|br|hr|b|i|em|strong|u|h[1-6]|dl|dt|dd|label|section"
    "|article|header|footer|nav|main|aside|small|sup|sub|center|font|pre|code|figure|figcaption|fieldset|legend"
    "|option|optgroup|abbr|address|cite|time|tt|caption|col|colgroup|picture|summary|details|big|s|strike|var"
    "|kbd|samp|dfn|mark|wbr|a"
)
_DULL_ATTRIBUTES = (
    "class|id|title|lang|dir|role|width|height|align|valign|border|cellpadding|cellspacing|colspan|rowspan"
    "|bgcolor|color|size|face|tabindex|name|type|value|for|rel|nowrap|hidden|itemprop|itemscope|itemtype"
    "|datetime|scope|clear|aria-[a-z]+|data-(?!src|lazy|original|bg|poster)[a-z-]+"
)
_DULL_VALUE = rf"(?:\"[^\"]*+\"|'[^']*+'|[^{_WS}\"'>/]++(?=[{_WS}>]))"
# Text, end tags, and tags in which there is nothing to rewrite: passed over in one step. Not in foreign
# content, where end tags matter.
DULL = re.compile(
    rf"(?:[^<]++|</[a-zA-Z][a-zA-Z0-9]*+[{_WS}]*+>|<(?:{_DULL_TAGS}|{_DULL_TAGS.upper()})"
    rf"(?:[{_WS}]++(?:{_DULL_ATTRIBUTES})={_DULL_VALUE})*+[{_WS}]*+/?+>)*+"
)
_SCRIPT_STEP = re.compile(rf"<!--|-->|<(/?)script(?=[{_WS}/>])", re.IGNORECASE)
_RAW_ENDS: dict[str, re.Pattern[str]] = {}


def raw_end(text: str, at: int, name: str) -> int:
    """Where the end tag of an element begins whose content is not markup; -1 if it is not there."""
    if name == "script":
        return _script_end(text, at)
    pattern = _RAW_ENDS.get(name)
    if pattern is None:
        pattern = _RAW_ENDS[name] = re.compile(rf"</{name}(?=[{_WS}/>])", re.IGNORECASE)
    found = pattern.search(text, at)
    return found.start() if found else -1


def _script_end(text: str, at: int) -> int:
    """13.2.5.15 and following: `<!--` and then `<script` hide one `</script>`."""
    escaped = doubly = False
    while found := _SCRIPT_STEP.search(text, at):
        step, at = found[0], found.end()
        if step == "<!--":
            if not escaped:
                escaped = True
                at -= 2  # `<!-->` both opens and closes
        elif step == "-->":
            escaped = doubly = False
        elif found[1] and not doubly:
            return found.start()
        elif escaped:
            doubly = not found[1]
    return -1


def is_self_closing(attributes: str) -> bool:
    """Whether the slash at the end is that of `<a />`, and not the last letter of `<a href=/>`."""
    if not attributes.endswith("/"):
        return False
    end = 0
    for found in ATTRIBUTE.finditer(attributes):
        end = found.end()
    return end < len(attributes)


_COMMENT_END = re.compile(r"--!?>")


def markup_end(text: str, at: int, foreign: bool) -> int:
    """The end of the comment, doctype, CDATA section or instruction at `at`; -1 if it is not there."""
    if text.startswith("<!--", at):
        if text.startswith(">", at + 4):
            return at + 5
        if text.startswith("->", at + 4):
            return at + 6
        found = _COMMENT_END.search(text, at + 4)
        return found.end() if found else -1
    if foreign and text.startswith("<![CDATA[", at):
        end = text.find("]]>", at + 9)
        return end + 3 if end >= 0 else -1
    end = text.find(">", at + 2)
    return end + 1 if end >= 0 else -1


# In SVG and MathML `<title>` and `<style>` hold markup, and CDATA sections exist.
# The tree construction of the HTML Standard (13.2.6.5), as far as it changes how the text is cut into tags.


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
