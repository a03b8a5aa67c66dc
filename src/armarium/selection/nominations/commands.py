"""Commands for nominations."""

from typing import Annotated, Any

import typer

from armarium.selection.collections.service import Collections
from armarium.selection.entry.service import Checks
from armarium.selection.model import Budget, Depth, Frequency
from armarium.selection.nominations.model import Nomination, NominationState
from armarium.selection.nominations.service import Nominations
from armarium.selection.permissions import shell_editor
from armarium.selection.records.model import Draft
from armarium.terminal.groups import group
from armarium.terminal.output import show_one, show_rows
from armarium.terminal.session import Json, operator, service, session

nominations_commands = group("Nominations: what readers and partners propose.")

Number = Annotated[int, typer.Argument(help="The nomination's number.", min=1)]
Answer = Annotated[str, typer.Option(help="Goes by mail to whoever nominated the site.")]


def described(nomination: Nomination) -> dict[str, Any]:
    return {
        "id": nomination.id,
        "at": nomination.at,
        **nomination.described(),
        "reason": nomination.reason,
        "name": nomination.name,
        "mail": nomination.mail,
    }


def shown(nomination: Nomination, as_json: bool) -> None:
    return show_one(described(nomination), as_json)


@nominations_commands.command("list")
def list_nominations(
    context: typer.Context,
    state: Annotated[NominationState | None, typer.Option(help="Only these.")] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)] = 1000,
    as_json: Json = False,
) -> None:
    """List nominations."""
    with service(context, Nominations) as nominations:
        found, total = nominations.page(shell_editor(operator()), state, limit=limit)
    rows = ((one.id, one.at, one.state.value, one.address, one.collection_name) for one in found)
    return show_rows(
        map(described, found),
        as_json,
        ("Number", "When", "State", "Address", "Collection"),
        rows,
        empty="No nominations.",
        noun="nomination",
        total=total,
    )


@nominations_commands.command("show")
def show_nomination(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Show one nomination."""
    with service(context, Nominations) as nominations:
        return shown(nominations.get(shell_editor(operator()), number), as_json)


@nominations_commands.command("accept")
def accept_nomination(
    context: typer.Context,
    number: Number,
    collection: Annotated[str, typer.Option(help="The collection's name.")],
    theme: Annotated[str, typer.Option(help="One of its themes; without it, the usual one.")] = "",
    budget: Annotated[Budget | None, typer.Option(help="Without it, the usual one.")] = None,
    frequency: Annotated[Frequency | None, typer.Option(help="Without it, the usual one.")] = None,
    depth: Annotated[Depth | None, typer.Option(help="Without it, the usual one.")] = None,
    answer: Answer = "",
    as_json: Json = False,
) -> None:
    """Create a record of a nomination."""
    with session(context).services() as services:
        nominations, editor = services.get(Nominations), shell_editor(operator())
        chosen = services.get(Collections).named(collection)
        named = chosen.theme_named(theme)
        nomination = nominations.get(editor, number)
        draft = Draft(
            chosen.id,
            nomination.address,
            named.id if named else 0 if theme else chosen.default_theme or 0,
            **vars(chosen.chosen(budget, frequency, depth)),
            title=nomination.title,
            content_notes=nomination.reason,
        )
        made = nominations.accept(editor, number, draft, answer=answer)
        services.get(Checks).see(editor, made)
        return shown(nominations.get(editor, number), as_json)


@nominations_commands.command("decline")
def decline_nomination(
    context: typer.Context, number: Number, answer: Answer = "", as_json: Json = False
) -> None:
    """Decline a nomination."""
    with service(context, Nominations) as nominations:
        return shown(nominations.decline(shell_editor(operator()), number, answer), as_json)
