"""Commands for audits: what the pages do, from a shell on the server."""

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated, Any

import typer

from armarium.core import clock
from armarium.languages.speech import byte_size
from armarium.storage.audits.model import Health, Run
from armarium.storage.audits.service import Audits
from armarium.storage.model import AuditKind, RunState
from armarium.storage.replicas.service import Replicas
from armarium.terminal.groups import group
from armarium.terminal.output import show_columns, show_json, show_summary, show_table
from armarium.terminal.progress import look_again, progress
from armarium.terminal.session import Json, operator, service, session
from armarium.terminal.tables import ago, dated, plural

audits_commands = group("Audits: is every copy there, and what it was.")

NumberOf = Annotated[int, typer.Argument(help="The number of the audit.", min=1)]


def described(run: Run) -> dict[str, Any]:
    facts = asdict(run)
    facts |= {"kind": run.kind.value, "state": run.state.value, "replica": run.replica_name}
    facts["share"] = round(run.share(), 4)
    facts["expected_end"] = run.expected_end(clock.now())
    return {name: value for name, value in facts.items() if name not in {"replica_name", "cursor"}}


def shown(run: Run, as_json: bool) -> None:
    return show_json(described(run)) if as_json else show_audit_summary(run)


def show_audit_summary(run: Run) -> None:
    bad = run.missing + run.corrupt
    open_still = run.ended_at is None
    end = run.expected_end(clock.now())
    show_summary(
        f"Audit {run.id} of {run.replica_name}",
        run.state.value,
        {
            "Kind": run.kind.value,
            "Checked": f"{run.files:,} of {plural(run.files_total, 'file')}, {byte_size(run.bytes)}",
            "Found": f"{run.missing} missing, {run.corrupt} corrupt" if bad else "every copy well",
            "Strange": plural(run.strange, "object") if run.strange else None,
            "Ends": dated(end) if open_still and end else None,
            "Ended": dated(run.ended_at) if run.ended_at else None,
            "Asked": f"{ago(run.asked_at)} by {run.asked_by or 'the calendar'}",
        },
        hints=["Mend damaged copies: armarium store repairs list --waiting"] if bad else [],
    )


@audits_commands.command("health")
def show_health(context: typer.Context, as_json: Json = False) -> None:
    """Show how every replica is, and when its bytes were last read. Exits with 1 if not all is well."""
    with service(context, Audits) as audits:
        found = audits.health()
    if as_json:
        show_json([health_facts(one) for one in found])
    else:
        show_health_table(found)
    if not all(one.well for one in found):
        raise typer.Exit(1)


def show_health_table(found: list[Health]) -> None:
    columns = ("Replica", "Well", "Files", "Size", "Damaged", "Read in 90 days", "Oldest check", "Listed")
    rows = (
        (
            one.name,
            one.well,
            one.files,
            byte_size(one.bytes),
            one.damaged,
            f"{100 * one.share_recent:.1f} %",
            one.oldest_check,
            one.last_presence,
        )
        for one in found
    )
    return show_table(columns, rows, empty="There is no replica.")


def health_facts(health: Health) -> dict[str, Any]:
    return {**asdict(health), "well": health.well, "share_recent": health.share_recent}


@audits_commands.command("list")
def list_audits(
    context: typer.Context,
    state: Annotated[RunState | None, typer.Option(help="Only those in this state.")] = None,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)] = 50,
    as_json: Json = False,
) -> None:
    """List audits, the last first."""
    with service(context, Audits) as audits:
        found, total = audits.page(state=state, limit=limit)
    facts = [described(run) for run in found]
    columns = {"Number": "id", "Replica": "replica", "Kind": "kind", "State": "state", "Files": "files"}
    columns |= {
        "Missing": "missing",
        "Corrupt": "corrupt",
        "Strange": "strange",
        "Asked": "asked_at",
    }
    return show_columns(facts, as_json, columns, empty="No audit fits.", noun="audit", total=total)


@audits_commands.command("start")
def start_audit(
    context: typer.Context,
    replica: Annotated[str, typer.Argument(help="The name of the replica.")],
    kind: Annotated[AuditKind, typer.Option(help="Names and sizes, or every byte.")] = AuditKind.CHECKSUM,
    older_days: Annotated[
        int | None, typer.Option(help="Only copies that were not read for so many days.", min=0)
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Wait for the end, and show how far it is.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Start an audit of a replica. A worker carries it out.

    Example: armarium store audits start one --follow
    """
    older_than = None if older_days is None else clock.now() - timedelta(days=older_days)
    with session(context).services() as services:
        audits = services.get(Audits)
        number = audits.start(operator(), services.get(Replicas).named(replica).id, kind, older_than)
        run = audits.get(number)
        with progress(f"Audit of {replica}", quiet=as_json) as told:
            while follow and run.ended_at is None:
                told(run.files, run.files_total, f"{run.missing} missing, {run.corrupt} corrupt")
                look_again()
                run = audits.get(number)
        shown(run, as_json)


@audits_commands.command("show")
def show_audit(context: typer.Context, number: NumberOf, as_json: Json = False) -> None:
    """Show an audit, with the damage and the strange objects that it found."""
    with service(context, Audits) as audits:
        run = audits.get(number)
        found, _ = audits.damages(run, limit=1000)
        strangers = [str(one.details["name"]) for one in audits.strangers(run, limit=1000)]
    damages = [{**asdict(check), "kind": check.kind.value, "outcome": check.outcome.value} for check in found]
    if as_json:
        return show_json({**described(run), "damages": damages, "strangers": strangers})
    show_audit_summary(run)
    if strangers:
        show_table(("Strange objects",), ([one] for one in strangers))
    columns = ("File", "Outcome", "Found", "At")
    keys = ("file_name", "outcome", "found", "at")
    return show_table(columns, ([one[key] for key in keys] for one in damages), empty="It found no damage.")


@audits_commands.command("cancel")
def cancel_audit(context: typer.Context, number: NumberOf, as_json: Json = False) -> None:
    """Cancel an audit. What it found so far stays."""
    with service(context, Audits) as audits:
        shown(audits.cancel(operator(), number), as_json)
