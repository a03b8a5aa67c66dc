"""`armarium plan domains`: with what harvests brought home."""

from typing import Any

import typer

from armarium.languages.speech import byte_size
from armarium.planning.domains.commands import Name, domains_commands
from armarium.planning.domains.model import Configuration
from armarium.planning.domains.service import Domains
from armarium.planning.history.commands import show_history
from armarium.planning.history.queries import HistoryRow
from armarium.planning.history.service import History
from armarium.planning.labels import reason_title
from armarium.terminal.output import show_json, show_summary
from armarium.terminal.session import Json, session
from armarium.terminal.tables import ago, dated, plural

domains_commands.command("history")(show_history)


@domains_commands.command("show")
def show_domain(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show one domain with its configurations."""
    with session(context).services() as services:
        domains = services.get(Domains)
        found = domains.named(name)
        rows, total = services.get(History).of_domain(found.id, limit=1)
        configurations = domains.configurations.of(found.id)
        fields = {str(one.id): one.name for one in domains.fields()}
        alias_of = domains.get(found.alias_of).name if found.alias_of else None
    facts: dict[str, Any] = {**vars(found), "traps": list(found.traps)}
    if as_json:
        return show_json({**facts, "configurations": [vars(one) for one in configurations]})
    last = rows[0] if rows else None
    return show_summary(
        found.name,
        "harvested" if found.active else "not harvested",
        {
            "Alias of": alias_of,
            "Broad": "broad harvests take it" if found.broad else "broad harvests leave it out",
            "Last capture": dated(found.captured_at) if found.captured_at else "none yet",
            "Last job": _job_told(last) if last else None,
            "In all": f"{plural(total.objects, 'object')}, {byte_size(total.bytes)} "
            f"in {plural(total.results, 'job')}",
            "Configurations": "\n".join(
                _configured(one) + (", the default one" if one.id == found.default_configuration else "")
                for one in configurations
            ),
            "Traps": plural(len(found.traps), "expression") if found.traps else None,
            "Comments": found.comments,
            **{str(fields.get(key, key)): value for key, value in found.fields.items()},
            "Origin": f"{found.origin}, {ago(found.created_at)}",
        },
        below=f"Domain {found.id}",
        hints=[f"What each job brought: armarium plan domains history {found.name}"] if rows else [],
    )


def _job_told(row: HistoryRow) -> str:
    brought = f"{plural(row.objects or 0, 'object')}, {byte_size(row.bytes or 0)}"
    reason = f", {str(reason_title(row.stop_reason)).lower()}" if row.stop_reason else ""
    return f"{row.job} of {row.harvest_name}: {brought}{reason}"


def _configured(one: Configuration) -> str:
    objects = "any number of" if one.max_objects is None else f"{one.max_objects:,}"
    size = "any size" if one.max_bytes is None else byte_size(one.max_bytes)
    return f"{one.name} (profile {one.profile_name}, {objects} objects, {size})"
