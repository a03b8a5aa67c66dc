"""Typed values as plain ones, for JSON and for TOML; a secret becomes a mask on the way."""

import json
from datetime import date, time
from enum import Enum
from pathlib import Path

from pydantic import SecretStr

MASK = "••••"  # always as long as this: the length of a password says something about it

Plain = str | int | float | bool | None | list["Plain"]


def plain(value: object) -> Plain:
    match value:
        case SecretStr():
            return MASK if value.get_secret_value() else ""
        case Enum():
            return plain(value.value)
        case Path():
            return str(value)
        case list() | tuple():
            return [plain(item) for item in value]
        case bool() | int() | float() | str() | None:
            return value
    raise TypeError(f"A setting cannot hold {type(value).__name__}")


def as_toml(value: object) -> str:
    """A value as it would stand in the file; none is the empty text, as TOML has no null."""
    simple = plain(value)
    if isinstance(simple, list):
        return "[" + ", ".join(as_toml(item) for item in simple) + "]"
    # JSON's notation of texts, numbers, true and false is also TOML's.
    return '""' if simple is None else json.dumps(simple, ensure_ascii=False)


# --- Names and values inside sentences: short, on one line, and harmless to a terminal.


LONGEST = 60  # characters of a name or value that a sentence may carry


def shown(text: str, longest: int = LONGEST) -> str:
    """The text with control characters and broken encoding made visible, cut to a readable length."""
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    return "".join(character if character.isprintable() else _escaped(character) for character in cut)


def described(value: object, *, secret: bool = False) -> str:
    """What a TOML value is, for "… but is the text "8000""; of a secret only which sort of thing."""
    match value:
        case bool():
            return "true or false" if secret else str(value).lower()
        case str():
            return "a text" if secret else f'the text "{shown(value)}"' if value else "empty"
        case int() | float():
            return "a number" if secret else _number(value)
        case list():
            return "a list"
        case dict():
            return "a table"
        case date() | time():
            return "a date or time"
    return "nothing" if value is None else f"a {type(value).__name__}"


def _number(value: float) -> str:
    # Python refuses to print more than 4,300 digits, and TOML's hexadecimal notation can give such a number.
    return "a number beyond 64 bits" if isinstance(value, int) and abs(value) >= 2**64 else str(value)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
