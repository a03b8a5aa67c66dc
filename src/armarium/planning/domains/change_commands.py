"""`armarium plan domains`: changing what a domain has."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from armarium.core.errors import NotFound, Refused
from armarium.planning.domains.model import (
    Configuration,
    CredentialKind,
    Domain,
    NewConfiguration,
    NewCredential,
    SeedList,
)
from armarium.planning.domains.rules import foreign_seeds, parse_form_fields, read_overrides
from armarium.planning.domains.service import DomainFacts, Domains
from armarium.planning.parsing import text_of_file, typed_count, typed_secret, typed_size
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_json, show_rows, show_table
from armarium.terminal.session import Json, operator, service

change_commands = typer.Typer()
credentials_commands = group("User names and passwords for sites.")
change_commands.add_typer(credentials_commands, name="credentials")

Name = Annotated[str, typer.Argument(help="The domain's name, or the address of one of its pages.")]
File = Annotated[Path | None, typer.Option(help="Of this file, one a line; - for standard input.")]
DEFAULT = "default"


def facts_of(domain: Domain) -> DomainFacts:
    return DomainFacts(domain.active, domain.comments, domain.traps)


def _changed(context: typer.Context, name: str, as_json: bool, said: str, **values: Any) -> None:
    with service(context, Domains) as domains:
        before = domains.named(name)
        facts = replace(facts_of(before), **values)
        after = domains.change(operator(), before.id, facts, seen=before.edition)
    return show_json(vars(after)) if as_json else say(f"{after.name}: {said}")


@change_commands.command("edit")
def edit_domain(
    context: typer.Context,
    name: Name,
    comments: Annotated[str | None, typer.Option(help="The comments, all of them.")] = None,
    broad: Annotated[
        bool | None, typer.Option("--broad/--not-broad", help="Whether broad harvests take it.")
    ] = None,
    active: Annotated[bool | None, typer.Option("--active/--inactive", help="Whether jobs take it.")] = None,
    as_json: Json = False,
) -> None:
    """Change a domain; what is not given stays as it is."""
    typed = {"comments": comments, "broad": broad, "active": active}
    values = {key: value for key, value in typed.items() if value is not None}
    if not values:
        raise typer.BadParameter("Say what is to change: --comments, --broad or --active.")
    _changed(context, name, as_json, "the changes are saved.", **values)


@change_commands.command("activate")
def activate(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Let jobs take a domain again."""
    _changed(context, name, as_json, "is harvested.", active=True)


