"""The matrix as a form, and back; and what a new one would change."""

from collections.abc import Mapping
from dataclasses import dataclass

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.blocks import EVERYTHING, Block, Group, blocks, groups, key_of
from armarium.selection.collections.form import Posted
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.model import Budget, Combination, Depth, Frequency

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


def typed(matrix: Matrix) -> dict[str, object]:
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
        raise Refused(message("Somebody changed the matrix meanwhile. Look at it again, then save."))


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
