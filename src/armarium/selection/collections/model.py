"""A collection, the matrix, and combinations told in few words. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from itertools import product

from armarium.core.entities import Described
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


# A collection, and the rules by which records are chosen in it


@dataclass(frozen=True)
class Theme:
    id: int
    collection: int
    name: str
    active: bool
    place: int


@dataclass(frozen=True)
class ThemeGiven:
    """A theme as somebody wants it; without a number it is the one of that name, or a new one."""

    name: str
    id: int | None = None
    active: bool = True


@dataclass(frozen=True)
class MemberChange:
    """Accounts to add by their names, to remove by their numbers; groups of a directory by their names."""

    add: tuple[str, ...] = ()
    remove: tuple[int, ...] = ()
    add_groups: tuple[str, ...] = ()
    remove_groups: tuple[str, ...] = ()


@dataclass(frozen=True)
class Choices:
    """What an administrator enters about a collection."""

    name: str
    description: str = ""
    active: bool = True
    budgets: tuple[Budget, ...] = tuple(Budget)
    frequencies: tuple[Frequency, ...] = tuple(Frequency)
    depths: tuple[Depth, ...] = tuple(Depth)
    default_budget: Budget = Budget.SMALL
    default_frequency: Frequency = Frequency.ANNUAL
    default_depth: Depth = Depth.HOST
    open_to_nominations: bool = False

    @property
    def usual(self) -> Combination:
        return Combination(self.default_budget, self.default_frequency, self.default_depth)

    def chosen(self, budget: Budget | None, frequency: Frequency | None, depth: Depth | None) -> Combination:
        """What was said, and what is usual where nothing was."""
        said = (
            budget or self.default_budget,
            frequency or self.default_frequency,
            depth or self.default_depth,
        )
        return Combination(*said)

    @property
    def offered(self) -> dict[str, tuple[str, ...]]:
        """The values of each part of a combination that may be chosen here."""
        return {"budget": self.budgets, "frequency": self.frequencies, "depth": self.depths}

    @property
    def offered_words(self) -> str:
        return Block(self.budgets, self.frequencies, self.depths).words


@dataclass(frozen=True)
class Collection(Choices, Described):
    id: int = 0
    default_theme: int | None = None
    created_at: datetime | None = None
    edition: int = 1
    themes: tuple[Theme, ...] = ()  # in their order, those no longer in use among them

    @property
    def active_themes(self) -> tuple[Theme, ...]:
        return tuple(theme for theme in self.themes if theme.active)

    @property
    def themes_given(self) -> tuple[ThemeGiven, ...]:
        """The themes as they are, to be given back with changes."""
        return tuple(ThemeGiven(theme.name, theme.id, theme.active) for theme in self.themes)

    def theme_named(self, name: str) -> Theme | None:
        folded = name.strip().casefold()
        return next((theme for theme in self.themes if theme.name.casefold() == folded), None)

    def theme(self, number: int) -> Theme | None:
        return next((theme for theme in self.themes if theme.id == number), None)

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        usual = self.theme(self.default_theme) if self.default_theme else None
        return {
            "name": self.name,
            "description": self.description,
            "active": self.active,
            "budgets": list(self.budgets),
            "frequencies": list(self.frequencies),
            "depths": list(self.depths),
            "default_budget": self.default_budget.value,
            "default_frequency": self.default_frequency.value,
            "default_depth": self.default_depth.value,
            "default_theme": usual.name if usual else None,
            "open_to_nominations": self.open_to_nominations,
            "themes": [theme.name for theme in self.active_themes],
        }


@dataclass(frozen=True)
class Matrix:
    """The combinations that make no sense or cost too much, each with the reason."""

    refused: Mapping[Combination, str] = field(default_factory=dict)

    def reason(self, combination: Combination) -> str | None:
        """Why it cannot be chosen; None: it can."""
        reason = self.refused.get(combination)
        return None if reason is None else said(reason)

    @property
    def ordered(self) -> list[tuple[Combination, str]]:
        """What is refused and why, in the order of the combinations."""
        return [(one, self.refused[one]) for one in EVERYTHING if one in self.refused]

    def allows(self, combination: Combination) -> bool:
        return combination not in self.refused

    @property
    def mark(self) -> str:
        """Another one when anything of it is another."""
        lines = sorted(f"{key_of(one)} {reason}" for one, reason in self.refused.items())
        return sha256("\n".join(lines).encode()).hexdigest()[:16]

    @property
    def groups(self) -> list[Group]:
        """What is refused, by its reason, as people are told it."""
        return groups(self.refused)

    @property
    def parts(self) -> Mapping[str, Mapping[str, Message]]:
        """All values of each part of a combination, with their words."""
        return PARTS
