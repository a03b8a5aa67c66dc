"""Commands of bulk edits."""

from typing import Annotated, Any

import typer

from armarium.accounts.service import Accounts
from armarium.core.errors import NotFound, Refused
from armarium.languages.speech import say
from armarium.selection.bulk.forms import language_of, responsible_named
from armarium.selection.bulk.model import REFUSAL_TITLES, Bulk, BulkState, Changes, Verdict
from armarium.selection.bulk.service import BulkEdits
from armarium.selection.collections.model import Collection
from armarium.selection.collections.service import Collections
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.permissions import shell_editor
from armarium.selection.search.commands import Where, question_of
from armarium.terminal.groups import group
from armarium.terminal.output import show_one, show_rows
from armarium.terminal.session import Json, operator, service, session

bulk_commands = group("Bulk edits: many records changed at once.")

Number = Annotated[int, typer.Argument(help="The number of the bulk edit.", min=1)]
Words = Annotated[list[str] | None, typer.Option(help="Again for several.")]


def described(bulk: Bulk) -> dict[str, Any]:
    return {**vars(bulk), "changes": bulk.changes.document()}


def shown(bulk: Bulk, as_json: bool) -> None:
    return show_one(described(bulk), as_json)


@bulk_commands.command("edit")
def edit(
    context: typer.Context,
    where: Where = None,
    text: Annotated[str, typer.Option(help="Words in address, title, keywords or notes.")] = "",
    responsible: Annotated[str, typer.Option(help="The name of an account, or nobody.")] = "",
    collection: Annotated[str, typer.Option(help="Move to the collection of this name.")] = "",
    theme: Annotated[
        str, typer.Option(help="The theme's name; with --collection or in one collection.")
    ] = "",
    budget: Annotated[Budget | None, typer.Option(help="Another budget.")] = None,
    frequency: Annotated[Frequency | None, typer.Option(help="Another frequency.")] = None,
    depth: Annotated[Depth | None, typer.Option(help="Another depth.")] = None,
    language: Annotated[str, typer.Option(help="As a code; -: not known.")] = "",
    add_keyword: Words = None,
    remove_keyword: Words = None,
    active: Annotated[bool | None, typer.Option("--active/--inactive", help="Active or not.")] = None,
    content_notes: Annotated[str, typer.Option(help="Added below the notes that there are.")] = "",
    technical_notes: Annotated[str, typer.Option(help="Added below the notes that there are.")] = "",
    state: Annotated[RecordState | None, typer.Option(help="Decide about them.")] = None,
    reason: Annotated[str, typer.Option(help="Required when rejecting.")] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would change.")] = False,
    as_json: Json = False,
) -> None:
    """Change all records that a search finds; --dry-run only says what would change."""
    question = question_of(where, text)
    if not question.narrows:
        raise Refused("Say which records: --where or --text. All of them: --where edition_from=1.")
    with session(context).services() as services:
        chosen = _collection(services.get(Collections), collection)
        changes = Changes(
            collection=chosen.id if chosen else None,
            theme=_theme(services.get(Collections).all(), chosen, theme, question.collection),
            budget=budget,
            frequency=frequency,
            depth=depth,
            responsible=responsible_named(responsible, services.get(Accounts)),
            language=language_of(language),
            keywords_add=tuple(add_keyword or ()),
            keywords_remove=tuple(remove_keyword or ()),
            active=active,
            content_notes=content_notes,
            technical_notes=technical_notes,
            state=state,
            reason=reason,
        )
        bulk = services.get(BulkEdits)
        made = bulk.preview(shell_editor(operator()), question, changes)
        if made.state is BulkState.READY and not dry_run and made.changing:
            made = bulk.apply(shell_editor(operator()), made.id)
        if not as_json:
            _say_refused(bulk, made)
    return shown(made, as_json)


@bulk_commands.command("list")
def list_bulk_edits(context: typer.Context, as_json: Json = False) -> None:
    """List bulk edits, newest first."""
    with service(context, BulkEdits) as bulk:
        found, total = bulk.page(limit=1000)
    rows = ((one.id, one.made_at, one.actor, one.state.value, one.changed) for one in found)
    return show_rows(
        map(described, found),
        as_json,
        ("Number", "Created", "By", "State", "Changed"),
        rows,
        empty="No bulk edits.",
        noun="bulk edit",
        total=total,
    )


@bulk_commands.command("show")
def show(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Show one bulk edit."""
    with service(context, BulkEdits) as bulk:
        return shown(bulk.get(number), as_json)


@bulk_commands.command("apply")
def apply(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Do what a preview said."""
    with service(context, BulkEdits) as bulk:
        return shown(bulk.apply(shell_editor(operator()), number), as_json)


@bulk_commands.command("undo")
def undo(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Give the records back what stood there before."""
    with service(context, BulkEdits) as bulk:
        return shown(bulk.undo(shell_editor(operator()), number), as_json)


def _say_refused(bulk: BulkEdits, made: Bulk) -> None:
    for verdict, count, rows in bulk.groups(made.id, sample=3):
        typer.echo(
            f"{say(REFUSAL_TITLES[verdict])}: {count} ({', '.join(str(row.record) for row in rows)} …)",
            err=True,
        )
    for row in bulk.records(made.id, verdict=Verdict.CHANGE, limit=3):
        typer.echo(f"{row.record}  {row.address}  {dict(row.after)}", err=True)


def _collection(collections: Collections, name: str) -> Collection | None:
    return collections.named(name) if name else None


def _theme(
    known: list[Collection], chosen: Collection | None, name: str, asked: tuple[int | str, ...]
) -> int | None:
    if not name:
        return None
    among = {one.casefold() if isinstance(one, str) else one for one in asked}
    places = [one for one in known if not among or {one.id, one.name.casefold()} & among]
    places = [chosen] if chosen else places
    found = [theme for one in places if (theme := one.theme_named(name))]
    if len(found) != 1:
        raise NotFound(
            f"The theme {name} is in {len(found)} collections. Say which: --where collection=NAME."
        )
    return found[0].id
