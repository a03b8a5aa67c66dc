"""SQL of viewings."""

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.tables import missing, viewing
from armarium.access.viewings.model import Viewing
from armarium.accounts.tables import account
from armarium.db.stretches import Beginning, stretch

V, M = viewing.c, missing.c
_FIELDS = ("id", "account", "title", "jobs", "recording", "note", "passed_over", "created_at", "ended_at")


def _selected() -> sa.Select[Any]:
    return sa.select(
        *(V[name] for name in _FIELDS),
        V.proxy_digest.is_not(None).label("by_proxy"),
        account.c.name.label("owner"),
    ).join(account, account.c.id == V.account)


def one(connection: Connection, number: int, *, lock: bool = False) -> Viewing | None:
    asked = _selected().where(V.id == number)
    row = connection.execute(asked.with_for_update(of=viewing) if lock else asked).mappings().first()
    return _counted(connection, [row])[0] if row else None


def page(
    connection: Connection, owner: int | None, job: int | None, limit: int, offset: Beginning
) -> tuple[list[Viewing], int]:
    """The newest first, those that have ended after the others; `owner` and `job`: None asks for any."""
    where = []
    if owner is not None:
        where.append(V.account == owner)
    if job is not None:
        where.append(V.jobs.contains([job]))
    order = (V.ended_at.is_not(None), V.id.desc())
    rows = stretch(connection, _selected().where(*where), order, limit, offset).mappings().all()
    total = connection.scalar(sa.select(sa.func.count()).select_from(viewing).where(*where)) or 0
    return _counted(connection, rows), total


def _counted(connection: Connection, rows: Sequence[sa.RowMapping]) -> list[Viewing]:
    counted = (
        sa.select(
            M.viewing,
            sa.func.count().filter(M.handed_at.is_(None)),
            sa.func.count().filter(M.handed_at.is_not(None)),
        )
        .where(M.viewing.in_([row["id"] for row in rows]))
        .group_by(M.viewing)
    )
    known = {number: (waiting, handed) for number, waiting, handed in connection.execute(counted)}
    return [_viewing(row, *known.get(row["id"], (0, 0))) for row in rows]


def _viewing(row: sa.RowMapping, waiting: int, handed: int) -> Viewing:
    return Viewing(**{**row, "jobs": tuple(row["jobs"])}, open=waiting, handed=handed)


def insert(connection: Connection, **values: object) -> int:
    made: int = connection.execute(sa.insert(viewing).values(**values).returning(V.id)).scalar_one()
    return made


def update(connection: Connection, number: int, **values: object) -> None:
    connection.execute(sa.update(viewing).where(V.id == number).values(**values))


def add_passed_over(connection: Connection, number: int, times: int) -> None:
    update(connection, number, passed_over=V.passed_over + times)


def proxied(connection: Connection, number: int, digest: bytes) -> int | None:
    """The account whose viewing it is, if the word is the right one."""
    asked = sa.select(V.account).where(V.id == number, V.proxy_digest == digest, V.ended_at.is_(None))
    return connection.scalar(asked)
