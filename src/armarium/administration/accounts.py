"""Pages for accounts and their roles."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any

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
from armarium.web.lists import csv_answer
from armarium.web.my_account import token_row
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import AccountsService, DirectoryAccountsService, SessionsService, TokensService

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
                "This account has permissions that you, or your API token, do not have: %(names)s.",
                names=", ".join(sorted(lacking)),
            )
        )


# --- Pages for accounts and their roles.


VIEW = guarded(Permission.ACCOUNTS_VIEW)
MANAGE = guarded(Permission.ACCOUNTS_MANAGE)
PAGES = "/administration/accounts"
pages = Router(prefix=PAGES)
HISTORY_SHOWN = 20
MOST_EXPORTED = 10_000

STATES: tuple[tuple[AccountState, Message], ...] = (
    (AccountState.ACTIVE, message("Active")),
    (AccountState.INVITED, message("Invited")),
    (AccountState.BLOCKED, message("Blocked")),
)


def role_options() -> list[tuple[str, Message, Message]]:
    return [(role.value, rules.ROLE_TITLES[role], rules.ROLE_HELP[role]) for role in Role]


@pages.get("", dependencies=VIEW)
def accounts_page(
    page: Page,
    accounts: AccountsService,
    q: str = "",
    role: str = "",
    state: str = "",
    number: PageNumber = 1,
    export: str = "",
) -> Response:
    wanted = Wanted(
        text=q.strip(),
        role=Role(role) if role in set(Role) else None,
        state=AccountState(state) if state in set(AccountState) else None,
    )
    if export:
        return exported(accounts.page(wanted, limit=MOST_EXPORTED)[0])
    found, total = accounts.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    return page.show(
        "administration/accounts.html",
        filter={"q": q, "role": role, "state": state},
        role_options=[(value, label) for value, label, _ in role_options()],
        state_options=STATES,
        accounts=[shown(account) for account in found],
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.ACCOUNTS_MANAGE),
    )


def exported(found: Iterable[Account]) -> Response:
    head = (message("Name"), message("Account"), message("State"), message("Roles"), message("Email"))
    titles = dict(STATES)
    rows = (
        (one.display_name, one.name, titles[one.state], roles_of(one), one.mail, one.last_sign_in_at)
        for one in found
    )
    return csv_answer("accounts", (*head, message("Last sign-in")), rows)


def roles_of(account: Account) -> str:
    return ", ".join(say(rules.role_title(role)) for role in Role if role in account.roles)


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
def new_account_page(page: Page) -> Response:
    return show_new(page, filled(roles=[Role.LIBRARIAN.value]))


@pages.post("/new", dependencies=MANAGE)
def create_account(page: Page, form: PostedForm, accounts: AccountsService) -> Response:
    """The answer is the account's page itself: its one-time link is shown this once and kept nowhere."""
    try:
        profile = profile_of(form, active=True)
        refuse_beyond(page.visitor, profile.roles)
        account = accounts.create(page.actor, profile)
    except Refused as refusal:
        return show_new(page, form.refuse(refusal, several=["roles"]))
    return show_account(page, account, link=accounts.password_link(page.actor, account.id))


def show_new(page: PageRequest, form: Form) -> Response:
    return page.show("administration/account_new.html", form, role_options=role_options())


@pages.get("/{number}", dependencies=VIEW)
def account_page(number: Number, page: Page, accounts: AccountsService) -> Response:
    return show_account(page, accounts.get(number))


@pages.get("/{number}/edit", dependencies=MANAGE)
def edit_page(number: Number, page: Page, accounts: AccountsService) -> Response:
    account = accounts.get(number)
    return show_edit(page, account, form_of(account))


@pages.post("/{number}", dependencies=MANAGE)
def change_account(number: Number, page: Page, form: PostedForm, accounts: AccountsService) -> Response:
    try:
        profile = profile_of(form, active=form.ticked("active"))
        before = accounts.get(number)
        if not before.is_local:  # the page offers no choice of roles: they come from the directory
            profile = replace(profile, roles=before.roles)
        refuse_beyond(page.visitor, before.roles, profile.roles)
        account = accounts.change(page.actor, number, profile, seen=form.get("seen"))
    except Refused as refusal:
        return show_edit(page, accounts.get(number), form.refuse(refusal, several=["roles"]))
    return page.done(f"{PAGES}/{number}", message("The account %(name)s was saved.", name=account.name))


