"""My account: profile, password, sessions, API tokens."""

import re
from datetime import timedelta
from typing import Any

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts import rules
from armarium.accounts.directory.service import DirectoryAccounts
from armarium.accounts.model import Account, Identity, Permission, Session, Throttled, Token
from armarium.accounts.service import Accounts
from armarium.accounts.sessions import Sessions
from armarium.accounts.tokens import NewToken, Tokens
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.core.services import Services
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, in_person
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import AccountsService, SessionsService, TokensService
from armarium.web.shell import PageShell, Shell, done
from armarium.web.sign_in import refuse_unlike

# --- A browser's name for people, from what it says of itself. Only for show: anybody can say anything.


#: In this order: most browsers also name those whose pages they want to get.
BROWSERS = (
    ("Edg/", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("Windows", "Windows"),
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def browser_of(agent: str) -> str:
    browser = next((name for mark, name in BROWSERS if mark in agent), None)
    system = next((name for mark, name in SYSTEMS if mark in agent), None)
    if browser is None:
        return re.sub(r"[^\x20-\x7e]", "?", agent)[:60] or "?"
    return f"{browser}, {system}" if system else browser


# --- My account: profile, password, sessions, API tokens.


router = Router(prefix="/account", dependencies=[Depends(in_person)], include_in_schema=False)


#: Days that a token may live, as the form offers them; empty: until it is revoked.
LIFETIMES: tuple[tuple[str, Message], ...] = (
    ("30", message("In 30 days")),
    ("90", message("In 90 days")),
    ("365", message("In one year")),
    ("", message("Never, until revoked")),
)
USUAL_LIFETIME = "365"


@router.get("")
def my_account(request: Request, visitor: Visitor, page: PageShell) -> Response:
    return show(request, page, visitor)


@router.post("/profile")
def change_profile(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, accounts: AccountsService
) -> Response:
    try:
        texts = (form.get("display_name"), form.get("mail"), form.get("language"))
        accounts.change_own(visitor.actor, visitor.account.id, *texts)
    except Refused as refusal:
        return show(request, page, visitor, status=422, profile_form=form.refuse(refusal))
    return done(request, "/account", message("Your profile was saved."))


@router.post("/password")
def change_password(
    request: Request,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    accounts: AccountsService,
    sessions: SessionsService,
) -> Response:
    try:
        refuse_unlike(form)
        prove(sessions, visitor, form.get("current"))
        kept = visitor.session.id if visitor.session else None
        accounts.change_password(visitor.actor, visitor.account.id, form.get("password"), keep_session=kept)
    except Refused as refusal:
        return show(request, page, visitor, status=422, password_form=form.refuse(refusal))
    return done(
        request, "/account", message("Your password was changed, and your other sessions have ended.")
    )


def prove(sessions: Sessions, visitor: Identity, password: str) -> None:
    """A session left open must not be enough to take the account over."""
    try:
        sessions.prove(visitor.account, password, address=visitor.address or "")
    except Throttled:
        raise
    except Refused as refusal:
        raise Refused(message("The current password is not right."), field="current") from refusal


@router.post("/sessions/end-others")
def end_other_sessions(request: Request, visitor: Visitor, sessions: SessionsService) -> Response:
    kept = visitor.session.id if visitor.session else None
    sessions.end(visitor.actor, visitor.account, but=kept)
    return done(request, "/account", message("Your other sessions have ended."))


@router.post("/sessions/{number}/end")
def end_session(request: Request, number: Number, visitor: Visitor, sessions: SessionsService) -> Response:
    ended = sessions.end(visitor.actor, visitor.account, number=number)
    text = message("The session has ended.") if ended else message("That session had already ended.")
    return done(request, "/account", text)


@router.post("/tokens")
def create_token(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, tokens: TokensService
) -> Response:
    """The answer is the page itself, not a redirect: the secret is shown this once and kept nowhere."""
    try:
        scopes = [Permission(scope) for scope in form.chosen("scopes") if scope in set(Permission)]
        lifetime = lifetime_of(form.get("expires"))
        new = tokens.create(visitor.actor, visitor.account, form.get("name"), scopes, lifetime)
    except Refused as refusal:
        refused = form.refuse(refusal, several=["scopes"])
        return show(request, page, visitor, status=422, token_form=refused)
    return show(request, page, visitor, new_token=new)


def lifetime_of(chosen: str) -> timedelta | None:
    if chosen not in dict(LIFETIMES):
        raise Refused(message("Choose when the token expires."), field="expires")
    return timedelta(days=int(chosen)) if chosen else None


@router.post("/tokens/{number}/revoke")
def revoke_token(request: Request, number: Number, visitor: Visitor, tokens: TokensService) -> Response:
    token = tokens.revoke(visitor.actor, visitor.account, number)
    return done(request, "/account", message("The token “%(name)s” was revoked.", name=token.name))


def show(
    request: Request,
    page: Shell,
    visitor: Identity,
    *,
    status: int = 200,
    profile_form: Form | None = None,
    password_form: Form | None = None,
    token_form: Form | None = None,
    new_token: NewToken | None = None,
) -> Response:
    services: Services = request.app.state.services
    account = services.get(Accounts).get(visitor.account.id)
    current = visitor.session.id if visitor.session else None
    context: dict[str, Any] = {
        "person": described(account),
        "groups": services.get(DirectoryAccounts).groups_of(account),
        "profile_form": with_id(profile_form or profile_of(account), "profile"),
        "password_form": with_id(password_form or Form(), "password"),
        "token_form": with_id(token_form or filled(expires=USUAL_LIFETIME), "token"),
        "minimum": rules.SHORTEST_PASSWORD,
        "new_token": {"name": new_token.token.name, "value": new_token.secret} if new_token else None,
        "sessions": [session_row(s, current) for s in services.get(Sessions).of(account)],
        "tokens": [token_row(token) for token in services.get(Tokens).of(account)],
        "expiry_options": LIFETIMES,
        "scope_options": [(p.value, rules.PERMISSION_TITLES[p], None) for p in sorted(visitor.permissions)],
    }
    return page.page(request, "account.html", status=status, **context)


def with_id(form: Form, name: str) -> Form:
    form.id = name
    return form


def profile_of(account: Account) -> Form:
    return filled(display_name=account.display_name, mail=account.mail, language=account.language)


def described(account: Account) -> dict[str, Any]:
    roles = [rules.role_title(role) for role in sorted(account.roles)]
    return {
        "name": account.name,
        "display_name": account.display_name,
        "mail": account.mail,
        "roles": roles,
        "is_local": account.is_local,
        "source": rules.SOURCE_TITLES[account.source],
    }


def session_row(session: Session, current: int | None) -> dict[str, Any]:
    return {
        "id": session.id,
        "browser": browser_of(session.agent),
        "address": session.address,
        "started": session.created_at,
        "last_seen": session.last_seen_at,
        "current": session.id == current,
    }


def token_row(token: Token) -> dict[str, Any]:
    return {
        "id": token.id,
        "name": token.name,
        "scopes": sorted(scope.value for scope in token.scopes),
        "created": token.created_at,
        "expires": token.expires_at,
        "last_used": token.last_used_at,
        "state": token.state(clock.now()),
    }
