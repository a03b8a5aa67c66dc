"""Pages for accounts and their roles."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts import rules
from armarium.accounts.directory.service import DirectoryAccounts
from armarium.accounts.model import Account, AccountState, Identity, Permission, Profile, Role, Source
from armarium.accounts.queries import Wanted
from armarium.accounts.rules import permissions_of
from armarium.accounts.service import NewLink
from armarium.accounts.sessions import Sessions
from armarium.accounts.tokens import Tokens
from armarium.administration.audit import shown_entry
from armarium.audit.model import Question
from armarium.audit.service import Audit
from armarium.core.errors import Forbidden, Refused
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.languages.speech import say
from armarium.web.addresses import welcome_address
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.my_account import token_row
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import AccountsService, DirectoryAccountsService, SessionsService, TokensService
from armarium.web.shell import PageShell, done

# --- Whose account somebody may make or change: nobody hands out, or takes over, more than they may do.
#
# A token that may manage accounts and nothing else could otherwise make an administrator, or give one a new
# password, and so become one.


def refuse_beyond(visitor: Identity, *roles: Collection[Role]) -> None:
    """`roles`: those that the account has, and those that it shall have."""
    lacking = permissions_of({role for several in roles for role in several}) - visitor.permissions
    if lacking:
        raise Forbidden(
            message(
                "This account may do more than you, or more than your API token: %(names)s.",
                names=", ".join(sorted(lacking)),
            )
        )


# --- Pages for accounts and their roles.


pages = Router(prefix="/administration/accounts")

VIEW = [Depends(needs(Permission.ACCOUNTS_VIEW))]
MANAGE = [Depends(needs(Permission.ACCOUNTS_MANAGE))]
HISTORY_SHOWN = 20

STATES: tuple[tuple[AccountState, Message], ...] = (
    (AccountState.ACTIVE, message("Active")),
    (AccountState.INVITED, message("Invited")),
    (AccountState.BLOCKED, message("Blocked")),
)


def role_options() -> list[tuple[str, Message, Message]]:
    return [(role.value, rules.ROLE_TITLES[role], rules.ROLE_HELP[role]) for role in Role]


@pages.get("", dependencies=VIEW)
def accounts_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    accounts: AccountsService,
    q: str = "",
    role: str = "",
    state: str = "",
    number: PageNumber = 1,
) -> Response:
    wanted = Wanted(
        text=q.strip(),
        role=Role(role) if role in set(Role) else None,
        state=AccountState(state) if state in set(AccountState) else None,
    )
    found, total = accounts.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    context: dict[str, Any] = {
        "filter": {"q": q, "role": role, "state": state},
        "role_options": [(value, label) for value, label, _ in role_options()],
        "state_options": STATES,
        "accounts": [shown(account) for account in found],
        "total": total,
        "page": Paging(request, number, total),
        "may_change": visitor.may(Permission.ACCOUNTS_MANAGE),
    }
    return page.page(request, "administration/accounts.html", **context)


def shown(account: Account) -> dict[str, Any]:
    return {
        "id": account.id,
        "name": account.name,
        "display_name": account.display_name,
        "mail": account.mail,
        "roles": [rules.role_title(role) for role in Role if role in account.roles],
        "state": account.state.value,
        "is_local": account.is_local,
        "source": rules.SOURCE_TITLES[account.source],
        "created": account.created_at,
        "last_sign_in": account.last_sign_in_at,
    }


@pages.get("/new", dependencies=MANAGE)
def new_account_page(request: Request, page: PageShell) -> Response:
    return show_new(request, page, filled(roles=[Role.LIBRARIAN.value]))


@pages.post("/new", dependencies=MANAGE)
def create_account(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, accounts: AccountsService
) -> Response:
    """The answer is the account's page itself: its one-time link is shown this once and kept nowhere."""
    try:
        profile = profile_of(form, active=True)
        refuse_beyond(visitor, profile.roles)
        account = accounts.create(visitor.actor, profile)
    except Refused as refusal:
        return show_new(request, page, form.refuse(refusal, several=["roles"]), status=422)
    link = accounts.password_link(visitor.actor, account.id)
    return show_account(request, page, visitor, account, link=link)


def show_new(request: Request, page: PageShell, form: Form, status: int = 200) -> Response:
    context = {"form": form, "role_options": role_options()}
    return page.page(request, "administration/account_new.html", status=status, **context)


@pages.get("/{number}", dependencies=VIEW)
def account_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, accounts: AccountsService
) -> Response:
    return show_account(request, page, visitor, accounts.get(number))


@pages.post("/{number}", dependencies=MANAGE)
def change_account(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    accounts: AccountsService,
) -> Response:
    try:
        profile = profile_of(form, active=form.ticked("active"))
        before = accounts.get(number)
        if not before.is_local:  # the page offers no choice of roles: they come from the directory
            profile = replace(profile, roles=before.roles)
        refuse_beyond(visitor, before.roles, profile.roles)
        account = accounts.change(visitor.actor, number, profile, seen=form.get("seen"))
    except Refused as refusal:
        refused = form.refuse(refusal, several=["roles"])
        return show_account(request, page, visitor, accounts.get(number), form=refused, status=422)
    href = f"/administration/accounts/{number}"
    return done(request, href, message("The account %(name)s is saved.", name=account.name))


