"""Commands for collectors: what the pages do, from a shell on the server."""

from typing import Annotated, Any

import typer

from armarium.core import clock
from armarium.languages.speech import byte_size
from armarium.planning.collectors.model import Collector, CollectorFilter, CollectorState, Work
from armarium.planning.collectors.pages import command_of, reach_of
from armarium.planning.collectors.service import Collectors
from armarium.settings import Settings
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_json, show_one, show_table
from armarium.terminal.session import Json, operator, service, session
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings

collectors_commands = group("Collectors: the machines that crawl.", old_names={"code": "add"})

Name = Annotated[str, typer.Argument(help="The collector's name.")]


def described(collector: Collector, work: list[Work]) -> dict[str, Any]:
    return {
        "id": collector.id,
        "name": collector.name,
        "state": collector.state(clock.now()).value,
        "channels": list(collector.channels),
        "slots": collector.slots,
        "failed_jobs": list(collector.failed_jobs),
        "jobs": [one.job for one in work],
        "free_bytes": collector.facts.get("free_bytes"),
        "machine": collector.facts.get("machine"),
        "trouble": collector.facts.get("trouble"),
        "put_aside": collector.facts.get("put_aside") or [],
        "address": collector.address,
        "seen_at": collector.seen_at,
        "enrolled_at": collector.enrolled_at,
        "revoked_at": collector.revoked_at,
    }


def shown(collectors: Collectors, collector: Collector, as_json: bool) -> None:
    facts = described(collector, collectors.work_of([collector])[collector.id])
    return show_one(facts, as_json)


@collectors_commands.command("list")
def list_collectors(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Part of a name.")] = "",
    state: Annotated[CollectorState | None, typer.Option(help="Only those in this state.")] = None,
    channel: Annotated[str, typer.Option(help="Only those that serve this channel.")] = "",
    limit: Annotated[int, typer.Option(help="How many at most.", min=1, max=100_000)] = 1000,
    as_json: Json = False,
) -> None:
    """List collectors with what they do."""
    with service(context, Collectors) as collectors:
        found, total = collectors.page(CollectorFilter(text, state, channel), limit=limit)
        work = collectors.work_of(found)
    facts = [described(one, work[one.id]) for one in found]
    if as_json:
        return show_json(facts)
    keys = ("name", "state", "channels", "slots", "jobs", "free", "seen_at")
    columns = ("Name", "State", "Channels", "Slots", "Jobs", "Free", "Last seen")
    lines = [{**one, "free": byte_size(one["free_bytes"])} for one in facts]
    return show_table(
        columns,
        ([one[key] for key in keys] for one in lines),
        empty="No collector fits.",
        noun="collector",
        total=total,
    )


@collectors_commands.command("add")
def make_code(
    context: typer.Context,
    channel: Annotated[
        list[str] | None, typer.Option(help="A channel that it shall serve; again for several. None: all.")
    ] = None,
    name: Annotated[str, typer.Option(help="The name of the new collector; else one that is free.")] = "",
    as_json: Json = False,
) -> None:
    """Create a one-time code with which a new machine enrols, and print the command for it."""
    with session(context).services() as services:
        collectors = services.get(Collectors)
        free = collectors.free_name(name)
        code = collectors.new_code(operator(), channel or ())
        address = site_address(services.get(Settings)[WebSettings])
    command = command_of(address, code, free)
    if as_json:
        return show_json({"code": code.code, "expires_at": code.expires_at, "command": command})
    say(f"The code works once, until {code.expires_at:%Y-%m-%d %H:%M} UTC. On the new machine:")
    say(command)
    if reach_of(address):
        say(
            f"{address} is no address for other machines. Set web.public_url to the one under which the site "
            "is known there, beginning with https, and web.host so that it can be reached."
        )
    return None


@collectors_commands.command("show")
def show_collector(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show a collector: what it does, and how the machine is."""
    with service(context, Collectors) as collectors:
        shown(collectors, collectors.named(name), as_json)


@collectors_commands.command("edit")
def edit_collector(
    context: typer.Context,
    name: Name,
    channel: Annotated[
        list[str] | None, typer.Option(help="A channel that it serves; again for several. They replace all.")
    ] = None,
    slots: Annotated[int | None, typer.Option(min=0, help="Jobs that it may have at a time.")] = None,
    as_json: Json = False,
) -> None:
    """Change a collector's channels or slots, from its next request on."""
    if channel is None and slots is None:
        raise typer.BadParameter("Say what is to change: --channel or --slots.")
    with service(context, Collectors) as collectors:
        number = collectors.named(name).id
        changed = collectors.change(operator(), number, channels=channel or None, slots=slots)
        shown(collectors, changed, as_json)


@collectors_commands.command("channels", hidden=True)
def set_channels(
    context: typer.Context,
    name: Name,
    channel: Annotated[list[str], typer.Argument(help="The channels that it shall serve, all of them.")],
    as_json: Json = False,
) -> None:
    """Change the channels of a collector, from its next request on."""
    with service(context, Collectors) as collectors:
        changed = collectors.change(operator(), collectors.named(name).id, channels=channel)
        shown(collectors, changed, as_json)


@collectors_commands.command("slots", hidden=True)
def set_slots(
    context: typer.Context,
    name: Name,
    slots: Annotated[int, typer.Argument(min=0, help="Jobs that it may have at a time.")],
    as_json: Json = False,
) -> None:
    """Change how many jobs a collector may have at a time; the machine may offer less."""
    with service(context, Collectors) as collectors:
        shown(collectors, collectors.change(operator(), collectors.named(name).id, slots=slots), as_json)


@collectors_commands.command("stop")
def stop(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Stop a collector: it finishes its jobs and gets no new ones."""
    with service(context, Collectors) as collectors:
        shown(collectors, collectors.change(operator(), collectors.named(name).id, active=False), as_json)


@collectors_commands.command("start")
def start(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Start a collector that was stopped."""
    with service(context, Collectors) as collectors:
        shown(collectors, collectors.change(operator(), collectors.named(name).id, active=True), as_json)


@collectors_commands.command("revoke")
def revoke(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Revoke a collector and give its jobs to others. This cannot be undone."""
    with service(context, Collectors) as collectors:
        shown(collectors, collectors.revoke(operator(), collectors.named(name).id), as_json)
