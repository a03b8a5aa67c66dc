"""Commands for repairs: what the pages do, from a shell on the server."""

from typing import Annotated, Any

import typer

from armarium.core.errors import Refused
from armarium.storage.model import RepairState
from armarium.storage.repairs.bulk import MOST_AT_ONCE, Deed, Order, do_all
from armarium.storage.repairs.model import Repair, RepairFilter, Vote, choices, likely
from armarium.storage.repairs.service import Repairs
from armarium.storage.replicas.service import Replicas
from armarium.terminal.groups import group
from armarium.terminal.output import complain, say, show_columns, show_facts, show_json, show_one, show_table
from armarium.terminal.session import Json, operator, service, session

repairs_commands = group(
    "Repairs: damaged copies, and what waits for people.", old_names={"refuse": "reject"}
)

NumberOf = Annotated[int, typer.Argument(help="The number of the repair.", min=1)]
Numbers = Annotated[list[int] | None, typer.Argument(help="The numbers of repairs.", min=1)]
All = Annotated[bool, typer.Option("--all", help=f"All that wait for it, up to {MOST_AT_ONCE} at a time.")]
InReplica = Annotated[str, typer.Option(help="With --all: only of copies in this replica.")]
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
        "vote": vote_told(repair),
        "proposed_at": repair.proposed_at,
        "ended_at": repair.ended_at,
    }


def shown(repair: Repair, as_json: bool) -> None:
    return show_one(described(repair), as_json)


@repairs_commands.command("list")
def list_repairs(
    context: typer.Context,
    state: Annotated[RepairState | None, typer.Option(help="Only those in this state.")] = None,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only those that wait for a person.")] = False,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)] = 100,
    as_json: Json = False,
) -> None:
    """List repairs, the last first."""
    with service(context, Repairs) as repairs:
        found, total = repairs.page(RepairFilter(state=state, waiting=waiting), limit=limit)
    facts = [described(one) for one in found]
    columns = {"Number": "id", "File": "file", "Replica": "replica", "Reason": "reason"}
    columns |= {"State": "state", "Found": "proposed_at", "Ended": "ended_at", "Vote": "vote"}
    return show_columns(facts, as_json, columns, empty="No repair fits.", noun="repair", total=total)


def vote_told(repair: Repair) -> str:
    """`c right (whole, 9 records); a missing`: what a person has to see before they approve."""
    if repair.ballot is None:
        return ""
    right = repair.right
    return "; ".join(
        f"{vote.replica} {verdict_told(vote, right)}{content_told(vote)}" for vote in repair.ballot.votes
    )


def verdict_told(vote: Vote, right: str) -> str:
    """Where it is open what the file is, no copy is called bad: its checksum tells it from the others."""
    if not vote.sha256:
        return vote.outcome.value
    if not right:
        return vote.sha256[:8]
    return "right" if vote.sha256 == right else "other"


def content_told(vote: Vote) -> str:
    if vote.content is None:
        return ""
    return f" ({vote.content.worth.name.lower()}, {vote.content.records} records)"


@repairs_commands.command("show")
def show_repair(context: typer.Context, number: NumberOf, as_json: Json = False) -> None:
    """Show a repair with the votes of the replicas."""
    with service(context, Repairs) as repairs:
        repair = repairs.get(number)
        retired = repairs.retired_holders(repair)
    ballot = repair.ballot.facts() if repair.ballot else {}
    if as_json:
        return show_json({**described(repair), "votes": ballot})
    show_facts(described(repair))
    if not repair.ballot:
        return None
    right = repair.right
    rows: list[tuple[object, ...]] = []
    if repair.ballot.register:
        rows.append(("register", repair.ballot.register, "", "", None))
    rows += [
        (vote.replica, vote.sha256, verdict_told(vote, right), content_told(vote).strip(" ()"), vote.at)
        for vote in repair.ballot.votes
    ]
    show_table(("Voter", "SHA-256", "Verdict", "Content", "Asked"), rows)
    if repair.state is RepairState.UNDECIDED:
        tell_choices(repair, retired)
    return None


