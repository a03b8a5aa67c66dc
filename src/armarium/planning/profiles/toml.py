"""Documents of profiles as TOML: the format of `armarium crawl --profile`."""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.profiles.rules import DEEPEST

LONGEST = 20_000
MOST_DOTS = 10  # of a line, outside quotes: a key of an order has one, and the time of a long one is squared
#: Strings and comments whole, and the signs that count outside of them (TOML 1.0, “Keys”, “String”).
PIECES = re.compile(
    r'''"""(?:\\.|[^\\])*?(?:"{3,5}|\Z)|'{3}.*?(?:'{3,5}|\Z)'''
    r"""|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|\#[^\n]*|[\[\]{}.\n]""",
    re.DOTALL,
)


def read(text: str, field: str = "toml") -> dict[str, Any]:
    """What the text says, not yet judged."""
    if len(text) > LONGEST:
        raise Refused(message("This is longer than %(most)s characters.", most=LONGEST), field=field)
    if not is_simple(text):
        raise Refused(message("This is nested deeper than any profile."), field=field)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also a number with thousands of digits
        raise Refused(message("This is no TOML: %(fault)s.", fault=str(error)), field=field) from None


def is_simple(text: str) -> bool:
    """Whether the text can be parsed in no time: a parser is lost in keys of a thousand parts."""
    dots = depth = 0
    for piece in PIECES.finditer(text):
        match piece[0]:
            case "\n":
                dots = 0
            case ".":
                dots += 1
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth = max(0, depth - 1)
        if dots > MOST_DOTS or depth > DEEPEST:
            return False
    return True


def written(document: Mapping[str, Any], *, head: str = "") -> str:
    """The document as TOML, keys above all sections first."""
    return "".join(_lines(document, head))


def _lines(document: Mapping[str, Any], head: str) -> Iterator[str]:
    if head:
        yield "".join(f"# {line}\n" for line in head.splitlines())
    for name, value in document.items():
        if not isinstance(value, Mapping):
            yield f"{_name(name)} = {_value(value)}\n"
    for name, section in document.items():
        if isinstance(section, Mapping):
            yield f"\n[{_name(name)}]\n"
            yield from (f"{_name(key)} = {_value(value)}\n" for key, value in section.items())


def _name(name: str) -> str:
    plain = name.isascii() and name.replace("_", "").replace("-", "").isalnum()
    return name if plain else _text(name)


def _value(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return str(value)
        case Mapping():
            return "{ " + ", ".join(f"{_name(str(key))} = {_value(one)}" for key, one in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(_value, value)) + "]"
        case _:
            return _text(str(value))


def _text(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for DEL (TOML 1.0, “String”)."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
