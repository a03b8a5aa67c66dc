"""Collections and the matrix as forms, and back."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import (
    EVERYTHING,
    Block,
    Choices,
    Collection,
    Group,
    Matrix,
    MemberChange,
    ThemeGiven,
    blocks,
    groups,
    key_of,
)
from armarium.selection.model import Budget, Combination, Depth, Frequency

T = TypeVar("T", bound=StrEnum)

SEVERAL = ("budgets", "frequencies", "depths")  # fields of which all values are shown again


class Posted(Protocol):
    """A form as it was sent: see `web.forms.Form`."""

    def get(self, name: str) -> str: ...

    def chosen(self, name: str) -> list[str]: ...

    def ticked(self, name: str) -> bool: ...


def choices_of(form: Posted) -> Choices:
    return Choices(
        name=form.get("name"),
        description=form.get("description"),
        active=form.ticked("active"),
        budgets=_all(Budget, form, "budgets"),
        frequencies=_all(Frequency, form, "frequencies"),
        depths=_all(Depth, form, "depths"),
        default_budget=_one(Budget, form, "default_budget"),
        default_frequency=_one(Frequency, form, "default_frequency"),
        default_depth=_one(Depth, form, "default_depth"),
        open_to_nominations=form.ticked("open_to_nominations"),
    )


def typed(choices: Choices) -> dict[str, object]:
    """Values for the form."""
    return {
        "name": choices.name,
        "description": choices.description,
        "active": "yes" if choices.active else None,
        "budgets": list(choices.budgets),
        "frequencies": list(choices.frequencies),
        "depths": list(choices.depths),
        "default_budget": choices.default_budget,
        "default_frequency": choices.default_frequency,
        "default_depth": choices.default_depth,
        "open_to_nominations": "yes" if choices.open_to_nominations else None,
        "seen": choices.edition if isinstance(choices, Collection) else "",
    }


def usual_values(collection: Collection) -> dict[str, object]:
    """What forms of records suggest."""
    return {"theme": collection.default_theme or "", **vars(collection.usual)}


def seen(form: Posted) -> int | None:
    """The edition of the collection that the form was made of."""
    return whole(form.get("seen"))


def whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else None


def lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


# Themes


def themes_of(form: Posted, collection: Collection) -> tuple[list[ThemeGiven], str]:
    """All themes in their new order, and the name of the usual one. Equal places keep the order they had."""
    placed: list[tuple[int, ThemeGiven]] = []
    usual = ""
    for at, theme in enumerate(collection.themes, 1):
        name = form.get(f"name-{theme.id}").strip() or theme.name
        place = form.get(f"place-{theme.id}").strip()
        number = at if not place else whole(place)
        if number is None:
            raise Refused(message("A place is a whole number: 1 comes first."), field=f"place-{theme.id}")
        placed.append((number, ThemeGiven(name, theme.id, form.ticked(f"active-{theme.id}"))))
        if form.get("usual") == str(theme.id):
            usual = name
    ordered = [theme for _, theme in sorted(placed, key=lambda one: one[0])]
    return [*ordered, *(ThemeGiven(name) for name in lines(form.get("more")))], usual


def typed_themes(collection: Collection) -> dict[str, object]:
    values: dict[str, object] = {"usual": str(collection.default_theme or ""), "seen": collection.edition}
    for at, theme in enumerate(collection.themes, 1):
        values[f"name-{theme.id}"] = theme.name
        values[f"place-{theme.id}"] = at
        values[f"active-{theme.id}"] = "yes" if theme.active else None
    return values


# Members


def members_of(form: Posted) -> MemberChange:
    """Several accounts may stand in one field: no account's name has a comma or a space in it."""
    names = [name for field in form.chosen("account") for name in re.split(r"[\s,;]+", field) if name]
    return MemberChange(
        add=tuple(names),
        remove=tuple(number for one in form.chosen("remove") if (number := whole(one)) is not None),
        add_groups=tuple(one for one in form.chosen("group") if one.strip()),
        remove_groups=tuple(form.chosen("remove_group")),
    )


# Steps


def _all(kind: type[T], form: Posted, name: str) -> tuple[T, ...]:
    """In the order in which people know them."""
    chosen = set(form.chosen(name))
    return tuple(one for one in kind if one.value in chosen)


def _one(kind: type[T], form: Posted, name: str) -> T:
    try:
        return kind(form.get(name))
    except ValueError:
        raise Refused(message("Choose one of those that are offered."), field=name) from None


# The matrix, and what a new one would change


BY_KEY: Mapping[str, Combination] = {key_of(one): one for one in EVERYTHING}


