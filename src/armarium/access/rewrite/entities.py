"""Character references in the values of attributes, as the tokeniser of HTML reads and we write them."""

import html
import re
from html.entities import html5

_REFERENCE = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9a-fA-F]+;?|([A-Za-z][A-Za-z0-9]*)(;?)(?=(=?)))")
_WRITTEN = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_SPECIAL = re.compile(r"[&<>\"'\x00-\x1f]|[^\x00-\xff]")


def unescape_attribute(value: str) -> str:
    """The value that a browser sees.

    HTML Standard, 13.2.5.73: in an attribute, `&copy` before `=` or a letter is no reference, for the sake of
    `?a=1&copy=2`.
    """
    return _REFERENCE.sub(_character, value) if "&" in value else value


def _character(found: re.Match[str]) -> str:
    name = found[1]
    if name is None:
        return html.unescape(found[0])
    if found[2]:
        return html5.get(name + ";", found[0])
    return found[0] if found[3] else html5.get(name, found[0])


def escape_attribute(value: str) -> str:
    """The value written so that it may stand in either kind of quotes, or in none if it has no space."""
    return _SPECIAL.sub(lambda found: _WRITTEN.get(found[0]) or f"&#{ord(found[0])};", value)
