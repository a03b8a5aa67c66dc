"""Commands for collections."""

from dataclasses import replace
from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.collections.model import Choices, Collection, MemberChange, ThemeGiven
from armarium.selection.collections.queries import NOTHING, Figures
from armarium.selection.collections.service import Collections
from armarium.selection.model import Budget, Depth, Frequency
from armarium.terminal.groups import group
from armarium.terminal.output import show_json, show_summary, show_table
from armarium.terminal.session import Json, operator, service

collections_commands = group("Collections: what may be chosen, by whom.", old_names={"change": "edit"})

Name = Annotated[str, typer.Argument(help="Name of the collection.")]
Description = Annotated[str | None, typer.Option(help="What belongs in it.")]
Budgets = Annotated[list[Budget] | None, typer.Option("--budget", help="A budget that may be chosen.")]
Frequencies = Annotated[
    list[Frequency] | None, typer.Option("--frequency", help="A frequency that may be chosen.")
]
Depths = Annotated[list[Depth] | None, typer.Option("--depth", help="A depth that may be chosen.")]
UsualBudget = Annotated[Budget | None, typer.Option(help="The budget of new records.")]
UsualFrequency = Annotated[Frequency | None, typer.Option(help="The frequency of new records.")]
UsualDepth = Annotated[Depth | None, typer.Option(help="The depth of new records.")]
Nominations = Annotated[
    bool | None, typer.Option("--nominations/--no-nominations", help="Whether the public may propose sites.")
]


USUAL = ("default_theme", "default_budget", "default_frequency", "default_depth")


def described(collection: Collection, figures: Figures = NOTHING) -> dict[str, Any]:
    usual = collection.described()
    usual["themes"] = [
        {"id": theme.id, "name": theme.name, "active": theme.active} for theme in collection.themes
    ]
    counted = {
        name: getattr(figures, name) for name in ("records", "proposed", "validated", "refused", "inactive")
    }
    return {"id": collection.id, **usual, "edition": collection.edition, "figures": counted}


def shown(collection: Collection, as_json: bool, figures: Figures = NOTHING) -> None:
    if as_json:
        return show_json(described(collection, figures))
    facts = collection.described()
    themes = [theme.name if theme.active else f"{theme.name} (out of use)" for theme in collection.themes]
    counts = {name: getattr(figures, name) for name in ("validated", "proposed", "refused", "inactive")}
    counted = [f"{count:,} {name}" for name, count in counts.items() if count]
    waiting = f"armarium select records list -w state=proposed -w collection={collection.id}"
    return show_summary(
        collection.name,
        "in use" if collection.active else "not in use",
        {
            "Description": collection.description,
            "Records": f"{figures.records:,}" + (f": {', '.join(counted)}" if counted else ""),
            "Themes": themes,
            "New records": [facts[name] for name in USUAL if facts.get(name)],
            "Budgets": collection.budgets,
            "Frequencies": collection.frequencies,
            "Depths": collection.depths,
            "Nominations": "open to the public" if collection.open_to_nominations else "closed",
        },
        below=f"Collection {collection.id}",
        hints=[f"Decide about what is proposed: {waiting}"] if figures.proposed else [],
    )


@collections_commands.command("list")
def list_collections(context: typer.Context, as_json: Json = False) -> None:
    """List collections."""
    with service(context, Collections) as collections:
        found, figures = collections.all(), collections.figures()
    rows = [(one, figures.get(one.id, NOTHING)) for one in found]
    if as_json:
        return show_json([described(one, counted) for one, counted in rows])
    return show_table(
        ("Name", "Records", "Validated", "Proposed", "Refused", "Members", "Active"),
        (
            (
                one.name,
                counted.records,
                counted.validated,
                counted.proposed,
                counted.refused,
                counted.members,
                one.active,
            )
            for one, counted in rows
        ),
        empty="No collections.",
        noun="collection",
    )


