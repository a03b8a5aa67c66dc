"""`armarium reading networks`: networks, from a shell."""

from ipaddress import ip_address
from typing import Annotated

import typer

from armarium.access.networks.model import NewNetwork
from armarium.access.networks.service import Networks
from armarium.core.entities import document
from armarium.core.errors import Refused
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_json, show_one, show_rows
from armarium.terminal.session import Json, operator, service

networks_commands = group(
    "Networks: places from which people read.", old_names={"change": "edit", "of": "find"}
)

Name = Annotated[str, typer.Argument(help="The network's name.")]
Ranges = Annotated[list[str], typer.Argument(help="Addresses and ranges: 192.0.2.0/24, 2001:db8::/32.")]
Note = Annotated[str | None, typer.Option(help="What it is.")]


@networks_commands.command("list")
def list_networks(context: typer.Context, as_json: Json = False) -> None:
    """List networks."""
    with service(context, Networks) as networks:
        found = networks.all()
    rows = ((one.id, one.name, list(one.ranges), one.note) for one in found)
    columns = ("Number", "Name", "Addresses", "Note")
    show_rows(map(document, found), as_json, columns, rows, empty="No networks.", noun="network")


@networks_commands.command("add")
def add_network(
    context: typer.Context, name: Name, ranges: Ranges, note: Note = None, as_json: Json = False
) -> None:
    """Create a network."""
    with service(context, Networks) as networks:
        show_one(document(networks.add(operator(), NewNetwork(name, tuple(ranges), note or ""))), as_json)


@networks_commands.command("edit")
def change_network(
    context: typer.Context, name: Name, ranges: Ranges, note: Note = None, as_json: Json = False
) -> None:
    """Give a network other addresses: all of them, not those to add."""
    with service(context, Networks) as networks:
        known = networks.named(name)
        new = NewNetwork(name, tuple(ranges), known.note if note is None else note)
        show_one(document(networks.change(operator(), known.id, new)), as_json)


@networks_commands.command("remove")
def remove_network(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Remove a network of which no rule speaks."""
    with service(context, Networks) as networks:
        networks.remove(operator(), networks.named(name).id)
    return show_json({"removed": name}) if as_json else say(f"The network {name} is removed.")


@networks_commands.command("find")
def networks_of(
    context: typer.Context,
    address: Annotated[str, typer.Argument(help="An IP address.")],
    as_json: Json = False,
) -> None:
    """Show in which networks an address lies."""
    try:
        ip_address(address)
    except ValueError as error:
        raise Refused(f"“{address}” is no IP address, such as 192.0.2.17 or 2001:db8::17.") from error
    with service(context, Networks) as networks:
        inside = networks.of(address)
        found = [one for one in networks.all() if one.id in inside]
    rows = ((one.id, one.name) for one in found)
    show_rows(map(document, found), as_json, ("Number", "Name"), rows, empty="In none.")
