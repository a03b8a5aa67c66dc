"""`armarium index lookup`: captures, from a shell."""

from typing import Annotated

import typer

from armarium.formats.cdx.query import Match
from armarium.index.captures.api import shown
from armarium.index.captures.parsing import Asked
from armarium.index.chain.model import MAIN
from armarium.index.chain.service import Chain
from armarium.terminal.output import say, show_json, show_table
from armarium.terminal.session import Json, service

lookup_commands = typer.Typer()

MatchOption = Annotated[
    Match,
    typer.Option("--match", help="exact, prefix, host or domain; also by asterisks: prefix*, *.domain."),
]
From = Annotated[str, typer.Option("--from", help="Captures from then on: 2026, 2026-01-31, 20260131120000.")]
To = Annotated[str, typer.Option(help="Captures until then, included.")]
CollectionOption = Annotated[str, typer.Option(help="The collection to look into.")]


@lookup_commands.command("lookup")
def look_up(
    context: typer.Context,
    url: Annotated[str, typer.Argument(help="The address.")],
    match: MatchOption = Match.EXACT,
    from_: From = "",
    to: To = "",
    closest: Annotated[str, typer.Option(help="The nearest to this moment first.")] = "",
    status: Annotated[str, typer.Option(help="Only captures with this status: 404, or 4xx.")] = "",
    mime: Annotated[str, typer.Option(help="Only captures with this in their type.")] = "",
    newest: Annotated[bool, typer.Option(help="Newest first.")] = False,
    collection: CollectionOption = MAIN,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=1_000_000)] = 1000,
    resume: Annotated[str, typer.Option(help="Go on where an answer ended.")] = "",
    as_json: Json = False,
) -> None:
    """Look captures up by address and time. Exit code 1: there is none.

    Example: armarium index lookup 'example.org/news/*' --from 2025 --status 200
    """
    asked = Asked(url, match, from_, to, closest, status, mime, newest, resume)
    with service(context, Chain) as chain:
        chain.collections.named(collection)
        found = chain.lookup(collection).search(asked.query(limit))
    if as_json:
        items = [shown(line).model_dump(mode="json") for line in found.lines]
        show_json({"items": items, "resume": found.resume})
    else:
        columns = ("Time", "Status", "Type", "Address", "File", "Offset")
        rows = (
            (line.timestamp, line.text("status"), line.mime, line.url, line.filename, line.offset)
            for line in found.lines
        )
        show_table(columns, rows, empty="No capture fits.")
        if found.resume:
            say(f"There may be more: --resume '{found.resume}'")
    if not found.lines:
        raise typer.Exit(1)