@collections_commands.command("show")
def show_collection(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show a collection, its themes and what may be chosen in it."""
    with service(context, Collections) as collections:
        found = collections.named(name)
        return shown(found, as_json, collections.figures_of(found.id)[0])


@collections_commands.command("add")
def add_collection(
    context: typer.Context,
    name: Name,
    theme: Annotated[list[str], typer.Option(help="A theme; give several by repeating it.")],
    usual_theme: Annotated[str, typer.Option(help="The theme of new records, one of them.")] = "",
    description: Description = None,
    budgets: Budgets = None,
    frequencies: Frequencies = None,
    depths: Depths = None,
    usual_budget: UsualBudget = None,
    usual_frequency: UsualFrequency = None,
    usual_depth: UsualDepth = None,
    nominations: Nominations = None,
    as_json: Json = False,
) -> None:
    """Create a collection."""
    said = _said(
        description=description,
        budgets=budgets,
        frequencies=frequencies,
        depths=depths,
        default_budget=usual_budget,
        default_frequency=usual_frequency,
        default_depth=usual_depth,
        open_to_nominations=nominations,
    )
    with service(context, Collections) as collections:
        choices = replace(Choices(name), **said)
        made = collections.create(operator(), choices, themes=theme, default_theme=usual_theme)
        return shown(made, as_json)


@collections_commands.command("edit")
def change_collection(
    context: typer.Context,
    name: Name,
    rename: Annotated[str | None, typer.Option(help="Another name.")] = None,
    active: Annotated[
        bool | None, typer.Option("--active/--inactive", help="Whether it takes records.")
    ] = None,
    description: Description = None,
    budgets: Budgets = None,
    frequencies: Frequencies = None,
    depths: Depths = None,
    usual_budget: UsualBudget = None,
    usual_frequency: UsualFrequency = None,
    usual_depth: UsualDepth = None,
    nominations: Nominations = None,
    as_json: Json = False,
) -> None:
    """Change what may be chosen in a collection; what is not said stays."""
    said = _said(
        name=rename,
        active=active,
        description=description,
        budgets=budgets,
        frequencies=frequencies,
        depths=depths,
        default_budget=usual_budget,
        default_frequency=usual_frequency,
        default_depth=usual_depth,
        open_to_nominations=nominations,
    )
    with service(context, Collections) as collections:
        before = collections.named(name)
        made = collections.change(operator(), before.id, replace(before, **said), seen=before.edition)
        return shown(made, as_json, collections.figures_of(made.id)[0])


@collections_commands.command("themes")
def change_themes(
    context: typer.Context,
    name: Name,
    add: Annotated[list[str] | None, typer.Option(help="A new theme, or one to take into use again.")] = None,
    rename: Annotated[list[str] | None, typer.Option(help="A theme and its new name: Old=New.")] = None,
    retire: Annotated[list[str] | None, typer.Option(help="A theme to take out of use.")] = None,
    first: Annotated[
        list[str] | None, typer.Option(help="A theme that comes before the others; several in their order.")
    ] = None,
    usual: Annotated[str | None, typer.Option(help="The theme of new records; empty: none.")] = None,
    as_json: Json = False,
) -> None:
    """List the themes of a collection, or change them; records keep theirs, renamed if it is renamed."""
    with service(context, Collections) as collections:
        found = collections.named(name)
        if any(one is not None for one in (add, rename, retire, first, usual)):
            themes = rearranged(found, add or [], rename or [], retire or [], first or [])
            found = collections.change(
                operator(), found.id, found, themes=themes, default_theme=usual, seen=found.edition
            )
        counts = collections.figures_of(found.id)[1]
    rows = [(theme, counts.get(theme.id, 0)) for theme in found.themes]
    if as_json:
        return show_json(
            [
                {
                    "id": theme.id,
                    "name": theme.name,
                    "active": theme.active,
                    "usual": theme.id == found.default_theme,
                    "records": count,
                }
                for theme, count in rows
            ]
        )
    return show_table(
        ("Theme", "Records", "In use", "Usual"),
        ((theme.name, count, theme.active, theme.id == found.default_theme) for theme, count in rows),
    )


def rearranged(
    found: Collection, add: list[str], rename: list[str], retire: list[str], first: list[str]
) -> list[ThemeGiven]:
    themes = {theme.id: ThemeGiven(theme.name, theme.id, theme.active) for theme in found.themes}

    def named(text: str) -> ThemeGiven:
        known = found.theme_named(text)
        if known is None:
            raise Refused(
                message("The collection %(name)s has no theme named %(theme)s.", name=found.name, theme=text),
                field="themes",
            )
        return themes[known.id]

    before = [named(one).id for one in first]
    for one in retire:
        theme = named(one)
        themes[theme.id or 0] = replace(theme, active=False)
    for line in rename:
        old, _, new = line.partition("=")
        theme = named(old)
        themes[theme.id or 0] = replace(theme, name=new.strip() or theme.name)
    fresh = []
    for one in add:
        known = found.theme_named(one)
        if known is None:
            fresh.append(ThemeGiven(one))
        else:
            themes[known.id] = replace(themes[known.id], active=True)
    ordered = sorted(
        themes.values(), key=lambda one: before.index(one.id) if one.id in before else len(before)
    )
    return [*ordered, *fresh]


@collections_commands.command("members")
def change_members(
    context: typer.Context,
    name: Name,
    add: Annotated[list[str] | None, typer.Option(help="Name of an account.")] = None,
    remove: Annotated[list[str] | None, typer.Option(help="Name of an account.")] = None,
    add_group: Annotated[list[str] | None, typer.Option(help="A group, as the directory names it.")] = None,
    remove_group: Annotated[list[str] | None, typer.Option(help="A group.")] = None,
    as_json: Json = False,
) -> None:
    """List the members of a collection, or change them."""
    with service(context, Collections) as collections:
        found = collections.named(name)
        numbers = {account.lower(): number for number, account, _ in collections.members(found.id)}
        for one in remove or []:
            if one.lower() not in numbers:
                raise Refused(message("%(account)s is no member of %(name)s.", account=one, name=found.name))
        change = MemberChange(
            add=tuple(add or ()),
            remove=tuple(numbers[one.lower()] for one in remove or ()),
            add_groups=tuple(add_group or ()),
            remove_groups=tuple(remove_group or ()),
        )
        collections.change_members(operator(), found.id, change)
        people, groups = collections.members(found.id), collections.member_groups(found.id)
    if as_json:
        return show_json({"accounts": [account for _, account, _ in people], "groups": groups})
    rows = [("account", account, full) for _, account, full in people] + [
        ("group", one, "") for one in groups
    ]
    return show_table(("Kind", "Name", "Full name"), rows, empty="No members.", noun="member")


def _said(**values: Any) -> dict[str, Any]:
    """Those that were typed; lists in the order in which people know them."""
    kinds: dict[str, Any] = {"budgets": Budget, "frequencies": Frequency, "depths": Depth}
    return {
        name: tuple(one for one in kinds[name] if one in value) if name in kinds else value
        for name, value in values.items()
        if value is not None and value != []
    }
