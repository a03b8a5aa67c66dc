"""Commands for accounts and API tokens: what the pages do, from a shell on the server."""

from datetime import timedelta
from typing import Annotated, Any

import typer

from armarium.accounts import rules
from armarium.accounts.directory.service import DirectoryAccounts
from armarium.accounts.model import Account, AccountState, Permission, Profile, Role, Token
from armarium.accounts.queries import Wanted
from armarium.accounts.service import Accounts, NewLink
from armarium.accounts.sessions import Sessions
from armarium.accounts.tokens import LONGEST_LIFE, Tokens
from armarium.administration.directory_commands import change_source, show_directory
from armarium.core import clock
from armarium.core.entities import edited
from armarium.core.errors import Refused
from armarium.core.services import Services
from armarium.settings import Settings
from armarium.terminal.groups import group
from armarium.terminal.output import say, show_json, show_one, show_rows, show_table
from armarium.terminal.session import Json, operator, service, session
from armarium.web.addresses import site_address
from armarium.web.numbers import LARGEST
from armarium.web.settings import WebSettings

accounts_commands = group("Accounts, their roles and one-time links.")
tokens_commands = group("API tokens of accounts.", old_names={"create": "add"})

Name = Annotated[str, typer.Argument(help="The account's name.")]
Roles = Annotated[list[Role] | None, typer.Option("--role", help="A role; give it again for several.")]
DisplayName = Annotated[str | None, typer.Option(help="The person's name, shown to colleagues.")]
Mail = Annotated[str | None, typer.Option(help="Mail address.")]
LanguageCode = Annotated[str | None, typer.Option("--language", help="Language of the pages: en, fr, de …")]
MOST = 100_000


def described(account: Account) -> dict[str, Any]:
    return {
        "id": account.id,
        **account.described(),
        "state": account.state.value,
        "source": account.source.value,
        "created_at": account.created_at,
        "last_sign_in_at": account.last_sign_in_at,
    }


def welcome(services: Services, link: NewLink) -> dict[str, Any]:
    address = site_address(services.get(Settings)[WebSettings])
    return {"link": f"{address}/welcome/{link.key}", "expires_at": link.expires_at}


@accounts_commands.command("list")
def list_accounts(
    context: typer.Context,
    text: Annotated[str, typer.Argument(help="Part of a name or mail address.")] = "",
    role: Annotated[Role | None, typer.Option(help="Only accounts with this role.")] = None,
    state: Annotated[AccountState | None, typer.Option(help="Only accounts in this state.")] = None,
    as_json: Json = False,
) -> None:
    """List accounts."""
    with service(context, Accounts) as accounts:
        found, _ = accounts.page(Wanted(text, role, state), limit=MOST)
    columns = ("Name", "Full name", "Roles", "State", "Last sign-in")
    rows = ((a.name, a.display_name, a.roles, a.state, a.last_sign_in_at) for a in found)
    show_rows(map(described, found), as_json, columns, rows, empty="No account fits.", noun="account")


