"""The SQL of credentials. Only `secrets_of` reads the secrets."""

from collections.abc import Collection, Mapping

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping
from sqlalchemy.dialects.postgresql import ARRAY

from armarium.planning.domains.model import Credential, CredentialKind
from armarium.planning.tables.domains import credential, domain

SHOWN = tuple(column for column in credential.c if column.name != "secret")


def to_credential(row: RowMapping) -> Credential:
    shown = {column.name: row[column.name] for column in SHOWN}
    return Credential(**{**shown, "kind": CredentialKind(row["kind"])})


def credentials(connection: Connection, domain_id: int) -> list[Credential]:
    chosen = sa.select(*SHOWN).where(credential.c.domain == domain_id).order_by(credential.c.id)
    return [to_credential(row) for row in connection.execute(chosen).mappings()]


def credential_by_id(connection: Connection, number: int) -> Credential | None:
    row = connection.execute(sa.select(*SHOWN).where(credential.c.id == number)).mappings().one_or_none()
    return to_credential(row) if row else None


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
    return [(row["domain_name"], to_credential(row), bytes(row["secret"])) for row in rows]


def insert_credential(connection: Connection, values: Mapping[str, object]) -> int:
    return int(connection.execute(credential.insert().values(values).returning(credential.c.id)).scalar_one())


def set_active(connection: Connection, number: int, active: bool) -> None:
    connection.execute(credential.update().where(credential.c.id == number).values(active=active))
