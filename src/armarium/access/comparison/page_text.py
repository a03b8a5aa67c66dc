"""The text of an archived page, line by line as a reader sees it, whatever the page is made of."""

import re
from collections.abc import Iterator

from turbohtml import TokenType, tokenize

from armarium.access.replay.bodies import recorded
from armarium.access.replay.capture import Capture
from armarium.formats.http import decode_content
from armarium.formats.text import charset_of_content_type, decode

MOST_BYTES = 1 << 20  # of a page, decoded; what comes behind them is left out
MOST_LINES = 4000
LONGEST_LINE = 1000  # characters
HTML = ("text/html", "application/xhtml+xml")
# Elements whose content nobody reads.
_UNSEEN = frozenset(("script", "style", "noscript", "template", "svg", "title", "iframe"))
# Elements within a line; all others begin one.
_WITHIN = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "blink", "cite", "code", "data", "del", "dfn"),
        *("em", "font", "i", "img", "ins", "kbd", "label", "mark", "nobr", "q", "s", "samp", "small", "span"),
        *("strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)
_SPACE = re.compile(r"\s+")


def lines_of(capture: Capture) -> list[str] | None:
    """None: it is no page of text. It takes time in proportion to `MOST_BYTES` at most."""
    content_type = capture.field("content-type") or ""
    essence = content_type.partition(";")[0].strip().lower()
    if essence not in HTML and essence != "text/plain":
        return None
    text = decode(_beginning(capture), declared_charset=charset_of_content_type(content_type)).text
    found = _lines(_seen(text) if essence in HTML else iter([text]))
    return [line for _, line in zip(range(MOST_LINES), found, strict=False)]


def _beginning(capture: Capture) -> bytes:
    body = recorded(capture).data
    pieces = iter([body]) if isinstance(body, bytes) else body
    held, size = [], 0
    for piece in decode_content(capture.codings, pieces) if capture.codings else pieces:
        held.append(piece[: MOST_BYTES - size])
        size += len(piece)
        if size >= MOST_BYTES:
            break
    return b"".join(held)


def _seen(page: str) -> Iterator[str]:
    """Pieces of text; a line's end where a browser begins one."""
    unseen = ""  # the element that hides what follows, up to its end
    for token in tokenize(page):
        tag = token.tag
        if unseen:
            if tag == unseen and token.type is TokenType.END_TAG:
                unseen = ""
        elif tag is None:
            if token.type is not TokenType.COMMENT and token.data:
                yield _SPACE.sub(" ", token.data)
        elif tag in _UNSEEN and token.type is TokenType.START_TAG and not token.self_closing:
            unseen = tag
        elif tag not in _WITHIN:
            yield "\n"


def _lines(pieces: Iterator[str]) -> Iterator[str]:
    held: list[str] = []
    for piece in pieces:
        *ended, rest = piece.split("\n")
        for part in ended:
            held.append(part)
            if line := _tidy("".join(held)):
                yield line
            held = []
        held.append(rest)
    if line := _tidy("".join(held)):
        yield line


def _tidy(line: str) -> str:
    return " ".join(line[: LONGEST_LINE * 4].split())[:LONGEST_LINE]
