"""SQL of missing addresses."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.access.tables import missing
from armarium.access.viewings.model import Missing, MissingKind, Noted, Sought, Standing
from armarium.access.viewings.rules import domain_of, kind_of
from armarium.db.stretches import Beginning, stretch

M = missing.c


def _where(viewing: int, sought: Sought) -> list["sa.ColumnElement[bool]"]:
    return [M.viewing == viewing, *_conditions(sought)]


def _conditions(sought: Sought) -> Iterator["sa.ColumnElement[bool]"]:
    if sought.standing is not Standing.ALL:
        yield M.handed_at.is_(None) if sought.standing is Standing.OPEN else M.handed_at.is_not(None)
    if sought.domain:
        yield M.domain == sought.domain
    if sought.kind is not None:
        yield M.kind == sought.kind.value
    if sought.referrer:
        yield M.referrer.icontains(sought.referrer, autoescape=True)
    if sought.text:
        yield M.url.icontains(sought.text, autoescape=True)


def page(
    connection: Connection, viewing: int, sought: Sought, limit: int | None, offset: Beginning = 0
) -> tuple[list[Missing], int]:
    """Those that were asked for last first, and how many there are in all."""
    where = _where(viewing, sought)
    newest = (M.last_at.desc(), M.id.desc())
    rows = stretch(connection, sa.select(missing).where(*where), newest, limit, offset).mappings()
    found = [Missing(**{**row, "kind": MissingKind(row["kind"])}) for row in rows]
    total = connection.scalar(sa.select(sa.func.count()).select_from(missing).where(*where)) or 0
    return found, total


def domains(connection: Connection, viewing: int, standing: Standing, most: int) -> list[tuple[str, int]]:
    """Those of which most is missing first."""
    counted = sa.func.count()
    asked = (
        sa.select(M.domain, counted)
        .where(*_where(viewing, Sought(standing)))
        .group_by(M.domain)
        .order_by(counted.desc(), M.domain)
        .limit(most)
    )
    return [(domain, times) for domain, times in connection.execute(asked)]


def kinds(connection: Connection, viewing: int, standing: Standing) -> dict[MissingKind, int]:
    asked = sa.select(M.kind, sa.func.count()).where(*_where(viewing, Sought(standing))).group_by(M.kind)
    return {MissingKind(kind): times for kind, times in connection.execute(asked)}


def chosen(connection: Connection, viewing: int, numbers: Sequence[int]) -> list[Missing]:
    asked = sa.select(missing).where(M.viewing == viewing, M.id.in_(numbers)).order_by(M.id)
    return [
        Missing(**{**row, "kind": MissingKind(row["kind"])}) for row in connection.execute(asked).mappings()
    ]


def held(connection: Connection, viewing: int, urls: Collection[str]) -> set[str]:
    """Which of these addresses are in the list already."""
    return set(connection.scalars(sa.select(M.url).where(M.viewing == viewing, M.url.in_(urls))))


def count(connection: Connection, viewing: int) -> int:
    return connection.scalar(sa.select(sa.func.count()).select_from(missing).where(M.viewing == viewing)) or 0


def note(connection: Connection, notes: Sequence[Noted]) -> None:
    """Enter them; those that are there are counted. Handed over they stay handed over."""
    # In one order everywhere: two processes that note the same addresses must not wait for each other.
    rows = [
        {**vars(one), "domain": domain_of(one.url), "kind": kind_of(one.url).value}
        for one in sorted(notes, key=lambda one: (one.viewing, one.url))
    ]
    new = insert(missing)
    connection.execute(
        new.on_conflict_do_update(
            index_elements=[M.viewing, M.url],
            set_={
                "times": M.times + new.excluded.times,
                "last_at": sa.func.greatest(M.last_at, new.excluded.last_at),
                "referrer": sa.case((M.referrer == "", new.excluded.referrer), else_=M.referrer),
            },
        ),
        rows,
    )


def hand(connection: Connection, numbers: Sequence[int], harvest: int, who: str, at: datetime) -> None:
    connection.execute(
        sa.update(missing).where(M.id.in_(numbers)).values(harvest=harvest, handed_at=at, handed_by=who)
    )


def delete(connection: Connection, viewing: int, numbers: Sequence[int] | None = None) -> int:
    """`numbers`: None deletes all of them."""
    where = [M.viewing == viewing, *([M.id.in_(numbers)] if numbers is not None else [])]
    return connection.execute(sa.delete(missing).where(*where)).rowcount
