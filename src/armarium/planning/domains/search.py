"""What people type to find domains, read as conditions that an index can answer.

`*` stands for anything and `?` for one character. A text without either is looked for anywhere in a name.
"""

import re
from dataclasses import dataclass

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.url.whatwg import InvalidUrl, parse

GRAM = 3  # characters of a text that the index knows
LONGEST_PATTERN = 253
_escaped = re.compile(r"([%_\\])")


@dataclass(frozen=True)
class Pattern:
    """How a name must look."""

    like: str = ""  # for LIKE; empty: any name
    tld: str = ""  # what the name must end in, behind the last dot
    grams: tuple[str, ...] = ()  # parts of three characters that the name must have
    ordered: bool = True  # the index that answers gives the names in their order


def pattern_of(text: str) -> Pattern:
    typed = _in_ascii(text.strip().lower())
    if not typed.strip("*"):
        return Pattern()
    if len(typed) > LONGEST_PATTERN or any(sign.isspace() for sign in typed):
        raise Refused(message("A name of a domain is shorter and has no spaces."), field="q")
    pattern = typed if _has_wildcard(typed) else _without_wildcards(typed)
    pieces = [piece for piece in re.split(r"[*?]+", pattern) if piece]
    beginning = re.match(r"[^*?]*", pattern)[0]  # type: ignore[index]
    ending = re.search(r"[^*?]*$", pattern)[0]  # type: ignore[index]
    tld = ending.rpartition(".")[2] if "." in ending else ""
    if tld and pattern == f"*.{tld}":
        return Pattern(tld=tld)
    inner = pieces[1:] if beginning else pieces
    found = tuple(dict.fromkeys(gram for piece in inner for gram in grams(piece)))
    # The last part of a name is in half of all names: its own index is the better one.
    telling = tuple(gram for gram in found if not (tld and f".{tld}".startswith(gram)))
    if not beginning and not tld and not found:
        raise _too_short()
    return Pattern(_like(pattern), tld, telling, ordered=not telling)


def grams(text: str) -> list[str]:
    return [text[place : place + GRAM] for place in range(len(text) - GRAM + 1)]


def contained(text: str) -> tuple[str, tuple[str, ...]]:
    """A condition for LIKE and the parts of three characters, for a text anywhere in another."""
    typed = " ".join(text.lower().split())
    if len(typed) < GRAM:
        raise Refused(message("Give at least three characters of the comment."), field="comment")
    return f"%{_quoted(typed)}%", tuple(dict.fromkeys(grams(typed)))


def _has_wildcard(text: str) -> bool:
    return "*" in text or "?" in text


def _without_wildcards(text: str) -> str:
    """An address is looked for by its host; fewer than three letters only at the beginning of names."""
    if "/" in text:
        text = (text.partition("://")[2] or text).partition("/")[0]
    if text.startswith("www."):
        text = text.removeprefix("www.")
    return f"*{text}*" if len(text) >= GRAM else f"{text}*"


def _like(pattern: str) -> str:
    return _quoted(pattern).replace("*", "%").replace("?", "_")


def _quoted(text: str) -> str:
    return _escaped.sub(r"\\\1", text)


def _in_ascii(text: str) -> str:
    """International labels as names have them: musée.fr is kept as xn--muse-epa.fr."""
    if text.isascii():
        return text
    return ".".join(_label(label) for label in text.split("."))


def _label(label: str) -> str:
    if label.isascii() or _has_wildcard(label):
        return label
    try:
        return parse(f"http://{label}.example/").host.removesuffix(".example")  # type: ignore[union-attr]
    except InvalidUrl:
        return label


def _too_short() -> Refused:
    return Refused(
        message(
            "Give at least three letters in a row, or the beginning of the name (lib*), or its end (*.fr)."
        ),
        field="q",
    )
