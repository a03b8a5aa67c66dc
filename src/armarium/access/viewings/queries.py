"""SQL of viewings, and of the addresses that are missing in them."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as pg_insert

from armarium.access.tables import missing, viewing
from armarium.access.viewings.model import (
    Missing,
    MissingFilter,
    MissingKind,
    Noted,
    Standing,
    Viewing,
    ViewingFilter,
)
from armarium.access.viewings.rules import domain_of, kind_of
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
    connection: Connection,
    owner: int | None,
    job: int | None,
    sought: ViewingFilter,
    limit: int,
    offset: Beginning,
) -> tuple[list[Viewing], int]:
    """The newest first, those that have ended after the others; `owner` and `job`: None asks for any."""
    where: list[sa.ColumnElement[bool]] = []
    if owner is not None:
        where.append(V.account == owner)
    if job is not None:
        where.append(V.jobs.contains([job]))
    if sought.text:
        where.append(sa.or_(*(one.icontains(sought.text, autoescape=True) for one in (V.title, V.note))))
    if sought.ended is not None:
        where.append(V.ended_at.is_not(None) == sought.ended)
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


MISSING = missing.c


def _where_missing(viewing: int, sought: MissingFilter) -> list["sa.ColumnElement[bool]"]:
    return [MISSING.viewing == viewing, *_conditions(sought)]


def _conditions(sought: MissingFilter) -> Iterator["sa.ColumnElement[bool]"]:
    if sought.standing is not Standing.ALL:
        yield (
            MISSING.handed_at.is_(None)
            if sought.standing is Standing.OPEN
            else MISSING.handed_at.is_not(None)
        )
    if sought.domain:
        yield MISSING.domain == sought.domain
    if sought.kind is not None:
        yield MISSING.kind == sought.kind.value
    if sought.referrer:
        yield MISSING.referrer.icontains(sought.referrer, autoescape=True)
    if sought.text:
        yield MISSING.url.icontains(sought.text, autoescape=True)


def missing_page(
    connection: Connection, viewing: int, sought: MissingFilter, limit: int | None, offset: Beginning = 0
) -> tuple[list[Missing], int]:
    """Those that were asked for last first, and how many there are in all."""
    where = _where_missing(viewing, sought)
    newest = (MISSING.last_at.desc(), MISSING.id.desc())
    rows = stretch(connection, sa.select(missing).where(*where), newest, limit, offset).mappings()
    found = [Missing(**{**row, "kind": MissingKind(row["kind"])}) for row in rows]
    total = connection.scalar(sa.select(sa.func.count()).select_from(missing).where(*where)) or 0
    return found, total


def domains(connection: Connection, viewing: int, standing: Standing, most: int) -> list[tuple[str, int]]:
    """Those of which most is missing first."""
    counted = sa.func.count()
    asked = (
        sa.select(MISSING.domain, counted)
        .where(*_where_missing(viewing, MissingFilter(standing)))
        .group_by(MISSING.domain)
        .order_by(counted.desc(), MISSING.domain)
        .limit(most)
    )
    return [(domain, times) for domain, times in connection.execute(asked)]


def kinds(connection: Connection, viewing: int, standing: Standing) -> dict[MissingKind, int]:
    asked = (
        sa.select(MISSING.kind, sa.func.count())
        .where(*_where_missing(viewing, MissingFilter(standing)))
        .group_by(MISSING.kind)
    )
    return {MissingKind(kind): times for kind, times in connection.execute(asked)}


def chosen_missing(connection: Connection, viewing: int, numbers: Sequence[int]) -> list[Missing]:
    asked = sa.select(missing).where(MISSING.viewing == viewing, MISSING.id.in_(numbers)).order_by(MISSING.id)
    return [
        Missing(**{**row, "kind": MissingKind(row["kind"])}) for row in connection.execute(asked).mappings()
    ]


def held_missing(connection: Connection, viewing: int, urls: Collection[str]) -> set[str]:
    """Which of these addresses are in the list already."""
    return set(
        connection.scalars(sa.select(MISSING.url).where(MISSING.viewing == viewing, MISSING.url.in_(urls)))
    )


def count_missing(connection: Connection, viewing: int) -> int:
    return (
        connection.scalar(sa.select(sa.func.count()).select_from(missing).where(MISSING.viewing == viewing))
        or 0
    )


def note_missing(connection: Connection, notes: Sequence[Noted]) -> None:
    """Enter them; those that are there are counted. Handed over they stay handed over."""
    # In one order everywhere: two processes that note the same addresses must not wait for each other.
    rows = [
        {**vars(one), "domain": domain_of(one.url), "kind": kind_of(one.url).value}
        for one in sorted(notes, key=lambda one: (one.viewing, one.url))
    ]
    new = pg_insert(missing)
    connection.execute(
        new.on_conflict_do_update(
            index_elements=[MISSING.viewing, MISSING.url],
            set_={
                "times": MISSING.times + new.excluded.times,
                "last_at": sa.func.greatest(MISSING.last_at, new.excluded.last_at),
                "referrer": sa.case((MISSING.referrer == "", new.excluded.referrer), else_=MISSING.referrer),
            },
        ),
        rows,
    )


def mark_handed(connection: Connection, numbers: Sequence[int], harvest: int, who: str, at: datetime) -> None:
    connection.execute(
        sa.update(missing).where(MISSING.id.in_(numbers)).values(harvest=harvest, handed_at=at, handed_by=who)
    )


def delete_missing(connection: Connection, viewing: int, numbers: Sequence[int] | None = None) -> int:
    """`numbers`: None deletes all of them."""
    where = [MISSING.viewing == viewing, *([MISSING.id.in_(numbers)] if numbers is not None else [])]
    return connection.execute(sa.delete(missing).where(*where)).rowcount