@accounts_commands.command("show")
def show_account(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """Show one account."""
    with session(context).services() as services:
        account = services.get(Accounts).named(name)
        show_one(
            {**described(account), "groups": services.get(DirectoryAccounts).groups_of(account)}, as_json
        )


@accounts_commands.command("add")
def add_account(
    context: typer.Context,
    name: Name,
    role: Roles = None,
    display_name: DisplayName = None,
    mail: Mail = None,
    language: LanguageCode = None,
    as_json: Json = False,
) -> None:
    """Create an account and print the one-time link with which its owner sets a password.

    Example: armarium accounts add ada --role librarian --display-name "Ada Byron"
    """
    profile = Profile(name, display_name or "", mail or "", language or "", frozenset(role or []))
    with session(context).services() as services:
        account = services.get(Accounts).create(operator(), profile)
        link = welcome(services, services.get(Accounts).password_link(operator(), account.id))
    if as_json:
        return show_json({**described(account), **link})
    say(f"Account {account.name} is created. Pass this one-time link on, by a way you trust:")
    return say(f"{link['link']}")


@accounts_commands.command("edit")
def edit_account(
    context: typer.Context,
    name: Name,
    role: Roles = None,
    display_name: DisplayName = None,
    mail: Mail = None,
    language: LanguageCode = None,
    active: Annotated[bool | None, typer.Option("--active/--blocked", help="May sign in, or not.")] = None,
    as_json: Json = False,
) -> None:
    """Change an account; what is not named stays as it is. --role replaces all roles."""
    roles = None if role is None else frozenset(role)
    with service(context, Accounts) as accounts:
        before = accounts.named(name)
        profile = edited(
            before.profile,
            display_name=display_name, mail=mail, language=language, roles=roles, active=active,
        )  # fmt: skip
        show_one(described(accounts.change(operator(), before.id, profile)), as_json)


@accounts_commands.command("link")
def make_link(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="The account's name; without one: the first administrator.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Create a one-time link to set an account's password, or to make the first administrator."""
    with session(context).services() as services:
        accounts = services.get(Accounts)
        new = accounts.password_link(operator(), accounts.named(name).id) if name else accounts.first_link()
        if new is None:
            raise Refused("There is an administrator already: name the account that needs a link.")
        link = welcome(services, new)
    return show_json(link) if as_json else say(str(link["link"]))


@accounts_commands.command("end-sessions")
def end_sessions(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """End all sessions of an account: its owner must sign in again everywhere."""
    with session(context).services() as services:
        ended = services.get(Sessions).end(operator(), services.get(Accounts).named(name))
    return show_json({"ended": ended}) if as_json else say(f"Sessions ended: {ended}.")


@accounts_commands.command("roles")
def show_roles(as_json: Json = False) -> None:
    """Show which role may do what."""
    if as_json:
        return show_json({role: sorted(rules.PERMISSIONS[role]) for role in Role})
    rows = [
        (permission, *("✓" if permission in rules.PERMISSIONS[r] else "" for r in Role))
        for permission in Permission
    ]
    return show_table(("Permission", *Role), rows)


accounts_commands.command("directory")(show_directory)
accounts_commands.command("source")(change_source)


# Tokens ---------------------------------------------------------------------------------------------


def token_described(token: Token) -> dict[str, Any]:
    shown = {**vars(token), "scopes": sorted(token.scopes), "state": token.state(clock.now())}
    return {name: value for name, value in shown.items() if name != "account"}


@tokens_commands.command("list")
def list_tokens(context: typer.Context, name: Name, as_json: Json = False) -> None:
    """List the API tokens of an account."""
    with session(context).services() as services:
        found = services.get(Tokens).of(services.get(Accounts).named(name))
    columns = ("Number", "Name", "Begins with", "Scopes", "State", "Expires", "Last used")
    rows = (
        (t.id, t.name, t.hint, t.scopes, t.state(clock.now()), t.expires_at, t.last_used_at) for t in found
    )
    show_rows(map(token_described, found), as_json, columns, rows, empty="No tokens.", noun="token")


@tokens_commands.command("add")
def create_token(
    context: typer.Context,
    name: Name,
    purpose: Annotated[str, typer.Option("--for", help="What will use the token.")],
    scope: Annotated[list[Permission], typer.Option(help="What it may do; give it again for several.")],
    days: Annotated[
        int, typer.Option(help="Days it lives; 0: until it is revoked.", min=0, max=LONGEST_LIFE.days)
    ] = 365,
    as_json: Json = False,
) -> None:
    """Create an API token and print its secret, this once."""
    lifetime = timedelta(days=days) if days else None
    with session(context).services() as services:
        owner = services.get(Accounts).named(name)
        new = services.get(Tokens).create(operator(), owner, purpose, scope, lifetime)
    return show_json({**token_described(new.token), "secret": new.secret}) if as_json else say(new.secret)


@tokens_commands.command("revoke")
def revoke_token(
    context: typer.Context,
    name: Name,
    number: Annotated[int, typer.Argument(help="The token's number.", min=1, max=LARGEST)],
    as_json: Json = False,
) -> None:
    """Revoke an API token: programs that use it are refused from now on."""
    with session(context).services() as services:
        token = services.get(Tokens).revoke(operator(), services.get(Accounts).named(name), number)
    return show_json(token_described(token)) if as_json else say(f"Token {token.name} is revoked.")
