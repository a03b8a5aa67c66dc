"""Commands for the legal scope of records."""

from typing import Annotated, Any

import typer

from armarium.selection.legal.model import Criterion, ScopeNote
from armarium.selection.legal.service import LegalScope
from armarium.selection.permissions import shell_editor
from armarium.terminal.groups import group
from armarium.terminal.output import show_rows
from armarium.terminal.session import Json, operator, service

scope_commands = group("Legal scope of records: notes and evidence.")

Number = Annotated[int, typer.Argument(help="The record's number.", min=1)]


def described(note: ScopeNote) -> dict[str, Any]:
    return {**vars(note), "criterion": note.criterion.value, "evidence": dict(note.evidence)}


def shown(notes: list[ScopeNote], as_json: bool) -> None:
    rows = ((one.at, one.criterion.value, one.meets, one.text, one.author) for one in notes)
    return show_rows(
        map(described, notes), as_json, ("When", "Criterion", "Met", "Text", "By"), rows, empty="No notes."
    )


@scope_commands.command("show")
def show_notes(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Show what was found about a record."""
    with service(context, LegalScope) as scope:
        return shown(scope.notes(number), as_json)


@scope_commands.command("note")
def add_note(
    context: typer.Context,
    number: Number,
    criterion: Annotated[Criterion, typer.Option(help="Which criterion was looked at.")],
    text: Annotated[str, typer.Option(help="What was found, and where.")],
    meets: Annotated[bool, typer.Option("--met/--not-met", help="Whether the site meets it.")] = True,
    as_json: Json = False,
) -> None:
    """Add a note; it can never be changed."""
    with service(context, LegalScope) as scope:
        made = scope.note(shell_editor(operator()), number, criterion, meets, text)
    return shown([made], as_json)


@scope_commands.command("gather")
def gather(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Keep what name and servers say at this moment."""
    with service(context, LegalScope) as scope:
        made = scope.gather(shell_editor(operator()), number)
    return shown(made, as_json)
