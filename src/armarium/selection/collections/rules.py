"""Settings offered in a collection, and its themes. Pure: collection and matrix are given."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.collections.model import (
    EVERYTHING,
    Choices,
    Matrix,
    Theme,
    ThemeGiven,
    in_words,
)
from armarium.selection.model import (
    BUDGETS,
    DEPTHS,
    FREQUENCIES,
    Budget,
    Combination,
    Depth,
    Frequency,
    checked_name,
)

LONGEST_TEXT = 10_000
LONGEST_GROUP = 500
LONGEST_REASON = 300
NEAREST = 3  # combinations that are named when one is refused


def checked(choices: Choices) -> Choices:
    """The choices with their texts trimmed, or a refusal that names the field."""
    name, description = checked_name(choices.name), choices.description.strip()
    if len(description) > LONGEST_TEXT:
        raise Refused(message("This text is too long."), field="description")
    for plural, usual in (
        ("budgets", "default_budget"),
        ("frequencies", "default_frequency"),
        ("depths", "default_depth"),
    ):
        allowed = getattr(choices, plural)
        if not allowed:
            raise Refused(message("Choose at least one."), field=plural)
        if getattr(choices, usual) not in allowed:
            raise Refused(message("The default must be one of the allowed values."), field=usual)
    return replace(choices, name=name, description=description)


def check_usual(choices: Choices, matrix: Matrix) -> None:
    """What is chosen unless somebody says otherwise must be possible."""
    reason = matrix.reason(choices.usual)
    if reason is not None:
        instead = "; ".join(in_words(one) for one in nearest(choices, matrix, choices.usual))
        raise Refused(
            message(
                "The default budget, frequency and depth are not allowed together: %(reason)s "
                "(Possible instead: %(instead)s.)",
                reason=reason,
                instead=instead or "–",
            ),
            field="default_budget",
        )


def checked_groups(groups: Iterable[str]) -> list[str]:
    """Names of groups as the directory writes them, trimmed at their ends only."""
    named = sorted({name for one in groups if (name := one.strip())})
    if any(len(name) > LONGEST_GROUP or not name.isprintable() for name in named):
        raise Refused(
            message("The name of a group has at most %(most)s printable characters.", most=LONGEST_GROUP),
            field="groups",
        )
    return named


def checked_reasons(refused: Mapping[Combination, str]) -> dict[Combination, str]:
    checked = {one: " ".join(reason.split()) for one, reason in refused.items()}
    for one, reason in checked.items():
        if not reason:
            raise Refused(
                message(
                    "Say why %(combination)s cannot be chosen: librarians will ask.",
                    combination=in_words(one),
                ),
                field="reason",
            )
        if len(reason) > LONGEST_REASON or not reason.isprintable():
            raise Refused(
                message("A reason has at most %(most)s characters.", most=LONGEST_REASON), field="reason"
            )
    return checked


def impossible(collection: Choices, matrix: Matrix, combination: Combination) -> str | None:
    """Why this combination cannot be chosen in this collection, in words; None: it can."""
    for allowed, value, words in (
        (collection.budgets, combination.budget, BUDGETS),
        (collection.frequencies, combination.frequency, FREQUENCIES),
        (collection.depths, combination.depth, DEPTHS),
    ):
        if value not in allowed:
            title = words[value]  # type: ignore[index]  # each table has the words of its own values
            return say(
                message(
                    "“%(choice)s” is not offered in the collection %(name)s.",
                    choice=say(title),
                    name=collection.name,
                )
            )
    return matrix.reason(combination)


def nearest(
    collection: Choices, matrix: Matrix, combination: Combination, most: int = NEAREST
) -> list[Combination]:
    """Those that can be chosen here instead: first those that differ in the fewest parts, and least."""
    possible = (one for one in EVERYTHING if impossible(collection, matrix, one) is None)
    return sorted(possible, key=lambda one: _distance(one, combination))[:most]


def check_combination(collection: Choices, matrix: Matrix, combination: Combination) -> None:
    reason = impossible(collection, matrix, combination)
    if reason is None:
        return
    instead = "; ".join(in_words(one) for one in nearest(collection, matrix, combination))
    if not instead:
        raise Refused(
            message("Budget, frequency and depth do not go together: %(reason)s", reason=reason),
            field="budget",
        )
    raise Refused(
        message(
            "Budget, frequency and depth do not go together: %(reason)s (Possible instead: %(instead)s.)",
            reason=reason,
            instead=instead,
        ),
        field="budget",
    )


def _distance(one: Combination, other: Combination) -> tuple[int, int]:
    places = (
        (list(Budget).index(one.budget), list(Budget).index(other.budget)),
        (list(Frequency).index(one.frequency), list(Frequency).index(other.frequency)),
        (list(Depth).index(one.depth), list(Depth).index(other.depth)),
    )
    return sum(a != b for a, b in places), sum(abs(a - b) for a, b in places)


# Themes: one is never deleted, because records name it; renaming one renames it on all of them.


LONGEST_THEME = 100
MOST_THEMES = 500


def arranged(known: Sequence[Theme], given: Sequence[ThemeGiven | str]) -> list[ThemeGiven]:
    """Every theme that the collection is to have, in order: those that are not given go out of use."""
    numbers = {theme.id for theme in known}
    by_name = {theme.name.casefold(): theme.id for theme in known}
    wanted: list[ThemeGiven] = []
    for one in given:
        theme = _trimmed(one)
        if not theme.name:
            continue
        if theme.id is None:
            theme = replace(theme, id=by_name.get(theme.name.casefold()))
        elif theme.id not in numbers:
            raise Refused(
                message("The collection has no theme with the number %(number)s.", number=theme.id),
                field="themes",
            )
        if theme not in wanted:
            wanted.append(theme)
    listed = {theme.id for theme in wanted}
    rest = [ThemeGiven(theme.name, theme.id, active=False) for theme in known if theme.id not in listed]
    _check(wanted + rest)
    return wanted + rest


def usual_of(themes: Sequence[ThemeGiven], name: str) -> ThemeGiven | None:
    """The theme that new records have; an empty name: none."""
    folded = " ".join(name.split()).casefold()
    if not folded:
        return None
    found = next((one for one in themes if one.active and one.name.casefold() == folded), None)
    if found is None:
        raise Refused(
            message("The default theme must be one of the themes in use."),
            field="default_theme",
        )
    return found


def _trimmed(given: ThemeGiven | str) -> ThemeGiven:
    theme = ThemeGiven(given) if isinstance(given, str) else given
    return replace(theme, name=" ".join(theme.name.split()))


def _check(themes: Sequence[ThemeGiven]) -> None:
    if not any(theme.active for theme in themes):
        raise Refused(
            message("A collection needs at least one theme in use: every record has one."), field="themes"
        )
    if len(themes) > MOST_THEMES or any(
        len(theme.name) > LONGEST_THEME or not theme.name.isprintable() for theme in themes
    ):
        raise Refused(
            message("At most %(most)s themes, of %(long)s characters.", most=MOST_THEMES, long=LONGEST_THEME),
            field="themes",
        )
    seen: set[str] = set()
    for theme in themes:
        if theme.name.casefold() in seen:
            raise Refused(
                message(
                    "There would be two themes named %(name)s. Give one of them another name: "
                    "those out of use count as well.",
                    name=theme.name,
                ),
                field="themes",
            )
        seen.add(theme.name.casefold())
