"""`armarium reading statistics`: figures of use, from a shell."""

from datetime import date, datetime
from typing import Annotated

import typer

from armarium.access.statistics.api import shown
from armarium.access.statistics.service import Statistics
from armarium.terminal.output import say, show_json, show_table
from armarium.terminal.session import Json, session

statistics_commands = typer.Typer(help="How much is read; nothing says who.", invoke_without_command=True)


@statistics_commands.callback()
def statistics(
    context: typer.Context,
    since: Annotated[
        datetime | None, typer.Option("--from", formats=["%Y-%m-%d"], help="First day; usually 30 days ago.")
    ] = None,
    until: Annotated[
        datetime | None, typer.Option("--to", formats=["%Y-%m-%d"], help="Last day; usually today.")
    ] = None,
    collection: Annotated[str, typer.Option(help="Only of this collection.")] = "",
    monthly: Annotated[bool, typer.Option("--monthly", help="By months instead of days.")] = False,
    as_json: Json = False,
) -> None:
    """Show how much was read, by day, kind, collection and network, and the sites read most."""
    with session(context).services() as services:
        service = services.get(Statistics)
        question = service.question(
            _day(since), _day(until), collection=collection, monthly=True if monthly else None
        )
        found = shown(service.report(question))
    if as_json:
        return show_json(found.model_dump(mode="json"))
    rows = [(str(one.begin), one.visits, one.pages, one.refused) for one in found.over_time]
    columns = ("Begin", "Visits", "Pages shown", "Missing or restricted")
    show_table(columns, (row for row in rows if any(row[1:])), empty="Nothing was read.")
    for title, figures in (
        ("Kinds", found.kinds),
        ("Collections", found.collections),
        ("Networks", found.networks),
    ):
        say("")
        show_table(
            (title, "Times", "Bytes"), ((one.name or "elsewhere", one.times, one.bytes) for one in figures)
        )
    say("")
    show_table(("Domains", "Times"), ((one.name, one.times) for one in found.domains))
    return None


def _day(moment: datetime | None) -> date | None:
    return moment.date() if moment else None
