"""Passwords and sessions on a real database, where a page would only stand in the way."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher
from argon2.low_level import Type

from armarium.accounts import passwords
from armarium.accounts.model import Account, Permission, Profile, Role
from armarium.accounts.service import Accounts
from armarium.accounts.sessions import Sessions
from armarium.accounts.settings import AccountSettings
from armarium.accounts.tokens import Tokens
from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.db.database import Database

GOOD = "correct horse battery staple"
HERE = "192.0.2.1"


@pytest.fixture
def accounts(database: Database) -> Accounts:
    return Accounts(database, AccountSettings())


@pytest.fixture
def sessions(database: Database) -> Sessions:
    return Sessions(database, AccountSettings())


@pytest.fixture
def ada(accounts: Accounts) -> Account:
    account = accounts.create(SYSTEM, Profile("ada", "Ada", "", "", frozenset({Role.ENGINEER})))
    return accounts.use_link(accounts.password_link(SYSTEM, account.id).key, GOOD, HERE)


def kept_hash(database: Database) -> str:
    with database.transaction() as connection:
        return str(connection.scalar(sa.text("SELECT password_hash FROM account WHERE name = 'ada'")))


def put_hash(database: Database, password_hash: str) -> None:
    with database.transaction() as connection:
        connection.execute(sa.text("UPDATE account SET password_hash = :new"), {"new": password_hash})


def test_a_password_is_kept_as_argon2id(real_passwords: None, database: Database, ada: Account) -> None:
    kept = kept_hash(database)
    assert kept.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert GOOD not in kept


def test_a_hash_with_weaker_parameters_is_renewed_at_the_next_sign_in(
    real_passwords: None, database: Database, sessions: Sessions, ada: Account
) -> None:
    weak = PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1, type=Type.I).hash(GOOD)
    put_hash(database, weak)
    sessions.sign_in("ada", GOOD, address=HERE, agent="")
    renewed = kept_hash(database)
    assert renewed.startswith("$argon2id$")
    assert not passwords.outdated(renewed)
    sessions.sign_in("ada", GOOD, address=HERE, agent="")
    assert kept_hash(database) == renewed


def test_a_hash_that_cannot_be_read_opens_nothing(
    database: Database, sessions: Sessions, ada: Account
) -> None:
    for broken in ("", "plain text", "$argon2id$v=19$m=1", GOOD):
        put_hash(database, broken)
        with pytest.raises(Refused, match="not right"):
            sessions.sign_in("ada", GOOD, address=HERE, agent="")


def between(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Let something happen in the moment in which a password is being compared."""
    original = passwords.matches

    def compared(password_hash: str | None, password: str) -> bool:
        answer = original(password_hash, password)
        monkeypatch.setattr(passwords, "matches", original)
        act()
        return answer

    monkeypatch.setattr(passwords, "matches", compared)


def test_a_password_that_is_replaced_during_sign_in_opens_nothing_and_stays_replaced(
    monkeypatch: pytest.MonkeyPatch, database: Database, accounts: Accounts, sessions: Sessions, ada: Account
) -> None:
    """Neither a session of the old password may survive, nor the old hash come back by being renewed."""
    put_hash(database, PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1).hash(GOOD))
    key = accounts.password_link(SYSTEM, ada.id).key
    between(monkeypatch, lambda: accounts.use_link(key, "another good sentence", HERE))
    with pytest.raises(Refused, match="not right"):
        sessions.sign_in("ada", GOOD, address=HERE, agent="")
    assert sessions.of(ada) == []
    assert passwords.matches(kept_hash(database), "another good sentence")


def test_an_account_that_is_blocked_during_sign_in_gets_no_session(
    monkeypatch: pytest.MonkeyPatch, accounts: Accounts, sessions: Sessions, ada: Account
) -> None:
    blocked = Profile("ada", "Ada", "", "", ada.roles, active=False)
    between(monkeypatch, lambda: accounts.change(SYSTEM, ada.id, blocked))
    with pytest.raises(Refused, match="not right"):
        sessions.sign_in("ada", GOOD, address=HERE, agent="")
    assert sessions.of(ada) == []


def test_what_has_expired_is_cleared_away_and_nothing_else(
    database: Database, accounts: Accounts, sessions: Sessions, ada: Account
) -> None:
    key = sessions.open_for(ada, address=HERE, agent="")
    gone = sessions.open_for(ada, address=HERE, agent="")
    statements = (
        "UPDATE session SET expires_at = now() - interval '1 second' WHERE id = 2",
        "INSERT INTO sign_in_failure (name, address, at) VALUES ('x', 'y', now() - interval '31 minutes')",
    )
    with database.transaction() as connection:
        for statement in statements:
            connection.execute(sa.text(statement))
    assert accounts.forget_expired() == 2
    assert sessions.identity(key, HERE)
    assert sessions.identity(gone, HERE) is None


def test_roles_and_scopes_of_a_later_version_give_nothing(database: Database, ada: Account) -> None:
    tokens = Tokens(database)
    new = tokens.create(SYSTEM, ada, "x", [Permission.TASKS_VIEW], None)
    with database.transaction() as connection:
        connection.execute(sa.text("UPDATE account SET roles = '{engineer,emperor}'"))
        connection.execute(sa.text("UPDATE api_token SET scopes = '{world.rule,tasks.view}'"))
    identity = tokens.identity(new.secret, HERE)
    assert identity is not None
    assert identity.account.roles == {Role.ENGINEER}
    assert identity.permissions == {"tasks.view"}


def test_unknown_things_are_not_found(accounts: Accounts, database: Database, ada: Account) -> None:
    with pytest.raises(NotFound):
        accounts.get(999)
    with pytest.raises(NotFound, match="nobody"):
        accounts.named("nobody")
    with pytest.raises(NotFound):
        Tokens(database).revoke(SYSTEM, ada, 999)
