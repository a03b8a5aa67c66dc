"""How a package declares its settings.

    class WebSettings(Section, name="web"):
        \"""The staff pages and the API.\"""

        port: int = key(8080, "Port on which the pages are served.", ge=1, le=65535)

A rule beyond the limits is a pydantic validator that raises `ValueError`; its text completes the sentence
"[web] port …" (or "[web] …" for a rule about several keys) and ends without a full stop.

The class knows its own name and nothing else: there is no registry. The list of all sections is written down
where the application is put together, so that importing a module never changes what a settings file may say.
"""

import inspect
import re
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic.fields import FieldInfo

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
    is_secret,
)

# --- From a declared Python type to the kind of value it means.


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


# --- Sections and their keys.


NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class Section(BaseModel):
    """A table of the settings file; the docstring of a subclass is the help of its section."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        validate_default=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,  # an error from pydantic must not carry a password into a log
    )

    section_name: ClassVar[str]

    def __init_subclass__(cls, *, name: str, **options: Any) -> None:
        if not NAME.fullmatch(name):
            raise TypeError(
                f"{cls.__name__}: {name!r} cannot name a section, use small letters, digits and _"
            )
        cls.section_name = name
        super().__init_subclass__(**options)

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        for name, field in cls.model_fields.items():
            _check_declaration(f"{cls.__name__}.{name}", name, field.annotation, field.default)


def key(
    default: Any,
    help: str,  # noqa: A002  (the word the reference page uses)
    *,
    ge: float | None = None,
    gt: float | None = None,
    le: float | None = None,
    lt: float | None = None,
    min_length: int | None = None,
    max_length: int | None = None,
    pattern: str | None = None,
) -> Any:
    """Declare a key with its default, its help (complete sentences) and its limits.

    The limits are named one by one, not taken as a bag of options: a misspelt one fails the type check.
    """
    limits = {"ge": ge, "gt": gt, "le": le, "lt": lt}
    lengths = {"min_length": min_length, "max_length": max_length, "pattern": pattern}
    given: dict[str, Any] = {name: limit for name, limit in (limits | lengths).items() if limit is not None}
    return Field(default, description=help, **given)


def help_of(section: type[Section]) -> str:
    """The section's own docstring in one paragraph; one inherited from `Section` does not count."""
    return " ".join(inspect.cleandoc(section.__dict__.get("__doc__") or "").split())


def _check_declaration(place: str, name: str, annotation: object, default: object) -> None:
    """Refuse, when the module is imported, what could not be written in a settings file."""
    if not NAME.fullmatch(name):
        raise TypeError(f"{place} cannot name a setting, use small letters, digits and _")
    try:
        kind = kind_of(annotation)
    except TypeError as unsupported:
        raise TypeError(f"{place}: {unsupported}") from None
    if is_secret(kind) and isinstance(default, SecretStr) and default.get_secret_value():
        raise TypeError(f"{place}: a secret in the source is not a secret; let the default be None")


# --- All that is declared about a key, in one record: for loading, for the reference page, for the example.


PREFIX = "ARMARIUM_"
HOME = "ARMARIUM_HOME"  # the data folder: known before any file is read, so not a key of the file
FILE = "ARMARIUM_SETTINGS"  # the settings file itself
FOR_TESTS = "ARMARIUM_TEST_"  # variables for the test run, which the processes it starts inherit

LIMITS = ("ge", "gt", "le", "lt", "min_length", "max_length", "pattern")


@dataclass(frozen=True)
class Key:
    section: str
    name: str
    kind: Kind
    default: object
    help: str
    limits: Mapping[str, Any]  # those of LIMITS that are declared

    @property
    def variable(self) -> str:
        return f"{PREFIX}{self.section}_{self.name}".upper()

    @property
    def secret(self) -> bool:
        return is_secret(self.kind)

    @property
    def several(self) -> bool:
        return isinstance(self.kind.inner if isinstance(self.kind, Optional) else self.kind, Several)

    def __str__(self) -> str:
        return f"[{self.section}] {self.name}"


def keys_of(section: type[Section]) -> tuple[Key, ...]:
    return tuple(_key(section, name, field) for name, field in section.model_fields.items())


class Catalogue:
    """The sections of an application and their keys, found by what a file or the environment calls them."""

    def __init__(self, sections: Iterable[type[Section]]) -> None:
        self.sections: dict[str, type[Section]] = {}
        self.keys: dict[tuple[str, str], Key] = {}
        self.variables: dict[str, Key] = {}
        for section in sections:
            self._add(section)

    def of(self, section: str) -> list[Key]:
        return [key for key in self.keys.values() if key.section == section]

    def _add(self, section: type[Section]) -> None:
        name = section.section_name
        if name in self.sections:
            raise TypeError(
                f"{section.__name__} and {self.sections[name].__name__} both claim section [{name}]"
            )
        if f"{PREFIX}{name}_".upper().startswith(FOR_TESTS):
            raise TypeError(
                f"{section.__name__}: variables with {FOR_TESTS} are not settings, rename [{name}]"
            )
        self.sections[name] = section
        for key in keys_of(section):
            # [web] log_level and [web_log] level would share a variable: refuse it when it is written.
            if key.variable in self.variables:
                raise TypeError(f"{key} and {self.variables[key.variable]} share the variable {key.variable}")
            self.keys[name, key.name] = key
            self.variables[key.variable] = key


def _key(section: type[Section], name: str, field: FieldInfo) -> Key:
    limits = {
        limit: getattr(item, limit)
        for item in field.metadata
        for limit in LIMITS
        if getattr(item, limit, None) is not None
    }
    return Key(
        section=section.section_name,
        name=name,
        kind=kind_of(field.annotation),
        default=field.get_default(call_default_factory=True),
        help=" ".join((field.description or "").split()),
        limits=limits,
    )
