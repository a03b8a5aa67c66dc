"""Addresses in style sheets: `url(…)`, `@import "…"`, `image-set("…")`, and their disguises.

A sheet is searched, not parsed: where an address stands is clear from what stands before it, and everything
between is passed over in one step of the regular expression.
"""

import re

from armarium.access.rewrite.links import Links

_BLANK = r"[\t\n\f\r ]"
# A comment without end goes on to the end of the sheet: looked at once, and not from every place in it.
_SPACE = rf"(?:{_BLANK}|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/)?+)*+"
# CSS Syntax, 4.3.7: any letter of a name may be written as an escape, so `\75 rl(` is `url(`.
_URL_WORD = (
    rf"(?:[uU]|\\0{{0,4}}[57]5{_BLANK}?)"
    rf"(?:[rR]|\\(?:[rR]|0{{0,4}}[57]2{_BLANK}?))"
    rf"(?:[lL]|\\(?:[lL]|0{{0,4}}[46][cC]{_BLANK}?))"
)
_ESCAPED_LETTER = re.compile(r"\\(?:[rRlL]|0{0,4}(?:[57][25]|[46][cC]))")
_STRING = r'"(?:[^"\\\n]|\\.)*+"|' + r"'(?:[^'\\\n]|\\.)*+'"
_UNQUOTED = rf"(?:[^\s\"'()\\]|\\(?:[0-9a-fA-F]{{1,6}}{_BLANK}?|[^\n]))++"
_WRITTEN = r"(" + _STRING + "|" + _UNQUOTED + ")"
_IN_BRACKETS = rf"(\({_BLANK}*)" + _WRITTEN
# With a plain word at its beginning an expression is searched many times faster than with a choice.
_URL = re.compile(r"(?:url)" + _IN_BRACKETS, re.DOTALL)
_ANY_URL = re.compile(_URL_WORD + _IN_BRACKETS, re.DOTALL)
# What names no address is matched too: what stands before it would be read again for the next one.
_IMPORT = re.compile(
    r"@[iI][mM][pP][oO][rR][tT](" + _SPACE + rf"(?:{_URL_WORD}\({_BLANK}*)?+)(?:{_WRITTEN})?+",
    re.DOTALL,
)
_OTHER = re.compile(rf"(?:image-set|src|image)(\({_BLANK}*)(" + _STRING + ")", re.DOTALL)
# The second and later candidates of an image-set.
_IMAGE_SET = re.compile(r"image-set\(([^;{}]*)", re.IGNORECASE)
_CANDIDATE = re.compile(r"(,\s*)(" + _STRING + ")")
_ESCAPE = re.compile(rf"\\(?:([0-9a-fA-F]{{1,6}})(?:\r\n|{_BLANK})?|\r\n|[\n\f\r]|(.))", re.DOTALL)
_UNSAFE = re.compile(r"[\"'()\\\x00-\x20]")


def rewrite_css(text: str, links: Links) -> str:
    """The sheet with its addresses inside the archive."""
    if "(" not in text and "@" not in text:
        return text

    def address(found: re.Match[str], mod: str = "oe_") -> str:
        if not found[2]:
            return found[0]
        return found[0][: found.start(2) - found.start()] + _archived(found[2], links, mod)

    small = text.lower()
    if "@import" in small:
        text = _IMPORT.sub(lambda found: address(found, "cs_"), text)
    is_plain = small.count("url(") == text.count("url(") and not (
        "\\" in text and _ESCAPED_LETTER.search(text)
    )
    text = (_URL if is_plain else _ANY_URL).sub(address, text)
    if "image-set(" in small or "image(" in small or "src(" in small:
        text = _OTHER.sub(address, text)
        text = _IMAGE_SET.sub(lambda found: _candidates(found, links), text)
    return text


def _candidates(found: re.Match[str], links: Links) -> str:
    return _CANDIDATE.sub(lambda next_: next_[1] + _archived(next_[2], links, "oe_"), found[0])


def _archived(written: str, links: Links, mod: str) -> str:
    quote = written[0] if written[0] in "\"'" else ""
    inner = written[1:-1] if quote else written
    plain = _ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner
    archived = links.archived(plain, mod)
    if archived == plain:
        return written
    if plain is not inner or (not quote and _UNSAFE.search(archived)):
        archived = _UNSAFE.sub(lambda found: f"\\{ord(found[0]):x} ", archived)
    return f"{quote}{archived}{quote}"


def _unescaped(found: re.Match[str]) -> str:
    if found[1]:
        number = int(found[1], 16)
        return chr(number) if 0 < number <= 0xFF else f"%{number & 0xFF:02X}" if number < 0x100 else "\ufffd"
    return found[2] or ""
