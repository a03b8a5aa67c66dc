"""The API of accounts: what the pages do, for programs."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request

from armarium.accounts.model import Account, AccountState, Permission, Profile, Role
from armarium.accounts.queries import Wanted
from armarium.administration.reach import refuse_beyond
from armarium.web.addresses import welcome_address
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import Limit, Listing, Number, Offset
from armarium.web.sign_in import AccountsService, SessionsService

api = APIRouter(tags=["accounts"])


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
        given = self.model_dump()
        return Profile(**{**given, "roles": frozenset(self.roles)})


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


class Me(BaseModel):
    account: AccountShown
    permissions: list[Permission]


class LinkShown(BaseModel):
    link: str
    expires_at: datetime


class Ended(BaseModel):
    ended: int


def shown(account: Account) -> AccountShown:
    return AccountShown.model_validate({**vars(account), "roles": sorted(account.roles)})


@api.get("/me", summary="Who this token or session belongs to, and what it may do", **operation())
def read_me(visitor: Visitor) -> Me:
    return Me(account=shown(visitor.account), permissions=sorted(visitor.permissions))


@api.get("/accounts", summary="List accounts", **operation(Permission.ACCOUNTS_VIEW))
def list_accounts(
    accounts: AccountsService,
    text: str = "",
    role: Role | None = None,
    state: AccountState | None = None,
    limit: Limit = 50,
    offset: Offset = 0,
) -> Listing[AccountShown]:
    found, total = accounts.page(Wanted(text, role, state), limit=limit, offset=offset)
    return Listing(items=[shown(account) for account in found], total=total)


@api.post("/accounts", status_code=201, summary="Create an account", **operation(Permission.ACCOUNTS_MANAGE))
def create_account(visitor: Visitor, given: AccountGiven, accounts: AccountsService) -> AccountShown:
    refuse_beyond(visitor, given.roles)
    return shown(accounts.create(visitor.actor, given.profile()))


@api.get("/accounts/{number}", summary="Read an account", **operation(Permission.ACCOUNTS_VIEW))
def read_account(number: Number, accounts: AccountsService) -> AccountShown:
    return shown(accounts.get(number))


@api.put("/accounts/{number}", summary="Change an account", **operation(Permission.ACCOUNTS_MANAGE))
def change_account(
    number: Number, visitor: Visitor, given: AccountGiven, accounts: AccountsService
) -> AccountShown:
    refuse_beyond(visitor, accounts.get(number).roles, given.roles)
    return shown(accounts.change(visitor.actor, number, given.profile()))


@api.post(
    "/accounts/{number}/link",
    summary="Make a one-time link to set the account's password",
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
    return Ended(ended=sessions.end(visitor.actor, accounts.get(number)))
