"""What access says on the overview: addresses that somebody missed while looking, and how much is read."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.tables import missing, use, viewing
from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.db.stretches import MOST
from armarium.languages.speech import number
from armarium.web.chapters import Chapter, Period, monthly, within
from armarium.web.overview import Asked, Contribution, Figure, Series, Urgency, Waiting

P = Permission


def waits(asked: Asked) -> Iterator[Waiting]:
    if not asked.may(P.VIEWER_USE):
        return
    with asked.database.transaction() as connection:
        found = missing_of(connection, asked.identity.account.id)
    yield Waiting(
        message("Missing addresses in your quality viewing"),
        sum(one.addresses for one in found),
        f"/access/viewings/{found[0].id}" if len(found) == 1 else "/access/viewings",
        message("Add them to a harvest, or ignore them."),
        Urgency.SOMETIME,
    )


def figures(asked: Asked) -> Iterator[Figure]:
    """Nothing of it says who."""
    if not asked.may(P.ACCESS_VIEW):
        return
    with asked.database.transaction() as connection:
        visits, pages = read_by(connection, "week", asked.weeks[0])
    both = Series(message("Pages read"), pages), Series(message("Visits"), visits, "second", line=True)
    order = 40 if asked.may(P.SELECTION_EDIT) else 25
    yield Figure("reading", message("Pages read and visits"), both, "/access/use", order=order)


def report(asked: Asked, period: Period) -> Iterator[Chapter]:
    if not asked.may(P.ACCESS_VIEW):
        return
    with asked.database.transaction() as connection:
        visits, pages = read_by(connection, "month", period.months[0])
    text = message(
        "Readers came %(visits)s times and read %(pages)s pages.",
        visits=number(within(visits, period)),
        pages=number(within(pages, period)),
    )
    title = message("Pages read and visits each month")
    both = (message("Pages read"), pages, "first"), (message("Visits"), visits, "second")
    yield Chapter(
        "readers", message("Readers"), 60, [text], [monthly("reading", title, period, *both, lines=True)]
    )


OVERVIEW = Contribution(
    room=message("Access"),
    topics=("viewings",),
    waits=waits,
    figures=figures,
    report=report,
)


def read_by(connection: Connection, period: str, first: date) -> tuple[dict[date, int], dict[date, int]]:
    """Visits, and pages that were shown, by week or month."""
    times = sa.func.sum(use.c.times)
    pages = times.filter(use.c.kind == "page", use.c.outcome == "shown")
    begin = sa.cast(sa.func.date_trunc(sa.literal_column(f"'{period}'"), use.c.day), sa.Date)
    asked = sa.select(begin, times.filter(use.c.kind == "visit"), pages).where(use.c.day >= first)
    rows = connection.execute(asked.group_by(begin)).all()
    return {row[0]: int(row[1] or 0) for row in rows}, {row[0]: int(row[2] or 0) for row in rows}


def missing_of(connection: Connection, account: int) -> list["sa.Row[Any]"]:
    """The open viewings of a person with addresses that were missing and are handed to no harvest."""
    noted = (
        sa.select(missing.c.id)
        .where(missing.c.viewing == viewing.c.id, missing.c.harvest.is_(None))
        .limit(MOST)
        .lateral()
    )
    asked = (
        sa.select(viewing.c.id, sa.func.count().label("addresses"))
        .select_from(viewing.join(noted, sa.true()))
        .where(viewing.c.account == account, viewing.c.ended_at.is_(None))
        .group_by(viewing.c.id)
        .order_by(viewing.c.id.desc())
    )
    return list(connection.execute(asked))
