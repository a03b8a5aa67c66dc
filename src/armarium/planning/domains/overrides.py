"""What a configuration changes of its profile: three attributes with their own fields, and anything else."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from armarium.core.crawl_order import RobotsPolicy, merged
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.planning.profiles import toml
from armarium.planning.profiles.rules import MACHINE, RESERVED, BadOrder, check_depth, order_of
from armarium.planning.profiles.toml import LONGEST


@dataclass(frozen=True)
class Attributes:
    """Empty: as the profile says."""

    max_hops: int | None = None
    robots: RobotsPolicy | None = None
    javascript: bool | None = None

    def overrides(self) -> dict[str, Any]:
        said: dict[str, Any] = {}
        if self.max_hops is not None:
            said["scope"] = {"max_hops": self.max_hops}
        if self.robots is not None:
            said["robots"] = self.robots.value
        if self.javascript is not None:
            said["extraction"] = {"javascript": self.javascript}
        return said


def taken_apart(overrides: Mapping[str, Any]) -> tuple[Attributes, dict[str, Any]]:
    """The attributes, and the rest."""
    rest = {key: dict(value) if isinstance(value, Mapping) else value for key, value in overrides.items()}
    robots = rest.pop("robots", None)
    attributes = Attributes(
        max_hops=_taken(rest, "scope", "max_hops"),
        robots=RobotsPolicy(robots) if robots in set(RobotsPolicy) else None,
        javascript=_taken(rest, "extraction", "javascript"),
    )
    return attributes, rest


def _taken(rest: dict[str, Any], section: str, key: str) -> Any:
    table = rest.get(section)
    if not isinstance(table, dict):
        return None
    value = table.pop(key, None)
    if not table:
        del rest[section]
    return value


def check_overrides(given: Mapping[str, Any]) -> dict[str, Any]:
    """Overrides as they are kept: every value they name, even one that is the default of crawl orders."""
    overrides = dict(given)
    for key in (*RESERVED, *sorted(MACHINE)):
        section, _, inner = key.rpartition(".")
        table = overrides.get(section, {}) if section else overrides
        if isinstance(table, Mapping) and inner in table:
            raise Refused(RESERVED.get(key) or _of_the_machine(key), field="overrides")
    try:
        check_depth(overrides)
        order_of({}, overrides)
    except BadOrder as bad:
        raise Refused(bad.message, field="overrides") from None
    if "\\u0000" in json.dumps(overrides, default=str):  # PostgreSQL keeps none
        raise Refused(message("The overrides contain a NUL character."), field="overrides")
    return overrides


def _of_the_machine(key: str) -> Message:
    return message(
        "“%(key)s” concerns the machines that crawl and the networks they reach. It can stand in a profile "
        "only.",
        key=key,
    )


def read_overrides(text: str, attributes: Attributes = Attributes()) -> dict[str, Any]:  # noqa: B008
    """Overrides written as TOML, or as JSON, with the attributes over them."""
    if len(text) > LONGEST:
        raise Refused(message("Overrides have at most %(most)s characters.", most=LONGEST), field="overrides")
    return check_overrides(merged(_parsed(text.strip()), attributes.overrides()))


def _parsed(text: str) -> dict[str, Any]:
    if not text:
        return {}
    if not text.startswith("{"):
        return toml.read(text, "overrides")
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Refused(
            message("The overrides are neither TOML nor JSON: %(fault)s", fault=str(error)), field="overrides"
        ) from None
    assert isinstance(found, dict)  # a text that begins with a brace is an object
    return found


def written(overrides: Mapping[str, Any]) -> str:
    """Overrides for a text field; JSON, since it can be read back without loss."""
    return json.dumps(overrides, indent=2, ensure_ascii=False) if overrides else ""