@change_commands.command("deactivate")
def deactivate(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Let no job take a domain; its history stays."""
    _changed(context, name, as_json, "is not harvested.", active=False)


@change_commands.command("broad", hidden=True)
def set_broad(
    context: typer.Context,
    name: Name,
    taken: Annotated[bool, typer.Option("--yes/--no", help="Whether broad harvests take it.")],
    as_json: Json = False,
) -> None:
    """Let broad harvests take a domain, or leave it out."""
    said = "broad harvests take it." if taken else "broad harvests leave it out."
    _changed(context, name, as_json, said, broad=taken)


@change_commands.command("comments", hidden=True)
def set_comments(
    context: typer.Context,
    name: Name,
    comments: Annotated[str, typer.Argument(help="The comments, all of them.")],
    as_json: Json = False,
) -> None:
    """Replace the comments of a domain."""
    _changed(context, name, as_json, "the comments are saved.", comments=comments)


@change_commands.command("traps")
def traps(
    context: typer.Context,
    name: Name,
    add: Annotated[list[str] | None, typer.Option(help="Add this expression; again for several.")] = None,
    file: File = None,
    as_json: Json = False,
) -> None:
    """Show the crawler traps of a domain, add some, or replace all of them by those of a file."""
    with service(context, Domains) as domains:
        found = domains.named(name)
        if add or file:
            kept = text_of_file(file).splitlines() if file else found.traps
            facts = replace(facts_of(found), traps=[*kept, *(add or ())])
            found = domains.change(operator(), found.id, facts, seen=found.edition)
    if as_json:
        return show_json(list(found.traps))
    return show_table(("Trap",), ((trap,) for trap in found.traps), empty="No traps.")


# Seeds ----------------------------------------------------------------------------------------------


@change_commands.command("seeds")
def seeds(
    context: typer.Context,
    name: Name,
    which: Annotated[str, typer.Option("--list", help="The seed list's name.")] = DEFAULT,
    file: File = None,
    as_json: Json = False,
) -> None:
    """Show the seeds of a domain, or replace them by those of a file. A list that there is not is made."""
    with service(context, Domains) as domains:
        owner = domains.named(name)
        found = _seed_list(domains, owner, which)
        if file:
            found = _put_seeds(domains, owner, found, which, text_of_file(file))
    if found is None:
        raise NotFound(f"{owner.name} has no seed list named {which}.")
    if as_json:
        return show_json({"name": found.name, "seeds": found.seeds.splitlines(), "comments": found.comments})
    say(found.seeds)
    if file and (others := foreign_seeds(found.seeds, owner.name)):
        say(f"Of other domains than {owner.name}, and taken all the same: {', '.join(others)}")
    return None


def _seed_list(domains: Domains, owner: Domain, name: str) -> SeedList | None:
    lists = domains.configurations.seed_lists(owner.id)
    return next((one for one in lists if one.name == name), None)


def _put_seeds(domains: Domains, owner: Domain, found: SeedList | None, name: str, text: str) -> SeedList:
    kept = domains.configurations
    if found is None:
        return kept.add_seed_list(operator(), owner.id, name, text)
    values = {"name": found.name, "seeds": text, "comments": found.comments}
    return kept.change_seed_list(operator(), owner.id, found.id, **values, seen=found.edition)


# Configurations -------------------------------------------------------------------------------------


@change_commands.command("configure")
def configure(
    context: typer.Context,
    name: Name,
    which: Annotated[str, typer.Option("--configuration", help="Its name.")] = DEFAULT,
    profile: Annotated[str | None, typer.Option(help="The profile's name.")] = None,
    seed_list: Annotated[
        list[str] | None, typer.Option(help="A seed list that it begins with; again for several.")
    ] = None,
    max_objects: Annotated[str | None, typer.Option(help="Objects at most; none for no limit.")] = None,
    max_bytes: Annotated[str | None, typer.Option(help="As 500 MB or 1.5 GB; none for no limit.")] = None,
    overrides: Annotated[
        Path | None, typer.Option(help="A TOML file of what differs from the profile; - for standard input.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Change a configuration of a domain. One that there is not is made; what is not given stays."""
    text = None if overrides is None else text_of_file(overrides)
    with service(context, Domains) as domains:
        owner = domains.named(name)
        before = next((c for c in domains.configurations.of(owner.id) if c.name == which), None)
        settled = _settled(domains, owner, before, which)
        settled = replace(
            settled,
            profile=_profile(domains, profile) if profile else settled.profile,
            seed_lists=_lists(domains, owner, seed_list) if seed_list else settled.seed_lists,
            max_objects=typed_count(max_objects, settled.max_objects),
            max_bytes=typed_size(max_bytes, settled.max_bytes),
            overrides=settled.overrides if text is None else read_overrides(text),
        )
        if before is None:
            made = domains.configurations.add(operator(), owner.id, settled)
        else:
            made = domains.configurations.change(
                operator(), owner.id, before.id, settled, seen=before.edition
            )
    return show_json(vars(made)) if as_json else say(f"{owner.name}: configuration {made.name} is saved.")


def _settled(domains: Domains, owner: Domain, before: Configuration | None, name: str) -> NewConfiguration:
    """As it is; a new one begins like the default one."""
    found = before or next(
        (c for c in domains.configurations.of(owner.id) if c.id == owner.default_configuration), None
    )
    if found is None:
        raise Refused(f"{owner.name} has no configuration named {name}, nor a default one to begin with.")
    described = {key: getattr(found, key) for key in NewConfiguration.__dataclass_fields__}
    return NewConfiguration(**{**described, "name": name, "active": found.active or before is None})


def _profile(domains: Domains, name: str) -> int:
    found = {known: number for number, known in domains.configurations.profiles()}
    if name not in found:
        raise Refused(f"There is no active profile named {name}. There are: {', '.join(found)}.")
    return found[name]


def _lists(domains: Domains, owner: Domain, names: list[str]) -> tuple[int, ...]:
    found = {one.name: one.id for one in domains.configurations.seed_lists(owner.id)}
    for name in names:
        if name not in found:
            raise Refused(f"{owner.name} has no seed list named {name}. It has: {', '.join(found)}.")
    return tuple(found[name] for name in names)


# Credentials ----------------------------------------------------------------------------------------


@credentials_commands.command("list")
def list_credentials(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """List the credentials of a domain. Secrets are never shown."""
    with service(context, Domains) as domains:
        found = domains.credentials.of(domains.named(name).id)
    rows = ((c.id, c.kind, c.user_name, c.realm, c.login_url, c.active) for c in found)
    columns = ("Number", "Kind", "User name", "Realm", "Address of the form", "Active")
    facts = [vars(one) for one in found]
    return show_rows(facts, as_json, columns, rows, empty="No credentials.", noun="credential")


@credentials_commands.command("add")
def add_credential(
    context: typer.Context,
    name: Name,
    kind: Annotated[CredentialKind, typer.Option(help="How the site asks.")] = CredentialKind.BASIC,
    user: Annotated[str, typer.Option(help="The user name; not for forms.")] = "",
    realm: Annotated[str, typer.Option(help="The realm; empty for any.")] = "",
    login_url: Annotated[str, typer.Option(help="The page with the form.")] = "",
    as_json: Json = False,
) -> None:
    """Keep a credential. The secret is asked for, or read from standard input: a password, or what a form
    sends, as name=value lines. It is never an argument.
    """
    form = kind is CredentialKind.FORM
    secret = text_of_file(Path("-")) if form else typed_secret("Password")
    given = NewCredential(
        kind,
        realm,
        user,
        password="" if form else secret,
        login_url=login_url,
        fields=parse_form_fields(secret) if form else {},
    )
    with service(context, Domains) as domains:
        kept = domains.credentials.add(operator(), domains.named(name).id, given)
    return show_json(vars(kept)) if as_json else say(f"Credential {kept.id} is kept, encrypted.")


@credentials_commands.command("deactivate")
def deactivate_credential(
    context: typer.Context,
    name: Name,
    number: Annotated[int, typer.Argument(help="The credential's number.", min=1)],
    as_json: Json = False,
) -> None:
    """Use a credential no more."""
    with service(context, Domains) as domains:
        kept = domains.credentials.set_active(operator(), domains.named(name).id, number, False)
    return show_json(vars(kept)) if as_json else say(f"Credential {kept.id} is not used any more.")
