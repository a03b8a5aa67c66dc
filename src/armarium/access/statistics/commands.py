"""`armarium reading statistics`: figures of use, from a shell."""

from datetime import date, datetime
from typing import Annotated

import typer

from armarium.access.statistics.model import shown
from armarium.access.statistics.service import Statistics
from armarium.terminal.output import say, show_json, show_table
from armarium.terminal.session import Json, service


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
    with service(context, Statistics) as figures:
        question = figures.question(
            _day(since), _day(until), collection=collection, monthly=True if monthly else None
        )
        found = shown(figures.report(question))
    if as_json:
        return show_json(found.model_dump(mode="json"))
    days = [(str(one.begin), one.visits, one.pages, one.refused) for one in found.over_time]
    columns = ("Begin", "Visits", "Pages shown", "Missing or restricted")
    show_table(columns, (day for day in days if any(day[1:])), empty="Nothing was read.")
    tables = {"Kinds": found.kinds, "Collections": found.collections, "Networks": found.networks}
    for title, table in tables.items():
        say("")
        rows = ((one.name or "elsewhere", one.times, one.bytes) for one in table)
        show_table((title, "Times", "Bytes"), rows)
    say("")
    show_table(("Domains", "Times"), ((one.name, one.times) for one in found.domains))
    return None


def _day(moment: datetime | None) -> date | None:
    return moment.date() if moment else None
