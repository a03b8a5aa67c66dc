"""Steps that several tests of the site take."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import sqlalchemy as sa

from armarium.accounts.model import Account, Permission, Profile, Role
from armarium.audit.model import Entry, Question
from armarium.core.actor import SYSTEM
from tests.site import LOG, Client, RunningSite

ADDRESS = "127.0.0.1"
PROBLEM = "application/problem+json"


def enter(site: RunningSite, name: str, *roles: Role) -> Client:
    """A client with a session of a new account, without the work of hashing a password."""
    account = site.house.accounts.create(SYSTEM, Profile(name, "", "", "", frozenset(roles)))
    return enter_as(site, account)


def enter_as(site: RunningSite, account: Account) -> Client:
    client = site.client()
    key = site.house.sessions.open_for(account, address=ADDRESS, agent="tests")
    client.cookies.set("armarium_session", key)
    return client


def token_of(site: RunningSite, name: str, *scopes: Permission) -> str:
    owner = site.house.accounts.named(name)
    return site.house.tokens.create(SYSTEM, owner, "tests", scopes, None).secret


def with_token(site: RunningSite, secret: str) -> Client:
    client = site.client()
    client.headers["Authorization"] = f"Bearer {secret}"
    return client


def execute(site: RunningSite, statement: str, **values: object) -> None:
    with site.house.database.transaction() as connection:
        connection.execute(sa.text(statement), values)


def rows(site: RunningSite, statement: str) -> list[tuple[Any, ...]]:
    with site.house.database.transaction() as connection:
        return [tuple(row) for row in connection.execute(sa.text(statement))]


def audited(site: RunningSite, action: str = "", *, name: str = "") -> list[Entry]:
    """Entries of the audit log, oldest first."""
    entries, _ = site.house.audit.page(Question(action=action, object_name=name), limit=1000)
    return entries[::-1]


def assert_clear(answer: httpx.Response, status: int) -> None:
    """The refusal that a person or a program can read: no traceback, not empty, in the right form."""
    assert answer.status_code == status, answer.text[:500]
    assert "Traceback" not in answer.text
    if answer.request.url.path.startswith("/api"):
        assert answer.headers["content-type"] == PROBLEM
        problem = answer.json()
        assert problem["status"] == status
        assert problem["title"]
        assert problem["detail"]
    else:
        assert answer.headers["content-type"].startswith("text/html")
        assert f"Error {status}" in answer.text


@dataclass
class Lines:
    """What the site has written to its log during a test."""

    home: Path

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (json.loads(line) for line in self.raw.splitlines())

    @property
    def raw(self) -> str:
        written = self.home / LOG
        return written.read_text() if written.exists() else ""

    def forget(self) -> None:
        (self.home / LOG).write_text("")

    def with_event(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self if line["event"] == event]
