"""From a declared Python type to the kind of value it means."""

import types
import typing
from enum import Enum
from pathlib import Path

from pydantic import SecretStr

from armarium.settings.kinds import (
    Choice,
    Flag,
    Kind,
    Location,
    Number,
    Optional,
    Secret,
    Several,
    Text,
    Whole,
)

SIMPLE: dict[object, Kind] = {
    bool: Flag(),
    int: Whole(),
    float: Number(),
    str: Text(),
    Path: Location(),
    SecretStr: Secret(),
}


def kind_of(annotation: object) -> Kind:
    """The kind for a type; raises `TypeError` for one that a settings file cannot hold."""
    if annotation in SIMPLE:
        return SIMPLE[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return _choice({member.value: member for member in annotation})
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return kind_of(arguments[0])
    if origin is typing.Literal:
        return _choice({value: value for value in arguments})
    if origin in (typing.Union, types.UnionType):
        return _optional(annotation, arguments)
    if origin is list:
        return Several(_item(arguments[0]))
    if origin is tuple and arguments[1:] == (Ellipsis,):
        return Several(_item(arguments[0]), tuple)
    raise TypeError(
        f"{annotation!r} is not a type that a setting can have: use bool, int, float, str, Path, SecretStr, "
        "an enum, a Literal, a list of these, or one of these with None"
    )


def _choice(options: dict[str | int, object]) -> Choice:
    if any(type(value) not in (str, int) for value in options):
        raise TypeError(f"The choices {list(options)!r} must be texts or whole numbers")
    return Choice(options)


def _optional(annotation: object, arguments: tuple[object, ...]) -> Optional:
    others = [argument for argument in arguments if argument is not types.NoneType]
    if len(others) != 1 or len(arguments) != 2:
        raise TypeError(
            f"{annotation!r} could be read in several ways: a setting has one type, or one with None"
        )
    return Optional(kind_of(others[0]))


def _item(annotation: object) -> Kind:
    kind = kind_of(annotation)
    if isinstance(kind, (Several, Optional, Secret)):
        raise TypeError(f"A list of {annotation!r} cannot be written in an environment variable")
    return kind
