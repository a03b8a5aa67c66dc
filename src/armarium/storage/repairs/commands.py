"""Commands for repairs: what the pages do, from a shell on the server."""

from typing import Annotated, Any

import typer

from armarium.storage.model import RepairState
from armarium.storage.repairs.model import Repair, Wanted
from armarium.storage.repairs.service import Repairs, choices, likely
from armarium.terminal.output import say, show_facts, show_json, show_table
from armarium.terminal.session import Json, operator, session

repairs_commands = typer.Typer(
    no_args_is_help=True, help="Repairs: damaged copies, and what waits for people."
)

NumberOf = Annotated[int, typer.Argument(help="The number of the repair.", min=1)]
Why = Annotated[str, typer.Option("--reason", "--why", help="The reason, for those who read it later.")]


def described(repair: Repair) -> dict[str, Any]:
    return {
        "id": repair.id,
        "file": repair.file_name,
        "replica": repair.replica_name,
        "state": repair.state.value,
        "reason": repair.reason.value,
        "good_sha256": repair.good_sha256,
        "bad_sha256": repair.bad_sha256,
        "aside": repair.aside,
        "approved_by": [one.name for one in repair.approvals],
        "decided_by": repair.decided_by,
        "attempts": repair.attempts,
        "error": repair.error,
        "proposed_at": repair.proposed_at,
        "ended_at": repair.ended_at,
    }


def shown(repair: Repair, as_json: bool) -> None:
    return show_json(described(repair)) if as_json else show_facts(described(repair))


@repairs_commands.command("list")
def list_repairs(
    context: typer.Context,
    state: Annotated[RepairState | None, typer.Option(help="Only those in this state.")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only those that wait for a person.")] = False,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)] = 100,
    as_json: Json = False,
) -> None:
    """List repairs, the last first."""
    with session(context).services() as services:
        found, _ = services.get(Repairs).page(Wanted(state=state, waiting=waiting), limit=limit)
    facts = [described(one) for one in found]
    if as_json:
        return show_json(facts)
    keys = ("id", "file", "replica", "reason", "state", "proposed_at", "ended_at")
    columns = ("Number", "File", "Replica", "Reason", "State", "Found", "Ended")
    return show_table(columns, ([one[key] for key in keys] for one in facts), empty="No repair fits.")


@repairs_commands.command("show")
def show_repair(context: typer.Context, number: NumberOf, as_json: Json = False) -> None:
    """Show a repair with the votes of the replicas."""
    with session(context).services() as services:
        repair = services.get(Repairs).get(number)
        retired = services.get(Repairs).retired_holders(repair)
    ballot = repair.ballot.facts() if repair.ballot else {}
    if as_json:
        return show_json({**described(repair), "votes": ballot})
    show_facts(described(repair))
    if not repair.ballot:
        return None
    rows: list[tuple[object, ...]] = []
    if repair.ballot.register:
        rows.append(("register", repair.ballot.register, "", None))
    rows += [(vote.replica, vote.sha256, vote.outcome.value, vote.at) for vote in repair.ballot.votes]
    show_table(("Voter", "SHA-256", "Outcome", "Asked"), rows)
    if repair.state is RepairState.UNDECIDED:
        tell_choices(repair, retired)
    return None


def tell_choices(repair: Repair, retired: list[str]) -> None:
    rows = [
        (sha256, holders, "likely: the register or a witness says so" if sha256 == likely(repair) else "")
        for sha256, holders in choices(repair)
    ]
    show_table(("May be decided for", "Held by", ""), rows, empty="No replica has bytes to choose.")
    if retired:
        say(
            f"Retired replicas had a good copy: {', '.join(retired)}. `armarium store replicas change NAME "
            "--active` takes one back, and the votes are asked for once more."
        )


@repairs_commands.command("approve")
def approve(context: typer.Context, number: NumberOf, as_json: Json = False) -> None:
    """Approve a repair.

    Where two people must approve (storage.repair_approvals = 2) this command is refused, because it does not
    know who types it: each of them signs in and approves at /storage/repairs/NUMBER.
    """
    with session(context).services() as services:
        shown(services.get(Repairs).approve(operator(), number), as_json)


@repairs_commands.command("decide")
def decide(
    context: typer.Context,
    number: NumberOf,
    sha256: Annotated[str, typer.Argument(help="The checksum that is right; a replica must have its bytes.")],
    why: Why,
    as_json: Json = False,
) -> None:
    """Say what a file is, where the votes do not."""
    with session(context).services() as services:
        shown(services.get(Repairs).decide(operator(), number, sha256, why), as_json)


@repairs_commands.command("refuse")
def refuse(context: typer.Context, number: NumberOf, why: Why, as_json: Json = False) -> None:
    """Leave a damaged copy as it is."""
    with session(context).services() as services:
        shown(services.get(Repairs).refuse(operator(), number, why), as_json)