@pages.post("/{number}/link", dependencies=MANAGE)
def make_link(
    request: Request, number: Number, visitor: Visitor, page: PageShell, accounts: AccountsService
) -> Response:
    refuse_beyond(visitor, accounts.get(number).roles)
    link = accounts.password_link(visitor.actor, number)
    return show_account(request, page, visitor, accounts.get(number), link=link)


@pages.post("/{number}/source", dependencies=MANAGE)
def change_source(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    accounts: AccountsService,
    directory: DirectoryAccountsService,
) -> Response:
    refuse_beyond(visitor, accounts.get(number).roles)
    if form.get("source") not in set(Source):
        raise Refused(message("Choose one of the ways to sign in."), field="source")
    account = directory.hand_over(visitor.actor, number, Source(form.get("source")))
    text = message("The account %(name)s signs in another way from now on.", name=account.name)
    return done(request, f"/administration/accounts/{number}", text)


@pages.post("/{number}/end-sessions", dependencies=MANAGE)
def end_sessions(
    request: Request, number: Number, visitor: Visitor, accounts: AccountsService, sessions: SessionsService
) -> Response:
    account = accounts.get(number)
    refuse_beyond(visitor, account.roles)
    ended = sessions.end(visitor.actor, account)
    text = message("Sessions ended: %(count)s.", count=ended)
    return done(request, f"/administration/accounts/{number}", text)


@pages.post("/{number}/tokens/{token}/revoke", dependencies=MANAGE)
def revoke_token(
    request: Request,
    number: Number,
    token: Number,
    visitor: Visitor,
    accounts: AccountsService,
    tokens: TokensService,
) -> Response:
    owner = accounts.get(number)
    refuse_beyond(visitor, owner.roles)
    revoked = tokens.revoke(visitor.actor, owner, token)
    text = message("The token “%(name)s” is revoked.", name=revoked.name)
    return done(request, f"/administration/accounts/{number}", text)


def profile_of(form: Form, *, active: bool) -> Profile:
    unknown = [role for role in form.chosen("roles") if role not in set(Role)]
    if unknown:
        raise Refused(message("There is no role named %(name)s.", name=unknown[0]), field="roles")
    roles = frozenset(Role(role) for role in form.chosen("roles"))
    return Profile(
        name=form.get("name"),
        display_name=form.get("display_name"),
        mail=form.get("mail"),
        language=form.get("language"),
        roles=roles,
        active=active,
    )


def form_of(account: Account) -> Form:
    return filled(
        name=account.name,
        display_name=account.display_name,
        mail=account.mail,
        language=account.language,
        roles=[role.value for role in account.roles],
        active="yes" if account.active else None,
        seen=account.mark,
    )


def show_account(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    account: Account,
    *,
    form: Form | None = None,
    status: int = 200,
    link: NewLink | None = None,
) -> Response:
    services: Services = request.app.state.services
    question = Question(object_kind="account", object_id=str(account.id))
    history, _ = services.get(Audit).page(question, limit=HISTORY_SHOWN)
    sessions = services.get(Sessions).of(account)
    directory = services.get(DirectoryAccounts)
    context: dict[str, Any] = {
        "account": {**shown(account), "sessions": len(sessions)},
        "groups": directory.groups_of(account),
        "other_sources": other_sources(directory, account),
        "form": form or form_of(account),
        "role_options": role_options(),
        "link": {"url": welcome_address(request, link.key), "expires": link.expires_at} if link else None,
        "tokens": [token_row(token) for token in services.get(Tokens).of(account)],
        "history": [shown_entry(entry, page) for entry in history],
        "may_change": visitor.may(Permission.ACCOUNTS_MANAGE),
    }
    return page.page(request, "administration/account_edit.html", status=status, **context)


def other_sources(directory: DirectoryAccounts, account: Account) -> list[tuple[str, str]]:
    others = (source for source in directory.sources if source is not account.source)
    return [(source.value, say(rules.SOURCE_TITLES[source])) for source in others]


roles_pages = Router(prefix="/administration/roles")


@roles_pages.get("", dependencies=VIEW)
def roles_page(request: Request, page: PageShell, accounts: AccountsService) -> Response:
    people = accounts.people_by_role()
    roles = [
        {"value": value, "label": label, "help": text, "people": people[Role(value)]}
        for value, label, text in role_options()
    ]
    return page.page(request, "administration/roles.html", roles=roles, groups=permission_groups())


def permission_groups() -> list[dict[str, Any]]:
    """The permission table by section of the house, the word before the dot."""
    groups: dict[str, list[dict[str, Any]]] = {}
    for permission in Permission:
        holders = [role.value for role in Role if permission in rules.PERMISSIONS[role]]
        shown_permission = {"name": permission, "help": rules.PERMISSION_TITLES[permission], "roles": holders}
        groups.setdefault(permission.partition(".")[0], []).append(shown_permission)
    return [
        {"label": GROUPS.get(name, Message(name)), "permissions": found} for name, found in groups.items()
    ]


GROUPS = {
    "accounts": message("Accounts"),
    "audit": message("Audit log"),
    "collectors": message("Collectors"),
    "jobs": message("Jobs"),
    "planning": message("Planning"),
    "settings": message("Settings"),
    "system": message("System"),
    "tasks": message("Tasks"),
}
