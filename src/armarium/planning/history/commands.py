"""`armarium plan domains history`."""

from dataclasses import asdict
from typing import Annotated

import typer

from armarium.languages.speech import byte_size
from armarium.planning.history.service import History
from armarium.planning.jobs.commands import Most
from armarium.terminal.output import show_json, show_table
from armarium.terminal.session import Json, service


def show_history(
    context: typer.Context,
    domain: Annotated[str, typer.Argument(help="Name of a domain.")],
    most: Most = 50,
    as_json: Json = False,
) -> None:
    """Show what jobs collected for a domain."""
    with service(context, History) as history:
        rows, total = history.of_domain(history.domain_named(domain).id, limit=most)
    if as_json:
        return show_json({"items": [asdict(row) for row in rows], "total": asdict(total)})
    columns = ("Job", "State", "Harvest", "Configuration", "Objects", "Size", "Reason", "Ended")
    lines = [
        (r.job, r.state, r.harvest_name, r.name, r.objects, byte_size(r.bytes), r.stop_reason, r.ended_at)
        for r in rows
    ]
    return show_table(columns, lines, empty="Never harvested.")
