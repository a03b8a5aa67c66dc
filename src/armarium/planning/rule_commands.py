"""Commands for crawler traps, custom fields and channels: what the pages do, from a shell."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from armarium.core.entities import edited
from armarium.core.errors import NotFound, Refused
from armarium.planning.channels.service import Channel, Channels, Traffic
from armarium.planning.fields.rules import Field, FieldKind, FieldSubject, NewField
from armarium.planning.fields.service import ExtendedFields
from armarium.planning.model import HarvestKind
from armarium.planning.traps.rules import TrapList, tried
from armarium.planning.traps.service import TrapLists
from armarium.terminal.groups import group
from armarium.terminal.output import show_json, show_one, show_rows, write
from armarium.terminal.session import Json, operator, service

traps_commands = group("Crawler traps for all domains.", old_names={"try": "test"})
fields_commands = group("Custom fields of domains and harvests.")

Name = Annotated[str, typer.Argument(help="The list's name.")]
File = Annotated[Path, typer.Argument(help="A text file, one regular expression a line.")]
Description = Annotated[str | None, typer.Option(help="What it is for.")]
MOST = 100_000


def described(one: TrapList | Field) -> dict[str, Any]:
    return {"id": one.id, **one.described()}


def summed(traps: TrapList) -> dict[str, object]:
    return {**traps.described(), "expressions": len(traps.expressions)}


def lines_of(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise Refused(f"{file} is not a text in UTF-8.") from error


@traps_commands.command("list")
def list_lists(context: typer.Context, as_json: Json = False) -> None:
    """List the lists of crawler traps."""
    with service(context, TrapLists) as lists:
        found, _ = lists.page(limit=MOST)
    rows = ((one.name, len(one.expressions), one.active, one.description) for one in found)
    columns = ("Name", "Expressions", "Active", "Description")
    show_rows(map(described, found), as_json, columns, rows, empty="No lists.", noun="list")


@traps_commands.command("show")
def show_list(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show the expressions of a list, one a line."""
    with service(context, TrapLists) as lists:
        found = lists.named(name)
    return show_json(described(found)) if as_json else write("".join(f"{one}\n" for one in found.expressions))


@traps_commands.command("add")
def add_list(
    context: typer.Context,
    name: Name,
    file: File,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    as_json: Json = False,
) -> None:
    """Create a list of crawler traps from a file."""
    new = TrapList(name=name, description=description, expressions=lines_of(file))
    with service(context, TrapLists) as lists:
        found = lists.create(operator(), new)
    show_one(described(found) if as_json else summed(found), as_json)


@traps_commands.command("edit")
def edit_list(
    context: typer.Context,
    name: Name,
    file: Annotated[Path | None, typer.Option(help="A file of expressions; they replace all.")] = None,
    description: Description = None,
    active: Annotated[bool | None, typer.Option("--active/--set-aside", help="In use, or not.")] = None,
    as_json: Json = False,
) -> None:
    """Change a list of crawler traps; what is not given stays as it is."""
    with service(context, TrapLists) as lists:
        known = lists.named(name)
        expressions = lines_of(file) if file else None
        new = edited(known, description=description, active=active, expressions=expressions)
        found = lists.change(operator(), known.id, new)
    show_one(described(found) if as_json else summed(found), as_json)


@traps_commands.command("put", hidden=True)
def put_list(
    context: typer.Context,
    name: Name,
    file: File,
    description: Description = None,
    active: Annotated[bool, typer.Option("--active/--set-aside", help="In use, or not.")] = True,
    as_json: Json = False,
) -> None:
    """Create a list from a file, or replace the expressions of the one of that name."""
    new = TrapList(name=name, active=active, expressions=lines_of(file))
    with service(context, TrapLists) as lists:
        try:
            known = lists.named(name)
        except NotFound:
            found = lists.create(operator(), replace(new, description=description or ""))
        else:
            text = known.description if description is None else description
            found = lists.change(operator(), known.id, replace(new, description=text))
    show_one(described(found) if as_json else summed(found), as_json)


@traps_commands.command("test")
def try_addresses(
    context: typer.Context,
    url: Annotated[list[str], typer.Argument(help="Addresses.")],
    as_json: Json = False,
) -> None:
    """Show which expression of the active lists finds an address."""
    with service(context, TrapLists) as lists:
        verdicts = tried(lists.active(), "\n".join(url))
    rows = ((one.url, one.expression or "followed", one.list_name or None) for one in verdicts)
    show_rows(map(vars, verdicts), as_json, ("Address", "Expression", "List"), rows)


# Custom fields ------------------------------------------------------------------------------------


@fields_commands.command("list")
def list_fields(
    context: typer.Context,
    subject: Annotated[FieldSubject, typer.Argument(help="Whose fields.")],
    as_json: Json = False,
) -> None:
    """List the custom fields of domains or of harvests."""
    with service(context, ExtendedFields) as fields:
        found = fields.all(subject)
    rows = ((one.id, one.name, one.kind, one.mandatory, one.place, one.active) for one in found)
    columns = ("Number", "Name", "Kind", "Mandatory", "Place", "Active")
    show_rows(map(described, found), as_json, columns, rows, empty="No fields.", noun="field")


