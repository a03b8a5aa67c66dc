"""From a combination to what planning is told, and from a collection to its harvests. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from armarium.core.crawl_order import merged
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.collections.rules import impossible
from armarium.selection.model import Budget, Combination, Depth, Frequency
from armarium.selection.records.model import Record
from armarium.selection.transfer.model import NO_LIMIT, Choices, Mould, Rule, Target

PATTERN = "selection {record}"
#: Without the record's number two records of one domain would want the same name.
PLACES = ("record", "collection", "budget", "frequency", "depth")
LONGEST_NAME = 100
LARGEST = 2**63 - 1


@dataclass(frozen=True)
class TransferMapping:
    """The whole of it."""

    rules: Sequence[Rule]
    targets: Mapping[tuple[int, Frequency], Target]
    known: dict[Combination, Mould | None] = field(default_factory=dict, compare=False, repr=False)

    def mould(self, combination: Combination) -> Mould | None:
        """What the rules that fit say together, a more particular one over others; None: no profile."""
        if combination not in self.known:  # thousands of records have the same few
            self.known[combination] = mould(self.rules, combination)
        return self.known[combination]

    def target(self, collection: Collection, frequency: Frequency) -> Target:
        return self.targets.get((collection.id, frequency)) or usual_target(collection, frequency)


@dataclass(frozen=True)
class Gap:
    """A combination, or a frequency of a collection, that may be chosen and leads nowhere."""

    collections: tuple[str, ...]
    frequency: Frequency
    reason: Message
    combination: Combination | None = None  # None: the harvest is missing, whatever else is chosen


def mould(rules: Sequence[Rule], combination: Combination) -> Mould | None:
    said: dict[str, Any] = {"profile": "", "max_objects": None, "max_bytes": None, "pattern": PATTERN}
    overrides: dict[str, Any] = {}
    for rule in sorted((one for one in rules if one.fits(combination)), key=lambda one: one.particular):
        for name in ("profile", "pattern", "max_objects", "max_bytes"):
            value = getattr(rule, name)
            if value not in ("", None):
                said[name] = value
        overrides = merged(overrides, rule.overrides)
    if not said["profile"]:
        return None
    limits = {name: said[name] or None for name in ("max_objects", "max_bytes")}  # NO_LIMIT is 0
    return Mould(**{**said, **limits}, overrides=overrides)


def usual_target(collection: Collection, frequency: Frequency) -> Target:
    """Shipped schedules have the names of frequencies."""
    name = f"{collection.name} · {frequency.value}"[:LONGEST_NAME]
    return Target(collection.id, frequency, None, name, frequency.value)


def name_for(record: Record, pattern: str) -> str:
    """The configuration's name; what is too long is cut, its number is not."""
    values = {
        "collection": record.collection_name,
        "budget": record.budget.value,
        "frequency": record.frequency.value,
        "depth": record.depth.value,
    }
    number = str(record.id)
    filled = pattern
    for place, value in values.items():
        filled = filled.replace(f"{{{place}}}", value)
    before, _, after = filled.partition("{record}")
    room = LONGEST_NAME - len(number)
    return f"{before[:room]}{number}{after[: max(0, room - len(before))]}".strip()


def trouble(given: Mould | None, choices: Choices) -> Message | None:
    """Why nothing can be made of a combination; None: it can."""
    if given is None:
        return message(
            "No rule of the mapping says by which profile this budget, frequency and depth are harvested. "
            "Add one on the page of the mapping."
        )
    if given.profile not in choices.profiles:
        return message(
            "The mapping names the profile “%(name)s”, and planning has none of that name that is active. "
            "Make it there, or name another one in the mapping.",
            name=given.profile,
        )
    return None


def target_trouble(target: Target, choices: Choices) -> Message | None:
    """Why there is no harvest for a collection and a frequency, and none can be made."""
    if target.harvest is not None:
        if target.harvest in choices.harvests:
            return None
        return message(
            "The mapping names harvest %(number)s, and planning has no selective or event harvest of that "
            "number. Choose another one.",
            number=target.harvest,
        )
    if target.schedule not in choices.schedules:
        return message(
            "The harvest “%(name)s” is to be made with the schedule “%(schedule)s”, and planning has none of "
            "that name that is active. Make it there, or choose another one in the mapping.",
            name=target.name,
            schedule=target.schedule,
        )
    taken = next((one.id for one in choices.harvests.values() if one.name == target.name), None)
    if taken is not None:
        return message(
            "The harvest “%(name)s” was to be made, and planning has one of that name already, made by "
            "somebody else. Choose it in the mapping, or give another name.",
            name=target.name,
        )
    return None


def gaps(
    mapping: TransferMapping, collections: Iterable[Collection], matrix: Matrix, choices: Choices
) -> list[Gap]:
    """Whatever may be chosen in an active collection and leads nowhere."""
    found: list[Gap] = []
    without: dict[Combination, list[str]] = {}
    for collection in collections:
        if not collection.active:
            continue
        for frequency in collection.frequencies:
            wrong = target_trouble(mapping.target(collection, frequency), choices)
            if wrong:
                found.append(Gap((collection.name,), frequency, wrong))
        for chosen in product(collection.budgets, collection.frequencies, collection.depths):
            combination = Combination(*chosen)
            if impossible(collection, matrix, combination) is None:
                without.setdefault(combination, []).append(collection.name)
    for combination in (Combination(*one) for one in product(Budget, Frequency, Depth)):
        wrong = trouble(mapping.mould(combination), choices) if combination in without else None
        if wrong:
            names = tuple(without[combination])
            found.append(Gap(names, combination.frequency, wrong, combination))
    return found


def checked_rule(rule: Rule) -> Rule:
    """The rule trimmed, or a refusal that names the field."""
    profile, pattern = " ".join(rule.profile.split()), " ".join(rule.pattern.split())
    if pattern:
        places = re.findall(r"\{(.*?)\}", pattern)
        if "record" not in places or set(places) - set(PLACES) or len(pattern) > LONGEST_NAME:
            raise Refused(
                message(
                    "A name has at most %(most)s characters and contains {record}; it may contain "
                    "{collection}, {budget}, {frequency} and {depth}.",
                    most=LONGEST_NAME,
                ),
                field="pattern",
            )
    for name in ("max_objects", "max_bytes"):
        limit = getattr(rule, name)
        if limit is not None and not NO_LIMIT <= limit <= LARGEST:
            raise Refused(message("A limit is a whole number; 0 stands for no limit."), field=name)
    if not (profile or pattern or rule.overrides) and rule.max_objects is None and rule.max_bytes is None:
        raise Refused(
            message("The rule says nothing yet: name a profile, a limit, or something else."), field="profile"
        )
    return replace(rule, profile=profile, pattern=pattern)
