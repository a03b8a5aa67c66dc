"""Commands for channels: what the pages do, from a shell."""

from typing import Annotated, Any

import typer

from armarium.planning.channels.service import Channel, Channels, Traffic
from armarium.planning.model import HarvestKind
from armarium.terminal.output import show_one, show_rows
from armarium.terminal.session import Json, operator, service

channels_commands = typer.Typer(
    no_args_is_help=True, help="Channels: which collectors serve which harvests first."
)

Name = Annotated[str, typer.Argument(help="The channel's name.")]
Kinds = Annotated[
    list[HarvestKind] | None,
    typer.Option("--default-for", help="Harvests of this kind that name none; again for several."),
]


def described(channel: Channel, traffic: Traffic) -> dict[str, Any]:
    return {
        "id": channel.id,
        **channel.described(),
        "waiting": traffic.waiting,
        "running": traffic.running,
        "collectors": [name for _, name, _ in traffic.collectors],
    }


def shown(channels: Channels, channel: Channel, as_json: bool) -> None:
    show_one(described(channel, channels.traffic()[channel.id]), as_json)


@channels_commands.command("list")
def list_channels(context: typer.Context, as_json: Json = False) -> None:
    """List channels with what goes on in each."""
    with service(context, Channels) as channels:
        found, traffic = channels.all(), channels.traffic()
    facts = [described(one, traffic[one.id]) for one in found]
    keys = ("name", "priority", "default_for", "waiting", "running", "collectors", "active")
    columns = ("Name", "Priority", "Default for", "Waiting", "Running", "Collectors", "Active")
    show_rows(facts, as_json, columns, ([one[key] for key in keys] for one in facts))


@channels_commands.command("add")
def add_channel(
    context: typer.Context,
    name: Name,
    priority: Annotated[int, typer.Option(help="Higher is served first.")] = 0,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    default_for: Kinds = None,
    as_json: Json = False,
) -> None:
    """Make a channel."""
    with service(context, Channels) as channels:
        made = channels.create(
            operator(), name, description=description, priority=priority, default_for=default_for or ()
        )
        shown(channels, made, as_json)


@channels_commands.command("edit")
def edit_channel(
    context: typer.Context,
    name: Name,
    new_name: Annotated[str | None, typer.Option("--name", help="Another name.")] = None,
    priority: Annotated[int | None, typer.Option(help="Higher is served first.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is for.")] = None,
    default_for: Kinds = None,
    active: Annotated[bool | None, typer.Option("--active/--set-aside", help="In use, or not.")] = None,
    as_json: Json = False,
) -> None:
    """Change a channel; what is not named stays as it is. --default-for replaces all kinds."""
    with service(context, Channels) as channels:
        before = channels.named(name)
        changed = channels.change(
            operator(),
            before.id,
            name=before.name if new_name is None else new_name,
            description=before.description if description is None else description,
            priority=before.priority if priority is None else priority,
            default_for=before.kinds if default_for is None else default_for,
            active=before.active if active is None else active,
        )
        shown(channels, changed, as_json)
