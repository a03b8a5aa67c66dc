"""Commands for findings."""

from typing import Annotated, Any

import typer

from armarium.selection.findings.model import Finding, proposal_of, text_of
from armarium.selection.findings.service import Findings
from armarium.selection.findings.tables import FindingFilter
from armarium.selection.permissions import shell_editor
from armarium.terminal.groups import group
from armarium.terminal.output import show_rows
from armarium.terminal.session import Json, operator, service

findings_commands = group("Findings: what harvests and people observed.")

Number = Annotated[int, typer.Argument(help="The finding's number.", min=1)]


def described(one: Finding) -> dict[str, Any]:
    return {**vars(one), "facts": dict(one.facts), "text": text_of(one), "proposal": proposal_of(one)}


def shown(found: list[Finding], as_json: bool) -> None:
    rows = ((one.id, one.record, one.at, text_of(one), proposal_of(one), one.done) for one in found)
    return show_rows(
        map(described, found),
        as_json,
        ("Number", "Record", "When", "Finding", "Proposal", "Done"),
        rows,
        empty="No findings.",
        noun="finding",
    )


@findings_commands.command("list")
def list_findings(
    context: typer.Context,
    record: Annotated[int | None, typer.Option(help="Of this record only.", min=1)] = None,
    everything: Annotated[bool, typer.Option("--all", help="Closed ones as well.")] = False,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)] = 1000,
    as_json: Json = False,
) -> None:
    """List findings, open ones first."""
    with service(context, Findings) as findings:
        wanted = FindingFilter(record=record, done=None if everything else False)
        found, _ = findings.page(wanted, limit=limit)
    return shown(found, as_json)


@findings_commands.command("add")
def add_finding(
    context: typer.Context,
    record: Annotated[int, typer.Argument(help="The record's number.", min=1)],
    text: Annotated[str, typer.Argument(help="What was observed.")],
    proposal: Annotated[str, typer.Option(help="What should be done.")] = "",
    as_json: Json = False,
) -> None:
    """Note a finding about a record."""
    with service(context, Findings) as findings:
        made = findings.add(shell_editor(operator()), record, text, proposal)
    return shown([made], as_json)


@findings_commands.command("close")
def close_finding(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Close a finding that was dealt with."""
    with service(context, Findings) as findings:
        closed = findings.close(shell_editor(operator()), number)
    return shown([closed], as_json)


@findings_commands.command("accept")
def accept_finding(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Do what a finding proposes, and close it."""
    with service(context, Findings) as findings:
        closed = findings.accept(shell_editor(operator()), number)
    return shown([closed], as_json)
