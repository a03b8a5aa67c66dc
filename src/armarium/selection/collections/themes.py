"""The themes of a collection: their order, their names, which are in use. Pure.

A theme is never deleted, because records name it; renaming one renames it on all of them.
"""

from collections.abc import Sequence
from dataclasses import replace

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import Theme, ThemeGiven

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
            message("The usual theme must be one of the themes in use."),
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
