"""`armarium plan aliases`: domains with the content of another."""

from typing import Annotated

import typer

from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.planning.domains.model import Domain
from armarium.planning.domains.service import Domains
from armarium.terminal.output import say, show_json, show_table
from armarium.terminal.session import Json, operator, session

aliases_commands = typer.Typer(no_args_is_help=True, help="Aliases: domains with the content of another.")

Name = Annotated[str, typer.Argument(help="The name of the domain that is the alias.")]


@aliases_commands.command("list")
def list_aliases(
    context: typer.Context,
    expired: Annotated[bool, typer.Option("--expired", help="Those that have to be confirmed.")] = False,
    limit: Annotated[int, typer.Option(help="How many at most.", min=1)] = 100,
    as_json: Json = False,
) -> None:
    """List aliases, the next to expire first."""
    with session(context).services() as services:
        found, total = services.get(Domains).aliases.page(live=not expired, limit=limit)
    if as_json:
        return show_json({"items": [vars(one) for one in found], "total": total})
    rows = ((one.id, one.name, one.of_name, one.until.date().isoformat()) for one in found)
    show_table(("Number", "Name", "Alias of", "Until"), rows, empty="There is none.")
    if total > len(found):
        say(f"{len(found):,} of {total:,}: --limit shows more.")
    return None


@aliases_commands.command("set")
def set_alias(
    context: typer.Context,
    name: Name,
    of: Annotated[str, typer.Argument(help="The domain that it is an alias of.")],
    as_json: Json = False,
) -> None:
    """Make a domain an alias of another: broad harvests leave it out."""
    with session(context).services() as services:
        domains = services.get(Domains)
        made = domains.aliases.set(operator(), _named(domains, name).id, of)
    return show_json(vars(made)) if as_json else say(f"{made.name} is an alias of {of}.")


@aliases_commands.command("renew")
def renew_alias(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Confirm that an alias still is one."""
    with session(context).services() as services:
        domains = services.get(Domains)
        renewed = domains.aliases.renew(operator(), _named(domains, name).id)
        until = domains.aliases.until(renewed)
    if as_json:
        return show_json({**vars(renewed), "until": until})
    return say(f"{renewed.name} is an alias until {until:%Y-%m-%d}.")


@aliases_commands.command("remove")
def remove_alias(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Let a domain be harvested again for itself."""
    with session(context).services() as services:
        domains = services.get(Domains)
        former = domains.aliases.remove(operator(), _named(domains, name).id)
    return show_json(vars(former)) if as_json else say(f"{former.name} is no alias any more.")


def _named(domains: Domains, name: str) -> Domain:
    found = domains.named(name)
    if found is None:
        raise NotFound(message("There is no domain %(name)s.", name=name))
    return found
