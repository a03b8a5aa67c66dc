"""`armarium reading viewings`: what the pages of viewings do, from a shell."""

from typing import Annotated

import typer

from armarium.access.viewings.handover import Handover, Order
from armarium.access.viewings.model import OPERATOR, Chosen, MissingFilter, MissingKind, Standing, Viewing
from armarium.access.viewings.protocols import Handed, NextHarvest, Plan
from armarium.access.viewings.rules import jobs_in
from armarium.access.viewings.schemas import MISSING, VIEWING, handed_shown
from armarium.access.viewings.service import Viewings
from armarium.accounts.service import Accounts
from armarium.core.errors import Refused
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_json, show_one, show_rows, show_table
from armarium.terminal.session import Json, operator, service, session

viewings_commands = group(
    "Quality viewing: look at what some jobs brought, and hand on what is missing.",
    old_names={"begin": "start"},
)

Number = Annotated[int, typer.Argument(help="The number of the viewing.", min=1)]
MOST = 100_000


def show(viewing: Viewing, as_json: bool) -> None:
    show_one(VIEWING.model_validate(viewing).model_dump(), as_json)


@viewings_commands.command("list")
def list_viewings(
    context: typer.Context,
    job: Annotated[int | None, typer.Option(help="Only those with this job.", min=1)] = None,
    as_json: Json = False,
) -> None:
    """List everybody's viewings."""
    with service(context, Viewings) as viewings:
        found, _ = viewings.page(OPERATOR, job=job, limit=MOST)
    facts = [VIEWING.model_validate(one).model_dump() for one in found]
    keys = ("id", "title", "owner", "open", "handed", "created_at", "ended_at")
    columns = ("Number", "Title", "Whose", "Missing", "Handed over", "Started", "Ended")
    rows = ([one[key] for key in keys] for one in facts)
    show_rows(facts, as_json, columns, rows, empty="No viewings.", noun="viewing")


@viewings_commands.command("show")
def show_viewing(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Show one viewing."""
    with service(context, Viewings) as viewings:
        show(viewings.get(OPERATOR, number), as_json)


@viewings_commands.command("start")
def begin(
    context: typer.Context,
    account: Annotated[str, typer.Option("--for", help="Name of the account whose viewing it is.")],
    jobs: Annotated[str, typer.Option(help="Numbers of jobs, as 12,40-60.")] = "",
    run: Annotated[int | None, typer.Option(help="All jobs of this run.", min=1)] = None,
    title: Annotated[str, typer.Option(help="What it is called.")] = "",
    as_json: Json = False,
) -> None:
    """Start to look at what some jobs brought."""
    with session(context).services() as services:
        viewings, owner = services.get(Viewings), services.get(Accounts).named(account)
        of_run = viewings.job_files.of_run(run) if run else []
        chosen = Chosen((*jobs_in(jobs), *of_run), title)
        show(viewings.create(operator(), owner.id, chosen), as_json)


@viewings_commands.command("recording")
def recording(
    context: typer.Context,
    number: Number,
    on: Annotated[bool, typer.Option("--on/--off", help="Note what is missing, or cease to.")],
    as_json: Json = False,
) -> None:
    """Start or stop noting what is missing."""
    with service(context, Viewings) as viewings:
        show(viewings.set_recording(operator(), OPERATOR, number, on), as_json)


@viewings_commands.command("missing")
def missing(
    context: typer.Context,
    number: Number,
    standing: Annotated[Standing, typer.Option(help="Which of them.")] = Standing.OPEN,
    domain: Annotated[str, typer.Option(help="Only of this domain.")] = "",
    kind: Annotated[MissingKind | None, typer.Option(help="Only what looks like this.")] = None,
    as_json: Json = False,
) -> None:
    """List addresses that were asked for and are missing, one a line."""
    with service(context, Viewings) as viewings:
        sought = MissingFilter(standing, domain, kind)
        found, _ = viewings.missing(OPERATOR, number, sought)
    if as_json:
        return show_json([MISSING.model_validate(one).model_dump() for one in found])
    for one in found:
        say(one.url)
    return None


@viewings_commands.command("clear")
def clear(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """Forget all missing addresses of a viewing."""
    with service(context, Viewings) as viewings:
        count = viewings.clear(operator(), OPERATOR, number)
    return show_json({"forgotten": count}) if as_json else say(f"Addresses forgotten: {count}.")


@viewings_commands.command("hand-over")
def hand_over(
    context: typer.Context,
    number: Number,
    harvest: Annotated[int | None, typer.Option(help="Number of an event harvest.", min=1)] = None,
    name: Annotated[str, typer.Option(help="Name of a new event harvest.")] = "",
    profile: Annotated[str, typer.Option(help="Name of the profile. Empty: the first that fits.")] = "",
    domain: Annotated[str, typer.Option(help="Only of this domain.")] = "",
    kind: Annotated[MissingKind | None, typer.Option(help="Only what looks like this.")] = None,
    activate: Annotated[bool, typer.Option("--activate/--draft", help="Harvest a new one at once.")] = True,
    as_json: Json = False,
) -> None:
    """Hand missing addresses to an event harvest: those that were not handed over yet."""
    with session(context).services() as services:
        handover = services.get(Handover)
        plan = Plan(profile_named(handover.harvests, profile))
        order = Order(harvest, name, plan, activate=activate)
        sought = MissingFilter(Standing.OPEN, domain, kind)
        if not services.get(Viewings).missing(OPERATOR, number, sought)[1]:
            raise Refused(f"Nothing of that kind is missing in viewing {number} and not handed over yet.")
        return show_handed(handover.hand_over(operator(), OPERATOR, number, order, sought), as_json)


def profile_named(harvests: NextHarvest, name: str) -> int:
    offered = harvests.profiles()
    for number, title in offered:
        if not name or title.partition(":")[0] == name:
            return number
    raise Refused(f"There is no profile named {name}.")


def show_handed(handed: Handed, as_json: bool) -> None:
    facts = handed_shown(handed)
    if as_json:
        return show_json(facts.model_dump())
    say(f"Handed to harvest {handed.harvest}, {handed.name}.")
    return show_table(
        ("Address", "Result", "Why"), ((one.url, one.result, one.reason) for one in facts.lines)
    )


@viewings_commands.command("end")
def end(context: typer.Context, number: Number, as_json: Json = False) -> None:
    """End a viewing: it can be browsed no more."""
    with service(context, Viewings) as viewings:
        show(viewings.end(operator(), OPERATOR, number), as_json)
