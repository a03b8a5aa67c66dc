"""`armarium reading rules import` and `export`: rules in files."""

from pathlib import Path
from typing import Annotated

import typer

from armarium.access.policy.model import Audience
from armarium.access.rules import aclj, exchange
from armarium.access.rules.commands import audience_of, rules_commands
from armarium.access.rules.service import Rules
from armarium.accounts.model import Role
from armarium.core.errors import Refused
from armarium.core.services import Services
from armarium.terminal.output import complain, say, show_json, show_table, write
from armarium.terminal.session import Json, operator, session

__all__ = ["rules_commands"]

File = Annotated[Path, typer.Argument(help="A file of rules: JSON, or an access list of pywb (.aclj).")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")]


@rules_commands.command("import")
def import_rules(
    context: typer.Context,
    file: File,
    user: Annotated[
        list[str] | None,
        typer.Option(
            help="Who a user of an .aclj is: NAME=accredited, role:…, network:… or account:…; repeatable."
        ),
    ] = None,
    dry_run: DryRun = False,
    as_json: Json = False,
) -> None:
    """Take rules from a file, all or none. Those that are there already are passed over."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{file} cannot be read: {error}.") from error
    with session(context).services() as services:
        found = exchange.read(text, dict(user_in(services, one) for one in user or ()))
        rules = services.get(Rules)
        fresh = exchange.new_ones(found.terms, rules.not_ended())
        made = [] if dry_run or found.problems else rules.add_all(operator(), fresh)
    tell_import(found, len(fresh), len(made), as_json)
    if found.problems:
        raise Refused(f"{found.problems} lines of {file} cannot be rules here, so none was taken.")


def tell_import(found: exchange.Read, fresh: int, made: int, as_json: bool) -> None:
    remarks = [(one.line, "problem" if one.problem else "note", str(one.text)) for one in found.remarks]
    if as_json:
        told = [{"line": line, "kind": kind, "text": text} for line, kind, text in remarks]
        return show_json({"rules": len(found.terms), "new": fresh, "made": made, "remarks": told})
    if remarks:
        show_table(("Line", "Kind", "What"), remarks)
    return say(f"{len(found.terms)} rules in the file, {fresh} of them new, {made} made.")


def user_in(services: Services, text: str) -> tuple[str, Audience]:
    name, equals, who = text.partition("=")
    kind, _, which = who.partition(":")
    if not name or not equals or kind not in ("accredited", "role", "network", "account"):
        raise Refused(f"“{text}” says of no user who it is: write NAME=accredited, or NAME=role:reader.")
    if kind == "role" and which not in set(Role):
        raise Refused(f"There is no role {which}.")
    roles = [Role(which)] if kind == "role" else None
    networks, accounts = [which] if kind == "network" else None, [which] if kind == "account" else None
    return name, audience_of(services, kind == "accredited", roles, networks, accounts)


@rules_commands.command("export")
def export_rules(
    context: typer.Context,
    as_aclj: Annotated[
        bool, typer.Option("--aclj", help="As an access list of pywb, instead of JSON.")
    ] = False,
) -> None:
    """Write all rules that have not ended. Those that pywb cannot say are named on standard error."""
    with session(context).services() as services:
        found = sorted(services.get(Rules).not_ended(), key=lambda one: one.id)
    if not as_aclj:
        return write(exchange.as_json(found))
    text, left_out = aclj.written(found)
    write(text)
    for rule in left_out:
        complain(f"Rule {rule.id} ({rule.terms.effect.value} {rule.terms.pattern}) cannot be said there.")
    if left_out:
        raise typer.Exit(1)
    return None