@pages.post("/{number}/link", dependencies=MANAGE)
def make_link(number: Number, page: Page, accounts: AccountsService) -> Response:
    refuse_beyond(page.visitor, accounts.get(number).roles)
    link = accounts.password_link(page.actor, number)
    return show_account(page, accounts.get(number), link=link)


@pages.post("/{number}/source", dependencies=MANAGE)
def change_source(
    number: Number,
    page: Page,
    form: PostedForm,
    accounts: AccountsService,
    directory: DirectoryAccountsService,
) -> Response:
    refuse_beyond(page.visitor, accounts.get(number).roles)
    if form.get("source") not in set(Source):
        raise Refused(message("Choose how the account signs in."), field="source")
    account = directory.hand_over(page.actor, number, Source(form.get("source")))
    text = message("The account %(name)s now signs in another way.", name=account.name)
    return page.done(f"{PAGES}/{number}", text)


@pages.post("/{number}/end-sessions", dependencies=MANAGE)
def end_sessions(
    number: Number, page: Page, accounts: AccountsService, sessions: SessionsService
) -> Response:
    account = accounts.get(number)
    refuse_beyond(page.visitor, account.roles)
    ended = sessions.end(page.actor, account)
    text = message("Sessions ended: %(count)s.", count=ended)
    return page.done(f"{PAGES}/{number}", text)


@pages.post("/{number}/tokens/{token}/revoke", dependencies=MANAGE)
def revoke_token(
    number: Number, token: Number, page: Page, accounts: AccountsService, tokens: TokensService
) -> Response:
    owner = accounts.get(number)
    refuse_beyond(page.visitor, owner.roles)
    revoked = tokens.revoke(page.actor, owner, token)
    text = message("The token “%(name)s” was revoked.", name=revoked.name)
    return page.done(f"{PAGES}/{number}", text)


def profile_of(form: Form, *, active: bool) -> Profile:
    unknown = [role for role in form.chosen("roles") if role not in set(Role)]
    if unknown:
        raise Refused(message("There is no role named %(name)s.", name=unknown[0]), field="roles")
    roles = frozenset(Role(role) for role in form.chosen("roles"))
    name, display_name, mail, language = map(form.get, ("name", "display_name", "mail", "language"))
    return Profile(name, display_name, mail, language, roles, active)


def form_of(account: Account) -> Form:
    typed = {**account.described(), "active": "yes" if account.active else None}
    return filled(**typed, seen=account.mark)


def show_edit(page: PageRequest, account: Account, form: Form) -> Response:
    services: Services = page.request.app.state.services
    return page.show(
        "administration/account_edit.html",
        form,
        account=shown(account),
        groups=services.get(DirectoryAccounts).groups_of(account),
        role_options=role_options(),
    )


def show_account(page: PageRequest, account: Account, *, link: NewLink | None = None) -> Response:
    services: Services = page.request.app.state.services
    question = Question(object_kind="account", object_id=str(account.id))
    history, _ = services.get(Audit).page(question, limit=HISTORY_SHOWN)
    sessions = services.get(Sessions).of(account)
    directory = services.get(DirectoryAccounts)
    address = welcome_address(page.request, link.key) if link else ""
    return page.show(
        "administration/account_show.html",
        account={**shown(account), "sessions": len(sessions)},
        groups=directory.groups_of(account),
        other_sources=other_sources(directory, account),
        link={"url": address, "expires": link.expires_at} if link else None,
        tokens=[token_row(token) for token in services.get(Tokens).of(account)],
        history=[shown_entry(entry, page.shell) for entry in history],
        may_change=page.may(Permission.ACCOUNTS_MANAGE),
    )


def other_sources(directory: DirectoryAccounts, account: Account) -> list[tuple[str, str]]:
    others = (source for source in directory.sources if source is not account.source)
    return [(source.value, say(rules.SOURCE_TITLES[source])) for source in others]


roles_pages = Router(prefix="/administration/roles")


@roles_pages.get("", dependencies=VIEW)
def roles_page(page: Page, accounts: AccountsService) -> Response:
    people = accounts.people_by_role()
    roles = [
        {"value": value, "label": label, "help": text, "people": people[Role(value)]}
        for value, label, text in role_options()
    ]
    return page.show("administration/roles.html", roles=roles, groups=permission_groups())


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
