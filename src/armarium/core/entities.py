"""Things that people enter and edit: a frozen dataclass with a number and, mostly, a name."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import date
from enum import Enum
from functools import cache
from hashlib import sha256
from types import NoneType, UnionType
from typing import Annotated, Any, ClassVar, Protocol, TypeVar, get_args, get_origin

from pydantic import TypeAdapter
from typing_extensions import TypeIs


class Dataclass(Protocol):
    """What `dataclasses.fields` takes."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


D = TypeVar("D", bound=Dataclass)

#: What the house counts for itself, and people never type.
COUNTED = frozenset({"id", "edition"})


class Entity(Dataclass, Protocol):
    """What the pieces for entities ask of one; `Described` gives the last two."""

    @property
    def id(self) -> int: ...

    @property
    def name(self) -> str: ...

    @property
    def mark(self) -> str: ...

    def described(self) -> dict[str, object]: ...


@dataclass(frozen=True)
class Described:
    """A dataclass that the audit log can compare, and that tells whether it was changed meanwhile."""

    def described(self) -> dict[str, object]:
        """The values that the audit log compares, as JSON has them."""
        return {one.name: plain(getattr(self, one.name)) for one in fields(self) if one.name not in COUNTED}

    @property
    def mark(self) -> str:
        """Changes whenever something about it changes."""
        return sha256(json.dumps(self.described(), sort_keys=True).encode()).hexdigest()[:16]


def plain(value: object) -> object:
    """A value as JSON has it."""
    match value:
        case Enum():
            return value.value
        case date():  # moments are dates, too
            return value.isoformat()
        case tuple() | list():
            return [plain(one) for one in value]
        case _:
            return value


def named_values(value: object, *names: str) -> dict[str, object]:
    """Some of its values by name, as JSON has them."""
    return {name: plain(getattr(value, name)) for name in names}


def values_of(value: Dataclass, kind: type[Dataclass] | None = None) -> dict[str, Any]:
    """The fields of a dataclass by name; `kind`: only those that this class, above it, declares."""
    return {one.name: getattr(value, one.name) for one in fields(kind or value)}


def document(value: Dataclass) -> dict[str, Any]:
    """The fields as the API shows them, for commands: numbers, texts and lists, moments as JSON has them."""
    found: dict[str, Any] = _adapter(type(value)).dump_python(value, mode="json")
    return found


@cache
def _adapter(kind: type) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def from_row(kind: type[D], row: Mapping[str, Any]) -> D:
    """The dataclass of what a table says; texts and lists become its enumerations and tuples."""
    names, readers = _columns(kind)
    values = {name: row[name] for name in names}
    return kind(**values | {name: read(values[name]) for name, read in readers})


def bare(kind: Any) -> Any:
    """The type without the bounds of what may be given."""
    return kind.__origin__ if get_origin(kind) is Annotated else kind


@cache
def _columns(kind: type[Dataclass]) -> tuple[list[str], list[tuple[str, Callable[[Any], Any]]]]:
    """The fields of a dataclass, and how those are read that a table says otherwise."""
    readers = [(one.name, read) for one in fields(kind) if (read := _reader(one.type)) is not None]
    return [one.name for one in fields(kind)], readers


def _reader(annotated: object) -> Callable[[Any], Any] | None:
    kind = bare(annotated)
    inner = [one for one in get_args(kind) if one not in (NoneType, ...)]
    only = inner[0] if inner else None
    if _is_enum(kind):
        return kind
    if get_origin(kind) is tuple:
        return lambda value: tuple(map(only, value)) if _is_enum(only) else tuple(value)
    if isinstance(kind, UnionType) and len(inner) == 1 and _is_enum(only):
        return lambda value: only(value) if value else None  # a text that is empty says: none
    return None


def _is_enum(kind: object) -> TypeIs[type[Enum]]:
    return isinstance(kind, type) and issubclass(kind, Enum)


def edited(before: D, clear: Iterable[str] = (), **typed: object) -> D:
    """The same with what was typed; what was not (None) stays, except for what is to be cleared."""
    said: dict[str, Any] = {name: value for name, value in typed.items() if value is not None}
    return replace(before, **{**dict.fromkeys(clear), **said})