@dataclass(frozen=True)
class Cell:
    """One combination as the page shows it."""

    combination: Combination
    key: str
    reason: int | None  # its place in the list of reasons, from 1; None: it may be chosen
    records: int  # that have it


def tables(
    matrix: Matrix, records: Mapping[Combination, int]
) -> list[tuple[Budget, list[tuple[Frequency, list[Cell]]]]]:
    """For each budget its rows of frequencies, with a cell for each depth."""
    places = {one: at for at, group in enumerate(matrix.groups, 1) for one in group.combinations}

    def cell(one: Combination) -> Cell:
        return Cell(one, key_of(one), places.get(one), records.get(one, 0))

    return [
        (
            budget,
            [
                (frequency, [cell(Combination(budget, frequency, depth)) for depth in Depth])
                for frequency in Frequency
            ],
        )
        for budget in Budget
    ]


def typed_matrix(matrix: Matrix) -> dict[str, object]:
    """Values for the form."""
    reasons = {f"reason-{at}": group.reason for at, group in enumerate(matrix.groups, 1)}
    return {
        "may": [key_of(one) for one in EVERYTHING if matrix.allows(one)],
        "seen": matrix.mark,
        **reasons,
    }


def matrix_of(form: Posted, known: Matrix) -> dict[Combination, str]:
    """What the form refuses: what is not ticked. A reason may be missing still; the review asks for it."""
    check_seen(form, known)
    may = {BY_KEY[one] for one in form.chosen("may") if one in BY_KEY}
    reasons = {
        one: form.get(f"reason-{at}").strip()
        for at, group in enumerate(known.groups, 1)
        for one in group.combinations
    }
    return {one: reasons.get(one, form.get("reason").strip()) for one in EVERYTHING if one not in may}


def reviewed(form: Posted, known: Matrix) -> dict[Combination, str]:
    """What the review sends: cells-1, reason-1, cells-2 …"""
    check_seen(form, known)
    found: dict[Combination, str] = {}
    for at in range(1, len(EVERYTHING) + 1):
        for key in form.get(f"cells-{at}").split():
            if key in BY_KEY:
                found[BY_KEY[key]] = form.get(f"reason-{at}").strip()
    return found


def check_seen(form: Posted, known: Matrix) -> None:
    if form.get("seen") != known.mark:
        raise Refused(
            message(
                "Somebody has changed the allowed combinations in the meantime. Check it again, then save."
            )
        )


@dataclass(frozen=True)
class Part:
    """Combinations that are refused for one reason, as the review shows and sends them."""

    place: int
    reason: str
    combinations: tuple[Combination, ...]
    fresh: bool  # they could be chosen until now

    @property
    def keys(self) -> str:
        return " ".join(key_of(one) for one in self.combinations)

    @property
    def words(self) -> list[str]:
        return [block.words for block in blocks(self.combinations)]


@dataclass(frozen=True)
class Review:
    parts: tuple[Part, ...]  # all that would be refused
    allowed: tuple[Block, ...]  # what could be chosen again
    reworded: tuple[tuple[str, str], ...]  # reasons before and after
    concerned: tuple[tuple[Combination, int], ...]  # freshly refused, with the records that have it
    usual: tuple[Collection, ...]  # collections whose usual combination would be refused

    @property
    def fresh(self) -> list[Part]:
        return [part for part in self.parts if part.fresh]

    @property
    def records(self) -> int:
        return sum(count for _, count in self.concerned)


def review(
    known: Matrix,
    refused: Mapping[Combination, str],
    records: Mapping[Combination, int],
    collections: list[Collection],
) -> Review:
    old = {one: reason for one, reason in refused.items() if one in known.refused}
    fresh = {one: reason for one, reason in refused.items() if one not in known.refused}
    named = [(group, False) for group in groups(old)] + [(each, True) for each in _apart(groups(fresh))]
    pairs = dict.fromkeys((known.refused[one], reason) for one, reason in old.items())
    return Review(
        parts=tuple(
            Part(at, group.reason, group.combinations, is_fresh)
            for at, (group, is_fresh) in enumerate(named, 1)
        ),
        allowed=tuple(blocks(one for one in known.refused if one not in refused)),
        reworded=tuple((before, after) for before, after in pairs if before != after),
        concerned=tuple((one, records[one]) for one in EVERYTHING if one in fresh and records.get(one)),
        usual=tuple(one for one in collections if one.active and one.usual in fresh),
    )


def _apart(found: list[Group]) -> list[Group]:
    """One group for each block, so that each can be given a reason of its own."""
    return [
        Group(group.reason, tuple(one for one in group.combinations if one in block))
        for group in found
        for block in group.blocks
    ]
