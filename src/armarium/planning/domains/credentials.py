"""Credentials for the sites of a domain: entered once, encrypted, and opened only for a task token."""

import json
from collections.abc import Collection, Mapping
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import ARRAY

from armarium.accounts.vault import Vault
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.entities import plain
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.rows import Rows
from armarium.planning.domains import rules
from armarium.planning.domains.model import Credential, NewCredential
from armarium.planning.domains.queries import existing_domain, note
from armarium.planning.tables.domains import credential, domain

BOUND = ("domain", "kind", "realm", "user_name", "login_url")
SHOWN = tuple(column for column in credential.c if column.name != "secret")


class CredentialRows(Rows[Credential]):
    """Without the secrets: only `secrets_of` reads them."""

    def selected(self) -> "sa.Select[Any]":
        return sa.select(*SHOWN)


credentials = CredentialRows(credential, Credential, order=(credential.c.id,))


def credentials_in(connection: Connection, domain_id: int) -> list[Credential]:
    return credentials.all(connection, credential.c.domain == domain_id)


def credentials_of(connection: Connection, vault: Vault, domain_ids: Collection[int]) -> list[dict[str, Any]]:
    """As `CrawlOrder.fetching.credentials` wants them, with their secrets. Never to be kept or logged."""
    return [
        {
            "domain": name,
            "kind": found.kind.value,
            "realm": found.realm,
            "user": found.user_name,
            "login_url": found.login_url,
            **json.loads(vault.open(locked, _about(name, vars(found)))),
        }
        for name, found, locked in secrets_of(connection, domain_ids)
    ]


class Credentials:
    """A credential is never changed: a new one is added, the old one set inactive."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    #: Those of a domain, without their secrets.
    of = reading(credentials_in)

    def add(self, actor: Actor, domain: int, given: NewCredential) -> Credential:
        given = rules.check_credential(given)
        secret = json.dumps({"password": given.password, "fields": dict(given.fields)}).encode()
        with self._database.transaction() as connection:
            owner = existing_domain(connection, domain, lock=True)
            about = {"domain": domain, **{name: plain(getattr(given, name)) for name in BOUND[1:]}}
            locked = self._vault.lock(secret, _about(owner.name, about))
            values = {**about, "secret": locked, "created_at": clock.now()}
            made = credentials.new(connection, **values)
            note(connection, actor, "domain.credential_added", owner, after=made.described())
            return made

    def set_active(self, actor: Actor, domain: int, number: int, active: bool) -> Credential:
        with self._database.transaction() as connection:
            owner = existing_domain(connection, domain, lock=True)
            before = _credential(connection, domain, number)
            credentials.update(connection, number, active=active)
            after = _credential(connection, domain, number)
            changed = {"before": before.described(), "after": after.described()}
            note(connection, actor, "domain.credential_changed", owner, **changed)
            return after


def _about(name: str, of: Mapping[str, Any]) -> str:
    """All that decides where a secret is sent: who can write to the database must not lead it elsewhere."""
    return json.dumps(["credential", name, *(of[key] for key in BOUND)])


def _credential(connection: Connection, domain: int, number: int) -> Credential:
    found = credentials.by_id(connection, number)
    if found is None or found.domain != domain:
        raise NotFound(message("The domain has no credential with the number %(number)s.", number=number))
    return found


def secrets_of(connection: Connection, domain_ids: Collection[int]) -> list[tuple[str, Credential, bytes]]:
    """Active credentials of these domains: the domain's name, the credential, its locked secret."""
    chosen = (
        sa.select(*SHOWN, credential.c.secret, domain.c.name.label("domain_name"))
        .join(domain, domain.c.id == credential.c.domain)
        .where(credential.c.active)
        .where(credential.c.domain == sa.any_(sa.cast(list(domain_ids), ARRAY(sa.BigInteger))))
        .order_by(credential.c.id)
    )
    rows = connection.execute(chosen).mappings()
    return [(row["domain_name"], credentials.value(row), bytes(row["secret"])) for row in rows]
