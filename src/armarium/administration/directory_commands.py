"""Commands about directories: what they tell, and whether they can be asked at all."""

from typing import Annotated, Any

import typer

from armarium.accounts import rules
from armarium.accounts.directory.model import Person
from armarium.accounts.directory.service import Directories, DirectoryAccounts
from armarium.accounts.model import Source
from armarium.accounts.service import Accounts
from armarium.core.errors import ArmariumError, NotFound, Refused
from armarium.core.message import message
from armarium.terminal.output import say, show_facts, show_json, show_table
from armarium.terminal.session import Json, operator, session


def show_directory(
    context: typer.Context,
    name: Annotated[
        str | None,
        typer.Argument(help="A person's name in the directory; without one: check the connections."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show what the directory tells about a person and which roles come of it, or check the connections."""
    with session(context).services() as services:
        directories = services.get(Directories)
        if directories.sources == [Source.LOCAL]:
            raise Refused(
                message(
                    "There is no directory: the sections [directory] and [openid] of the settings are empty."
                )
            )
        if name is None:
            return _show_checks(directories, as_json)
        told = _described(services.get(DirectoryAccounts), _person(directories, name))
    return show_json(told) if as_json else show_facts(told)


def _person(directories: Directories, name: str) -> Person:
    if directories.ldap is None:
        raise Refused(
            message("Only a directory (LDAP) tells about people before they come; [directory] is not set up.")
        )
    found = directories.ldap.look_up(name.strip().lower())
    if found is None:
        raise NotFound(
            message(
                "The directory has nobody named %(name)s: directory.user_filter finds nothing below "
                "directory.base_dn.",
                name=name,
            )
        )
    return found


def _described(accounts: DirectoryAccounts, person: Person) -> dict[str, Any]:
    refusal = accounts.refusal_of(person)
    return {
        "source": person.source.value,
        "subject": person.subject,
        "name": person.name,
        "display_name": person.display_name,
        "mail": person.mail,
        "groups": sorted(person.groups),
        "roles": sorted(accounts.directories.admission.roles_of(person)),
        "may_sign_in": refusal is None,
        "reason": str(refusal.text) if refusal else "",
    }


def _show_checks(directories: Directories, as_json: bool) -> None:
    found: list[tuple[Source, str]] = []
    for source, directory in ((Source.LDAP, directories.ldap), (Source.OPENID, directories.openid)):
        if directory is None:
            continue
        try:
            directory.check()
        except ArmariumError as problem:
            found.append((source, str(problem)))
        else:
            found.append((source, ""))
    if as_json:
        show_json([{"source": s.value, "answers": not problem, "problem": problem} for s, problem in found])
    else:
        rows = [(str(rules.SOURCE_TITLES[s]), not problem, problem) for s, problem in found]
        show_table(("Directory", "Answers", "Problem"), rows)
    if any(problem for _, problem in found):
        raise typer.Exit(1)


def change_source(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The account's name.")],
    source: Annotated[Source, typer.Argument(help="By what it signs in from now on.")],
    as_json: Json = False,
) -> None:
    """Let an account sign in by another way: its password here, the directory, or a provider."""
    with session(context).services() as services:
        number = services.get(Accounts).named(name).id
        account = services.get(DirectoryAccounts).hand_over(operator(), number, source)
    if as_json:
        return show_json({"name": account.name, "source": account.source.value})
    return say(f"Account {account.name} now signs in by: {rules.SOURCE_TITLES[account.source]}.")
