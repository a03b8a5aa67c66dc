"""Where a tag, a comment or the text of a script ends: the tokeniser of HTML (13.2.5) as expressions.

Every expression is possessive, so none can go back and try again: the time is in proportion to the text.
"""

import re

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