def tell_choices(repair: Repair, retired: list[str]) -> None:
    rows = [
        (
            sha256,
            holders,
            "likely: the register, a witness or the content says so" if sha256 == likely(repair) else "",
        )
        for sha256, holders in choices(repair)
    ]
    show_table(("May be decided for", "Held by", ""), rows, empty="No replica has bytes to choose.")
    if retired:
        say(
            f"Retired replicas had a good copy: {', '.join(retired)}. `armarium store replicas edit NAME "
            "--active` takes one back, and the votes are asked for once more."
        )


@repairs_commands.command("approve")
def approve(
    context: typer.Context,
    numbers: Numbers = None,
    everything: All = False,
    replica: InReplica = "",
    as_json: Json = False,
) -> None:
    """Approve repairs: the votes are carried out. After a rebuild this confirms them.

    Where two people must approve (storage.repair_approvals = 2) this command is refused, because it does not
    know who types it: each of them signs in and approves at /storage/repairs.
    """
    do(context, Order(Deed.APPROVE), numbers or [], everything, replica, as_json)


@repairs_commands.command("decide")
def decide(
    context: typer.Context,
    number: NumberOf,
    sha256: Annotated[str, typer.Argument(help="The checksum that is right; a replica must have its bytes.")],
    why: Why,
    as_json: Json = False,
) -> None:
    """Say what a file is, where the votes do not."""
    with service(context, Repairs) as repairs:
        shown(repairs.decide(operator(), number, sha256, why), as_json)


@repairs_commands.command("decide-all")
def decide_all(
    context: typer.Context,
    why: Why,
    numbers: Numbers = None,
    everything: All = False,
    replica: InReplica = "",
    like: Annotated[
        str,
        typer.Option(
            help="Decide for the bytes that this replica has. Without it: for what the register or a witness "
            "says, or else for the only bytes that can be read; where nobody can tell, nothing is decided."
        ),
    ] = "",
    majority: Annotated[
        bool,
        typer.Option(
            "--majority",
            help="Decide for the bytes of most copies, where nothing but their number speaks for them. "
            "Copies that were damaged in the same way would win: compare some of them first.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Say what many files are, where the votes do not."""
    do(
        context,
        Order(Deed.DECIDE, why, like=like, majority=majority),
        numbers or [],
        everything,
        replica,
        as_json,
    )


@repairs_commands.command("reject")
def refuse(
    context: typer.Context,
    why: Why,
    numbers: Numbers = None,
    everything: All = False,
    replica: InReplica = "",
    as_json: Json = False,
) -> None:
    """Leave damaged copies as they are."""
    do(context, Order(Deed.REFUSE, why), numbers or [], everything, replica, as_json)


def do(
    context: typer.Context, order: Order, numbers: list[int], everything: bool, replica: str, as_json: bool
) -> None:
    """One repair is shown; of several it is told what could not be done, and the exit code says so."""
    if bool(numbers) == everything:
        raise typer.BadParameter("Give the numbers of repairs, or --all for those that wait.")
    with session(context).services() as services:
        repairs = services.get(Repairs)
        here = services.get(Replicas).named(replica).id if replica else None
        if order.like:
            services.get(Replicas).named(order.like)  # a slip of the pen is told once, not for each repair
        done = do_all(repairs, operator(), RepairFilter(replica=here, numbers=tuple(numbers)), order)
        if len(numbers) == 1:
            if done.left:
                raise Refused(done.left[0][1])
            return shown(repairs.get(numbers[0]), as_json)
    left = [{"repair": one.id, "file": one.file_name, "why": str(why)} for one, why in done.left]
    if as_json:
        show_json({"done": done.count, "left": left})
    else:
        for one in left:
            complain(f"{one['repair']} ({one['file']}): {one['why']}")
        say(f"{done.count} done, {len(left)} left as they were.")
    if left:
        raise typer.Exit(1)
    return None
