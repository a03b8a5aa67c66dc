"""The SQL of figures of use."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.access.statistics.model import FEWEST, OTHER, Figure, Question, Stretch
from armarium.access.tables import network, site_use, use

TIMES = sa.func.sum(use.c.times)
SIZE = sa.func.sum(use.c.bytes)
PAGES_SHOWN = (use.c.kind == "page", use.c.outcome == "shown")
STEP = 1000


def add_uses(connection: Connection, uses: Mapping[Any, tuple[int, int]]) -> None:
    """In the order of their keys: two processes that add in different orders would wait for each other."""
    rows = [{**key._asdict(), "times": times, "bytes": size} for key, (times, size) in sorted(uses.items())]
    for at in range(0, len(rows), STEP):
        new = insert(use).values(rows[at : at + STEP])
        sums = {
            "times": use.c.times + new.excluded.times,
            "bytes": use.c["bytes"] + new.excluded["bytes"],
        }
        connection.execute(new.on_conflict_do_update(constraint=use.primary_key, set_=sums))


def add_sites(connection: Connection, sites: Mapping[tuple[date, str], int]) -> None:
    rows = [
        {"month": month, "domain": domain, "times": times} for (month, domain), times in sorted(sites.items())
    ]
    for at in range(0, len(rows), STEP):
        new = insert(site_use).values(rows[at : at + STEP])
        sums = {"times": site_use.c.times + new.excluded.times}
        connection.execute(new.on_conflict_do_update(constraint=site_use.primary_key, set_=sums))


def _wanted(question: Question) -> list[sa.ColumnElement[bool]]:
    fits: list[sa.ColumnElement[bool]] = [use.c.day.between(question.since, question.until)]
    return [*fits, use.c.collection == question.collection] if question.collection else fits


def over_time(connection: Connection, question: Question) -> list[Stretch]:
    day: sa.ColumnElement[date] = use.c.day
    begin = sa.cast(sa.func.date_trunc("month", day), sa.Date) if question.monthly else day
    pages = use.c.kind == "page"
    refused = sa.and_(pages, use.c.outcome != "shown")
    wanted = (
        sa.select(
            begin,
            sa.func.coalesce(TIMES.filter(use.c.kind == "visit"), 0),
            sa.func.coalesce(TIMES.filter(*PAGES_SHOWN), 0),
            sa.func.coalesce(TIMES.filter(refused), 0),
        )
        .where(*_wanted(question))
        .group_by(begin)
        .order_by(begin)
    )
    rows = connection.execute(wanted)
    return [
        Stretch(begin, int(visits), int(shown), int(not_shown)) for begin, visits, shown, not_shown in rows
    ]


def sums_by(
    connection: Connection,
    question: Question,
    column: "sa.ColumnElement[Any]",
    *conditions: sa.ColumnElement[bool],
) -> list[Figure]:
    wanted = (
        sa.select(column, TIMES, SIZE)
        .where(*_wanted(question), *conditions)
        .group_by(column)
        .order_by(TIMES.desc(), column)
    )
    return [Figure(str(name), int(times), int(size)) for name, times, size in connection.execute(wanted)]


def network_names(connection: Connection) -> dict[str, str]:
    return {str(number): name for number, name in connection.execute(sa.select(network.c.id, network.c.name))}


def domains(connection: Connection, question: Question, limit: int) -> list[Figure]:
    """Of whole months. Sites with few views in a month are not named, in the present month either."""
    name = sa.case((site_use.c.times >= FEWEST, site_use.c.domain), else_=OTHER)
    times = sa.func.sum(site_use.c.times)
    between = site_use.c.month.between(question.since.replace(day=1), question.until)
    wanted = sa.select(name, times).where(between).group_by(name).order_by(times.desc(), name).limit(limit)
    return [Figure(str(domain), int(count)) for domain, count in connection.execute(wanted)]


def collections(connection: Connection) -> list[str]:
    wanted = sa.select(use.c.collection).distinct().order_by(use.c.collection)
    return list(connection.scalars(wanted))


def lines(connection: Connection, question: Question) -> Sequence[sa.RowMapping]:
    wanted = sa.select(use).where(*_wanted(question)).order_by(*use.primary_key.columns)
    return connection.execute(wanted).mappings().all()


def fold_rare(connection: Connection, before: date) -> int:
    """Put the rare sites of past months together; how many were."""
    rare = (site_use.c.month < before, site_use.c.times < FEWEST, site_use.c.domain != OTHER)
    gone = connection.execute(
        site_use.delete().where(*rare).returning(site_use.c.month, site_use.c.times)
    ).all()
    sums: dict[tuple[date, str], int] = {}
    for month, times in gone:
        sums[month, OTHER] = sums.get((month, OTHER), 0) + times
    add_sites(connection, sums)
    return len(gone)


def forget(connection: Connection, before: date) -> int:
    days = connection.execute(use.delete().where(use.c.day < before)).rowcount
    # A month is forgotten when its last day is.
    return (
        days + connection.execute(site_use.delete().where(site_use.c.month < before.replace(day=1))).rowcount
    )
