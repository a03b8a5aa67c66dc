"""The kinds of value a setting can have: how each is written in TOML and in an environment variable.

Pydantic could convert most of these itself, but its sentences are for programmers, and neither of its modes
is ours: strict refuses the text of a path or of an enum, lax takes the text "8000" for a number. So a kind
reads the value and says in plain words what it expected; pydantic then checks ranges and the rules
that a section adds.
"""

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from armarium.settings.plain import described

FLAGS = {
    **dict.fromkeys(("true", "1", "yes", "on"), True),
    **dict.fromkeys(("false", "0", "no", "off"), False),
}


class Unfit(ValueError):  # noqa: N818  (reads as what the value is)
    """The value is not of the kind: "port must be <expected>, but <found>"; `found` is left to the caller
    unless only a part of the value is wrong."""

    def __init__(self, expected: str, found: str | None = None) -> None:
        super().__init__(expected)
        self.expected = expected
        self.found = found


class Kind(Protocol):
    @property
    def words(self) -> str:
        """What a value must be, as in "must be a whole number"."""

    def from_toml(self, value: object) -> object:
        """The typed value for what TOML (or JSON) gave; raises `Unfit`."""

    def from_text(self, text: str) -> object:
        """The typed value for the text of an environment variable; raises `Unfit`."""


@dataclass(frozen=True)
class Flag:
    words: str = "true or false"

    def from_toml(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        raise Unfit(self.words)

    def from_text(self, text: str) -> bool:
        try:
            return FLAGS[text.strip().lower()]
        except KeyError:
            raise Unfit("true or false (or 1, 0, yes, no, on, off)") from None


@dataclass(frozen=True)
class Whole:
    words: str = "a whole number"

    def from_toml(self, value: object) -> int:
        # TOML 1.0, "Integer": 64 bits signed, and an error beyond. Python itself has no such limit.
        if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63:
            return value
        raise Unfit(self.words)

    def from_text(self, text: str) -> int:
        if re.fullmatch(r"[+-]?[0-9]{1,19}", text.strip()):
            return self.from_toml(int(text))
        raise Unfit(self.words)


@dataclass(frozen=True)
class Number:
    words: str = "a number"

    def from_toml(self, value: object) -> float:
        if isinstance(value, float) and math.isfinite(value):
            return value
        if isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63:
            return float(value)
        raise Unfit(self.words)

    def from_text(self, text: str) -> float:
        if not re.fullmatch(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?", text.strip(), re.IGNORECASE):
            raise Unfit(self.words)
        try:
            return self.from_toml(float(text))
        except ValueError:
            raise Unfit(self.words) from None


@dataclass(frozen=True)
class Text:
    words: str = "a text"

    def from_toml(self, value: object) -> str:
        if not isinstance(value, str):
            raise Unfit(self.words)
        # Neither PostgreSQL nor a file name can hold a NUL. Bytes of the environment that are not UTF-8
        # arrive as lone surrogates and would fail later, far from here, when somebody prints them.
        if "\0" in value or not _encodable(value):
            raise Unfit(f"{self.words} in UTF-8 without NUL characters")
        return value

    def from_text(self, text: str) -> str:
        return self.from_toml(text)


@dataclass(frozen=True)
class Secret:
    words: str = "a text"

    def from_toml(self, value: object) -> SecretStr:
        return SecretStr(Text(self.words).from_toml(value))

    def from_text(self, text: str) -> SecretStr:
        return self.from_toml(text)


@dataclass(frozen=True)
class Location:
    """A path, kept as written: a relative one counts from the folder in which Armarium is started."""

    words: str = "a path"

    def from_toml(self, value: object) -> Path:
        text = Text(self.words).from_toml(value)
        if not text:
            raise Unfit(f"{self.words}, which cannot be empty")
        return Path(text)

    def from_text(self, text: str) -> Path:
        return self.from_toml(text)


@dataclass(frozen=True)
class Choice:
    options: Mapping[str | int, object]  # as written in TOML → the enum member or literal

    @property
    def words(self) -> str:
        return "one of " + ", ".join(json.dumps(option, ensure_ascii=False) for option in self.options)

    def from_toml(self, value: object) -> object:
        for written, option in self.options.items():
            if type(value) is type(written) and value == written:  # True == 1, but is not that option
                return option
        raise Unfit(self.words)

    def from_text(self, text: str) -> object:
        for written, option in self.options.items():
            if text.strip() == str(written):
                return option
        raise Unfit(self.words)


@dataclass(frozen=True)
class Several:
    item: Kind
    build: Callable[[list[object]], object] = list  # list or tuple, as declared

    @property
    def words(self) -> str:
        return f"a list, each item {self.item.words}"

    def from_toml(self, value: object) -> object:
        if not isinstance(value, list):
            raise Unfit(self.words)
        return self.build([self._item(place, item) for place, item in enumerate(value, start=1)])

    def from_text(self, text: str) -> object:
        if not text.strip().startswith("["):
            parts = [part.strip() for part in text.split(",") if part.strip()]
            return self.build(
                [self._item(place, part, text=True) for place, part in enumerate(parts, start=1)]
            )
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):  # RecursionError: thousands of opening brackets
            raise Unfit("a list in JSON, as it begins with [, or items with commas between them") from None
        return self.from_toml(value)

    def _item(self, place: int, value: object, *, text: bool = False) -> object:
        try:
            return self.item.from_text(str(value)) if text else self.item.from_toml(value)
        except Unfit:
            raise Unfit(self.words, f"item {place} is {described(value)}") from None


@dataclass(frozen=True)
class Optional:
    """A value that may be missing. TOML has no null, so the empty text says it, there and in a variable."""

    inner: Kind

    @property
    def words(self) -> str:
        return f"{self.inner.words}, or empty for none"

    def from_toml(self, value: object) -> object:
        return None if value == "" else self.inner.from_toml(value)

    def from_text(self, text: str) -> object:
        return None if not text.strip() else self.inner.from_text(text)


def is_secret(kind: Kind) -> bool:
    return isinstance(kind.inner if isinstance(kind, Optional) else kind, Secret)


def _encodable(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
