"""The API of accounts: what the pages do, for programs."""

from collections.abc import Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from armarium.accounts.directory.service import DirectoryAccounts
from armarium.accounts.model import Account, AccountState, Permission, Profile, Role, Source, Token
from armarium.accounts.queries import Wanted
from armarium.accounts.rules import permissions_of
from armarium.administration.accounts import refuse_beyond
from armarium.core.entities import edited
from armarium.web import schemas
from armarium.web.addresses import welcome_address
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import AccountsService, DirectoryAccountsService, SessionsService, TokensService

api = Router(tags=["accounts"])


class AccountGiven(BaseModel):
    """What a program says about an account."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(max_length=64)
    display_name: str = Field("", max_length=200)
    mail: str = Field("", max_length=255)
    language: str = Field("", max_length=20)
    roles: list[Role] = []
    active: bool = True

    def profile(self) -> Profile:
        return Profile(**{**self.model_dump(), "roles": frozenset(self.roles)})


class AccountWhole(AccountGiven):
    """PUT replaces: what is not said must not be changed in silence, so everything has to be said."""

    display_name: str = Field(max_length=200)
    mail: str = Field(max_length=255)
    language: str = Field(max_length=20)
    roles: list[Role]
    active: bool


class AccountPart(BaseModel):
    """PATCH: only what shall change."""

    model_config = ConfigDict(extra="forbid")

    name: str | None = Field(None, max_length=64)
    display_name: str | None = Field(None, max_length=200)
    mail: str | None = Field(None, max_length=255)
    language: str | None = Field(None, max_length=20)
    roles: list[Role] | None = None
    active: bool | None = None

    def over(self, account: Account) -> Profile:
        roles = None if self.roles is None else frozenset(self.roles)
        return edited(account.profile, **{**self.model_dump(), "roles": roles})


TokenShown = schemas.shown(
    Token, "TokenShown", without=("account",), module=__name__, scopes=list[Permission]
)


class AccountShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    display_name: str
    mail: str
    language: str
    roles: list[Role]
    active: bool
    has_password: bool
    created_at: datetime
    last_sign_in_at: datetime | None
    source: Source
    groups: list[str]


class Me(BaseModel):
    account: AccountShown
    permissions: list[Permission]


class LinkShown(BaseModel):
    link: str
    expires_at: datetime


class Ended(BaseModel):
    ended: int


class SourceGiven(BaseModel):
    model_config = ConfigDict(extra="forbid")

    source: Source


def shown(account: Account, directory: DirectoryAccounts) -> AccountShown:
    return all_shown([account], directory)[0]


def all_shown(accounts: Sequence[Account], directory: DirectoryAccounts) -> list[AccountShown]:
    groups = directory.groups_of_each([account.id for account in accounts])
    return [
        AccountShown.model_validate(
            {**vars(account), "roles": sorted(account.roles), "groups": groups[account.id]}
        )
        for account in accounts
    ]


@api.get("/me", summary="Read the owner and permissions of this token or session", **operation())
def read_me(visitor: Visitor, directory: DirectoryAccountsService) -> Me:
    return Me(account=shown(visitor.account, directory), permissions=sorted(visitor.permissions))


@api.get("/accounts", summary="List accounts", **operation(Permission.ACCOUNTS_VIEW))
def list_accounts(
    accounts: AccountsService,
    directory: DirectoryAccountsService,
    text: str = "",
    role: Role | None = None,
    state: AccountState | None = None,
    *,
    at: At,
) -> Listing[AccountShown]:
    found, total = accounts.page(Wanted(text, role, state), limit=at.limit, offset=at.place)
    return at.listing(all_shown(found, directory), total)


@api.post("/accounts", status_code=201, summary="Create an account", **operation(Permission.ACCOUNTS_MANAGE))
def create_account(
    visitor: Visitor, given: AccountGiven, accounts: AccountsService, directory: DirectoryAccountsService
) -> AccountShown:
    refuse_beyond(visitor, given.roles)
    return shown(accounts.create(visitor.actor, given.profile()), directory)


@api.get("/accounts/{number}", summary="Read an account", **operation(Permission.ACCOUNTS_VIEW))
def read_account(
    number: Number, accounts: AccountsService, directory: DirectoryAccountsService
) -> AccountShown:
    return shown(accounts.get(number), directory)


@api.put("/accounts/{number}", summary="Replace an account", **operation(Permission.ACCOUNTS_MANAGE))
def replace_account(
    number: Number,
    visitor: Visitor,
    given: AccountWhole,
    accounts: AccountsService,
    directory: DirectoryAccountsService,
) -> AccountShown:
    refuse_beyond(visitor, accounts.get(number).roles, given.roles)
    return shown(accounts.change(visitor.actor, number, given.profile()), directory)


@api.patch(
    "/accounts/{number}",
    summary="Change some fields of an account",
    **operation(Permission.ACCOUNTS_MANAGE),
)
def change_account(
    number: Number,
    visitor: Visitor,
    given: AccountPart,
    accounts: AccountsService,
    directory: DirectoryAccountsService,
) -> AccountShown:
    before = accounts.get(number)
    profile = given.over(before)
    refuse_beyond(visitor, before.roles, profile.roles)
    return shown(accounts.change(visitor.actor, number, profile, seen=before.mark), directory)


@api.post(
    "/accounts/{number}/source",
    summary="Change how an account signs in: password, directory or provider",
    **operation(Permission.ACCOUNTS_MANAGE),
)
def change_source(
    number: Number,
    visitor: Visitor,
    given: SourceGiven,
    accounts: AccountsService,
    directory: DirectoryAccountsService,
) -> AccountShown:
    refuse_beyond(visitor, accounts.get(number).roles)
    return shown(directory.hand_over(visitor.actor, number, given.source), directory)


@api.get(
    "/accounts/{number}/tokens",
    summary="List the API tokens of an account",
    response_model=schemas.several(TokenShown),
    **operation(Permission.ACCOUNTS_VIEW),
)
def list_tokens(number: Number, accounts: AccountsService, tokens: TokensService) -> list[Token]:
    return tokens.of(accounts.get(number))


@api.delete(
    "/accounts/{number}/tokens/{token}",
    summary="Revoke an API token of an account",
    response_model=TokenShown,
    **operation(Permission.ACCOUNTS_MANAGE),
)
def revoke_token(
    number: Number, token: Number, visitor: Visitor, accounts: AccountsService, tokens: TokensService
) -> Token:
    owner = accounts.get(number)
    refuse_beyond(visitor, owner.roles)
    return tokens.revoke(visitor.actor, owner, token)


@api.get("/roles", summary="List roles and their permissions", **operation(Permission.ACCOUNTS_VIEW))
def read_roles() -> dict[Role, list[Permission]]:
    return {role: sorted(permissions_of([role])) for role in Role}


@api.post(
    "/accounts/{number}/link",
    summary="Create a one-time link to set the password of an account",
    **operation(Permission.ACCOUNTS_MANAGE),
)
def make_link(request: Request, number: Number, visitor: Visitor, accounts: AccountsService) -> LinkShown:
    refuse_beyond(visitor, accounts.get(number).roles)
    link = accounts.password_link(visitor.actor, number)
    return LinkShown(link=welcome_address(request, link.key), expires_at=link.expires_at)


@api.delete(
    "/accounts/{number}/sessions",
    summary="End all sessions of an account",
    **operation(Permission.ACCOUNTS_MANAGE),
)
def end_sessions(
    number: Number, visitor: Visitor, accounts: AccountsService, sessions: SessionsService
) -> Ended:
    account = accounts.get(number)
    refuse_beyond(visitor, account.roles)
    return Ended(ended=sessions.end(visitor.actor, account))
