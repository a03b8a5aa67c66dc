"""`armarium reading networks`: networks, from a shell."""

from ipaddress import ip_address
from typing import Annotated

import typer

from armarium.access.networks.service import Networks
from armarium.access.policy.model import Network
from armarium.access.rules.schemas import network_shown
from armarium.core.errors import Refused
from armarium.terminal.output import say, show_facts, show_json, show_table
from armarium.terminal.session import Json, operator, session

networks_commands = typer.Typer(no_args_is_help=True, help="Places from which people read.")

Name = Annotated[str, typer.Argument(help="The network's name.")]
Ranges = Annotated[list[str], typer.Argument(help="Addresses and ranges: 192.0.2.0/24, 2001:db8::/32.")]
Note = Annotated[str | None, typer.Option(help="What it is.")]


def shown(network: Network, as_json: bool) -> None:
    facts = network_shown(network).model_dump(mode="json")
    return show_json(facts) if as_json else show_facts(facts)


@networks_commands.command("list")
def list_networks(context: typer.Context, as_json: Json = False) -> None:
    """List networks."""
    with session(context).services() as services:
        found = services.get(Networks).all()
    if as_json:
        return show_json([network_shown(one).model_dump(mode="json") for one in found])
    rows = ((one.id, one.name, list(one.ranges), one.note) for one in found)
    return show_table(("Number", "Name", "Addresses", "Note"), rows, empty="No networks.")


@networks_commands.command("add")
def add_network(
    context: typer.Context, name: Name, ranges: Ranges, note: Note = None, as_json: Json = False
) -> None:
    """Make a network."""
    with session(context).services() as services:
        shown(services.get(Networks).add(operator(), name, ranges, note or ""), as_json)


@networks_commands.command("change")
def change_network(
    context: typer.Context, name: Name, ranges: Ranges, note: Note = None, as_json: Json = False
) -> None:
    """Give a network other addresses: all of them, not those to add."""
    with session(context).services() as services:
        networks = services.get(Networks)
        known = networks.named(name)
        text = known.note if note is None else note
        shown(networks.change(operator(), known.id, name, ranges, text), as_json)


@networks_commands.command("remove")
def remove_network(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Remove a network of which no rule speaks."""
    with session(context).services() as services:
        networks = services.get(Networks)
        networks.remove(operator(), networks.named(name).id)
    return show_json({"removed": name}) if as_json else say(f"The network {name} is removed.")


@networks_commands.command("of")
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
    with session(context).services() as services:
        networks = services.get(Networks)
        inside = networks.of(address)
        found = [one for one in networks.all() if one.id in inside]
    if as_json:
        return show_json([network_shown(one).model_dump(mode="json") for one in found])
    return show_table(("Number", "Name"), ((one.id, one.name) for one in found), empty="In none.")
