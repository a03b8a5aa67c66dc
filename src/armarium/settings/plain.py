"""Typed values as plain ones, for JSON and for TOML; a secret becomes a mask on the way."""

import json
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