@fields_commands.command("add")
def add_field(
    context: typer.Context,
    subject: Annotated[FieldSubject, typer.Argument(help="Whose field.")],
    name: Annotated[str, typer.Argument(help="Its name.")],
    kind: Annotated[FieldKind, typer.Option(help="What is written in it.")] = FieldKind.TEXT,
    choice: Annotated[list[str] | None, typer.Option(help="A choice; give it again for several.")] = None,
    default: Annotated[str, typer.Option(help="What a new thing begins with.")] = "",
    text: Annotated[str, typer.Option("--text", help="A sentence for those who fill it in.")] = "",
    mandatory: Annotated[bool, typer.Option("--mandatory", help="Nothing is saved without it.")] = False,
    place: Annotated[int, typer.Option(help="Smaller stands higher in the form.", min=0)] = 0,
    as_json: Json = False,
) -> None:
    """Create a custom field."""
    new = NewField(subject, name, kind, tuple(choice or ()), default, text, mandatory, place=place)
    with service(context, ExtendedFields) as fields:
        made = fields.create(operator(), new)
    show_one(described(made) if as_json else made.described(), as_json)


@fields_commands.command("edit")
def edit_field(
    context: typer.Context,
    number: Annotated[int, typer.Argument(help="The field's number.", min=1)],
    name: Annotated[str | None, typer.Option(help="Another name.")] = None,
    text: Annotated[str | None, typer.Option("--text", help="A sentence for those who fill it in.")] = None,
    place: Annotated[int | None, typer.Option(help="Smaller stands higher in the form.", min=0)] = None,
    active: Annotated[bool | None, typer.Option("--active/--set-aside", help="Asked for, or not.")] = None,
    as_json: Json = False,
) -> None:
    """Change a custom field; what is not given stays as it is."""
    with service(context, ExtendedFields) as fields:
        new = edited(fields.get(number), name=name, help=text, place=place, active=active)
        changed = fields.change(operator(), number, new)
    show_one(described(changed) if as_json else changed.described(), as_json)


@fields_commands.command("set-aside", hidden=True)
def set_aside(
    context: typer.Context,
    number: Annotated[int, typer.Argument(help="The field's number.", min=1)],
    back: Annotated[bool, typer.Option("--back", help="Take it into use again.")] = False,
    as_json: Json = False,
) -> None:
    """Ask nobody for a field any more; what is written in it stays."""
    with service(context, ExtendedFields) as fields:
        changed = fields.change(operator(), number, replace(fields.get(number), active=back))
    show_one(described(changed) if as_json else changed.described(), as_json)


# --- Commands for channels: what the pages do, from a shell.


# Channels -------------------------------------------------------------------------------------------


channels_commands = group("Channels: which collectors serve which harvests first.")

ChannelName = Annotated[str, typer.Argument(help="The channel's name.")]
Kinds = Annotated[
    list[HarvestKind] | None,
    typer.Option("--default-for", help="Harvests of this kind that name none; again for several."),
]


def described_channel(channel: Channel, traffic: Traffic) -> dict[str, Any]:
    return {
        "id": channel.id,
        **channel.described(),
        "waiting": traffic.waiting,
        "running": traffic.running,
        "collectors": [name for _, name, _ in traffic.collectors],
    }


def shown(channels: Channels, channel: Channel, as_json: bool) -> None:
    show_one(described_channel(channel, channels.traffic()[channel.id]), as_json)


@channels_commands.command("list")
def list_channels(context: typer.Context, as_json: Json = False) -> None:
    """List channels with what goes on in each."""
    with service(context, Channels) as channels:
        found, traffic = channels.all(), channels.traffic()
    facts = [described_channel(one, traffic[one.id]) for one in found]
    keys = ("name", "priority", "default_for", "waiting", "running", "collectors", "active")
    columns = ("Name", "Priority", "Default for", "Waiting", "Running", "Collectors", "Active")
    show_rows(facts, as_json, columns, ([one[key] for key in keys] for one in facts), noun="channel")


@channels_commands.command("show")
def show_channel(context: typer.Context, name: ChannelName, as_json: Json = False) -> None:
    """Show a channel with what goes on in it."""
    with service(context, Channels) as channels:
        shown(channels, channels.named(name), as_json)


@channels_commands.command("add")
def add_channel(
    context: typer.Context,
    name: ChannelName,
    priority: Annotated[int, typer.Option(help="Higher is served first.")] = 0,
    description: Annotated[str, typer.Option(help="What it is for.")] = "",
    default_for: Kinds = None,
    as_json: Json = False,
) -> None:
    """Create a channel."""
    kinds = " ".join(default_for or ())
    new = Channel(name=name, description=description, priority=priority, default_for=kinds)
    with service(context, Channels) as channels:
        shown(channels, channels.create(operator(), new), as_json)


@channels_commands.command("edit")
def edit_channel(
    context: typer.Context,
    name: ChannelName,
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
        kinds = None if default_for is None else " ".join(default_for)
        after = edited(before, name=new_name, description=description, priority=priority, active=active)
        changed = channels.change(operator(), before.id, edited(after, default_for=kinds))
        shown(channels, changed, as_json)
