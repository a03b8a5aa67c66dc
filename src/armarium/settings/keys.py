"""All that is declared about a key, in one record: for loading, for the reference page, for the example."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic.fields import FieldInfo

from armarium.settings.declared import kind_of
from armarium.settings.kinds import Kind, Optional, Several, is_secret
from armarium.settings.section import Section

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
