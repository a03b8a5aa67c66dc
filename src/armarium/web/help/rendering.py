"""Markdown as HTML of the house. HTML that stands in a page is shown as text."""

import re
from collections.abc import Callable, Iterator, MutableMapping, Sequence
from functools import cache
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.token import Token
from markupsafe import Markup

from armarium.web.help.library import Piece

#: Languages in which # begins a comment; more is not told apart in code.
WITH_COMMENTS = {"sh", "toml", "ini", "python", "yaml", "nginx"}
COMMENT = re.compile(r"(^|(?<=\s))(# .*|#)$", re.MULTILINE)
GENERATED = re.compile(r"<!--.*?-->\n?", re.DOTALL)

Lead = Callable[[str], str | None]


def _table_opens(_tokens: Sequence[Token], _at: int, env: MutableMapping[str, Any]) -> str:
    return f'<div class="help-table" tabindex="0" role="group" aria-label="{env["table"]}"><table>\n'


def _table_closes(_tokens: Sequence[Token], _at: int, _env: MutableMapping[str, Any]) -> str:
    return "</table></div>\n"


def _code(tokens: Sequence[Token], at: int, _env: MutableMapping[str, Any]) -> str:
    code = escapeHtml(tokens[at].content)
    if tokens[at].info.strip() in WITH_COMMENTS:
        code = COMMENT.sub(r'\1<span class="help-comment">\2</span>', code)
    return f'<pre tabindex="0"><code>{code}</code></pre>\n'


def _heading_opens(tokens: Sequence[Token], at: int, _env: MutableMapping[str, Any]) -> str:
    """The corner above the names of the rows heads nothing."""
    return "<th>" if tokens[at + 1].content else "<td>"


def _heading_closes(tokens: Sequence[Token], at: int, _env: MutableMapping[str, Any]) -> str:
    return "</th>\n" if tokens[at - 1].content else "</td>\n"


#: What differs from plain HTML: tables and code that scroll, also with the keyboard, and comments in code.
RULES = {
    "table_open": _table_opens,
    "table_close": _table_closes,
    "th_open": _heading_opens,
    "th_close": _heading_closes,
    "fence": _code,
    "code_block": _code,
}


@cache
def _markdown() -> MarkdownIt:
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    for name, rule in RULES.items():
        markdown.add_render_rule(name, lambda _, tokens, at, __, env, rule=rule: rule(tokens, at, env))
    return markdown


def rendered(pieces: Sequence[Piece], lead: Lead, table: str) -> Markup:
    """These parts of a page. Its title is left out: the page of the site has it as its own."""
    markdown = _markdown()
    text = "\n".join(line for piece in pieces for line in piece.lines)
    tokens = markdown.parse(GENERATED.sub("", text), {})
    anchors = [piece.heading.anchor for piece in pieces if piece.heading.text]
    _named(tokens, anchors)
    for token in tokens:
        token.children = list(_led(token.children, lead)) if token.children else token.children
    if tokens[:1] and tokens[0].type == "heading_open" and tokens[0].tag in {"h1", "h2"}:
        _raise(tokens, by=int(tokens[0].tag[1]) - 1)
        del tokens[:3]
    return Markup(markdown.renderer.render(tokens, markdown.options, {"table": escapeHtml(table)}))  # noqa: S704


def _named(tokens: Sequence[Token], anchors: Sequence[str]) -> None:
    headings = [token for token in tokens if token.type == "heading_open" and token.level == 0]
    for token, anchor in zip(headings, anchors, strict=True):
        token.attrSet("id", anchor)


def _raise(tokens: Sequence[Token], by: int) -> None:
    """Headings of a chapter, whose own is the title of its page."""
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{int(token.tag[1]) - by}"


def _led(tokens: Sequence[Token], lead: Lead) -> Iterator[Token]:
    """Links as they lead on the site; what leads to files outside the help stays as its words."""
    dropped = False
    for token in tokens:
        if token.type == "image":
            token.attrSet("src", lead(str(token.attrs["src"])) or "")
            token.attrSet("loading", "lazy")
        if token.type == "link_open":
            address = lead(str(token.attrs["href"]))
            dropped = address is None
            token.attrSet("href", address or "")
        if not (dropped and token.type in {"link_open", "link_close"}):
            yield token
