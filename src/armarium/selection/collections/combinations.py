"""Combinations told in few words: "Large · Daily, Weekly · Domain" instead of two lines. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.model import BUDGETS, DEPTHS, FREQUENCIES, Budget, Combination, Depth, Frequency

#: The parts of a combination, each with its values in the order in which people know them.
PARTS: Mapping[str, Mapping[str, Message]] = {
    "budget": {one.value: text for one, text in BUDGETS.items()},
    "frequency": {one.value: text for one, text in FREQUENCIES.items()},
    "depth": {one.value: text for one, text in DEPTHS.items()},
}
EVERY: Mapping[str, Message] = {
    "budget": message("any budget"),
    "frequency": message("any frequency"),
    "depth": message("any depth"),
}
EVERYTHING: Sequence[Combination] = tuple(
    Combination(*values) for values in product(tuple(Budget), tuple(Frequency), tuple(Depth))
)


def key_of(combination: Combination) -> str:
    """As forms and commands write it: large/daily/domain."""
    return f"{combination.budget}/{combination.frequency}/{combination.depth}"


def in_words(combination: Combination) -> str:
    names = (combination.budget, combination.frequency, combination.depth)
    return " · ".join(say(words[name]) for name, words in zip(names, PARTS.values(), strict=True))


@dataclass(frozen=True)
class Block:
    """All combinations of these."""

    budgets: tuple[Budget, ...]
    frequencies: tuple[Frequency, ...]
    depths: tuple[Depth, ...]

    def __contains__(self, one: Combination) -> bool:
        return one.budget in self.budgets and one.frequency in self.frequencies and one.depth in self.depths

    @property
    def words(self) -> str:
        return " · ".join(
            _listed(part, values)
            for part, values in zip(PARTS, (self.budgets, self.frequencies, self.depths), strict=True)
        )

    @property
    def names(self) -> str:
        """As programs name them: large · daily, weekly · domain."""
        return " · ".join(", ".join(part) for part in (self.budgets, self.frequencies, self.depths))


@dataclass(frozen=True)
class Group:
    """The combinations that are refused for one reason."""

    reason: str
    combinations: tuple[Combination, ...]

    @property
    def said(self) -> str:
        return said(self.reason)

    @property
    def keys(self) -> str:
        return " ".join(key_of(one) for one in self.combinations)

    @property
    def blocks(self) -> list[Block]:
        return blocks(self.combinations)


def said(reason: str) -> str:
    """A reason as readers are told it: those that came with Armarium in their language."""
    return say(reason)


def groups(refused: Mapping[Combination, str]) -> list[Group]:
    """By their reason, in the order of the combinations."""
    found: dict[str, list[Combination]] = {}
    for one in EVERYTHING:
        if one in refused:
            found.setdefault(refused[one], []).append(one)
    return [Group(reason, tuple(members)) for reason, members in found.items()]


def blocks(combinations: Iterable[Combination]) -> list[Block]:
    """Together they are these combinations, each once: alike rows are folded, then alike columns."""
    wanted = set(combinations)
    rows: dict[tuple[Budget, Frequency], tuple[Depth, ...]] = {}
    for budget, frequency in product(Budget, Frequency):
        depths = tuple(depth for depth in Depth if Combination(budget, frequency, depth) in wanted)
        if depths:
            rows[budget, frequency] = depths
    lines: dict[tuple[Budget, tuple[Depth, ...]], tuple[Frequency, ...]] = {}
    for (budget, frequency), depths in rows.items():
        lines[budget, depths] = (*lines.get((budget, depths), ()), frequency)
    folded: dict[tuple[tuple[Frequency, ...], tuple[Depth, ...]], tuple[Budget, ...]] = {}
    for (budget, depths), frequencies in lines.items():
        folded[frequencies, depths] = (*folded.get((frequencies, depths), ()), budget)
    return [Block(budgets, frequencies, depths) for (frequencies, depths), budgets in folded.items()]


def _listed(part: str, values: Sequence[str]) -> str:
    if len(values) == len(PARTS[part]):
        return say(EVERY[part])
    return ", ".join(say(PARTS[part][one]) for one in values)
