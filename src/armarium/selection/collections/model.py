"""A collection, and the rules by which records are chosen in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256

from armarium.core.entities import Described
from armarium.core.message import Message
from armarium.selection.collections.combinations import PARTS, Block, Group, groups, key_of, said
from armarium.selection.model import Budget, Combination, Depth, Frequency


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
