"""API tokens: scoped, stored as digests, revocable."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import timedelta

from armarium.accounts import keys, queries, rules, tables
from armarium.accounts.model import Account, Identity, Permission, Token
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import message
from armarium.db.database import Database

LONGEST_LIFE = timedelta(days=3 * 366)
USED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True)
class NewToken:
    """A token at its birth: the only moment at which its secret can be read."""

    token: Token
    secret: str


class Tokens:
    def __init__(self, database: Database) -> None:
        self.database = database

    def create(
        self,
        actor: Actor,
        owner: Account,
        name: str,
        scopes: Collection[Permission],
        lifetime: timedelta | None,
    ) -> NewToken:
        name = name.strip()
        if not name or len(name) > rules.LONGEST_TEXT or not name.isprintable():
            raise Refused(message("Enter a short name that says what the token is for."), field="name")
        if not scopes:
            raise Refused(message("Choose at least one scope."), field="scopes")
        if not set(scopes) <= rules.permissions_of(owner.roles):
            raise Refused(message("A token cannot do more than its owner."), field="scopes")
        if lifetime is not None and not timedelta(0) < lifetime <= LONGEST_LIFE:
            raise Refused(message("A token is valid for between one day and three years."), field="days")
        secret, now = keys.TOKEN_MARK + keys.new_key(), clock.now()
        values = {
            "account": owner.id,
            "name": name,
            "hint": secret[:8],
            "key_digest": keys.digest(secret),
            "scopes": sorted(scopes),
            "created_at": now,
            "expires_at": now + lifetime if lifetime else None,
        }
        with self.database.transaction() as connection:
            token = queries.TOKENS.new(connection, **values)
            described = {"owner": owner.name, "name": name, "scopes": sorted(scopes)}
            record(connection, actor, "token.created", _subject(token), after=described)
        return NewToken(token, secret)

    def of(self, owner: Account) -> list[Token]:
        with self.database.transaction() as connection:
            return queries.TOKENS.all(connection, tables.token.c.account == owner.id)

    def revoke(self, actor: Actor, owner: Account, number: int) -> Token:
        with self.database.transaction() as connection:
            found = queries.TOKENS.one(
                connection, tables.token.c.account == owner.id, tables.token.c.id == number
            )
            token = existing(found, message("There is no token with the number %(number)s.", number=number))
            if token.revoked_at is None:
                token = replace(token, revoked_at=clock.now())
                queries.TOKENS.update(connection, number, revoked_at=token.revoked_at)
                record(connection, actor, "token.revoked", _subject(token), after={"owner": owner.name})
            return token

    def identity(self, secret: str, address: str) -> Identity | None:
        """Whose token this is: what its scopes name and its owner may do today."""
        now = clock.now()
        with self.database.transaction() as connection:
            token = queries.TOKENS.one(connection, tables.token.c.key_digest == keys.digest(secret))
            if token is None or token.revoked_at or (token.expires_at and token.expires_at <= now):
                return None
            account = queries.account_by_id(connection, token.account)
            if account is None or not account.active:
                return None
            if token.last_used_at is None or now - token.last_used_at > USED_EVERY:
                queries.TOKENS.update(connection, token.id, last_used_at=now)
        return Identity(account, token.scopes & rules.permissions_of(account.roles), None, address)


def _subject(token: Token) -> Subject:
    return Subject("token", token.id, token.name)
