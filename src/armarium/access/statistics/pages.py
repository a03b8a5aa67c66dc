"""The API of figures of use, and their page, with visits and pages over time as bars of a drawing."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.access.statistics.model import (
    KINDS,
    OTHER,
    OUTCOMES,
    SEVERAL,
    VIEWINGS,
    Figure,
    Question,
    Report,
    Stretch,
    UseShown,
    shown,
)
from armarium.access.statistics.service import Statistics
from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.web.api import operation
from armarium.web.forms import Form, filled
from armarium.web.guard import needs
from armarium.web.pages import Page
from armarium.web.routes import Router
from armarium.web.services import service

api = Router(prefix="/access/use", tags=["access"])

StatisticsService = Annotated[Statistics, Depends(service(Statistics))]


@api.get("", summary="How much was read", **operation(Permission.ACCESS_VIEW))
def use(
    statistics: StatisticsService,
    since: Annotated[date | None, Query(alias="from", description="First day; usually 30 days ago.")] = None,
    until: Annotated[date | None, Query(alias="to", description="Last day, included; usually today.")] = None,
    collection: Annotated[str, Query(max_length=200)] = "",
    monthly: bool | None = None,
) -> UseShown:
    question = statistics.question(since, until, collection=collection, monthly=monthly)
    return shown(statistics.report(question))


ADDRESS = "/access/use"
pages = Router(prefix=ADDRESS, dependencies=[Depends(needs(Permission.ACCESS_VIEW))])

COLUMNS = ("day", "collection", "kind", "outcome", "network", "times", "bytes")
#: Those that are none.
COLLECTIONS = {VIEWINGS: message("Viewings of staff"), SEVERAL: message("Several at once")}
Text = Annotated[str, Query(max_length=200)]


@pages.get("")
def use_page(
    page: Page,
    statistics: StatisticsService,
    since: Annotated[str, Query(alias="from", max_length=10)] = "",
    until: Annotated[str, Query(alias="to", max_length=10)] = "",
    collection: Text = "",
    by: Text = "",
) -> Response:
    form = filled(**{"from": since, "to": until, "collection": collection, "by": by})
    try:
        question = asked(statistics, since, until, collection, by)
    except Refused as refusal:
        form.refuse(refusal)
        question = statistics.question()
    report = statistics.report(question)
    return page.show(
        "access/statistics_show.html",
        _with_days(form, report),
        report=report,
        drawing=drawn(report.over_time),
        tables=tables(report),
        collection_options=[
            ("", message("All collections")),
            *((name, COLLECTIONS.get(name, name)) for name in report.names),
        ],
        by_options=[("", message("Days")), ("month", message("Months"))],
        export=f"{ADDRESS}.csv?{page.request.url.query}",
    )


def asked(statistics: Statistics, since: str, until: str, collection: str, by: str) -> Question:
    days = _day(since, "from"), _day(until, "to")
    return statistics.question(*days, collection=collection, monthly=True if by == "month" else None)


def _day(text: str, field: str) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        told = message("“%(text)s” is not a date. Write it as 2026-12-31.", text=text)
        raise Refused(told, field=field) from None


def _with_days(form: Form, report: Report) -> Form:
    form.values["from"] = form.values["from"] or report.question.since.isoformat()
    form.values["to"] = form.values["to"] or report.question.until.isoformat()
    return form


def tables(report: Report) -> list[dict[str, Any]]:
    """Each with its highest figure, against which its bars are drawn."""
    found = (
        ("kinds", message("What was asked for"), message("Kind"), _named(report.kinds, KINDS)),
        ("outcomes", message("What became of pages"), message("Outcome"), _named(report.outcomes, OUTCOMES)),
        (
            "collections",
            message("Pages by collection"),
            message("Collection"),
            _named(report.collections, COLLECTIONS),
        ),
        (
            "networks",
            message("Pages by network"),
            message("Network"),
            _named(report.networks, {"": message("Elsewhere")}),
        ),
        (
            "domains",
            message("Sites read most"),
            message("Site"),
            _named(report.domains, {OTHER: message("Sites that were read seldom")}),
        ),
    )
    return [
        {
            "id": name,
            "title": title,
            "column": column,
            "rows": rows,
            "most": max(one["times"] for one in rows),
            "sized": any(one["size"] for one in rows),
        }
        for name, title, column, rows in found
        if rows
    ]


def _named(figures: list[Figure], words: dict[str, Message]) -> list[dict[str, Any]]:
    return [{"name": words.get(one.name, one.name), "times": one.times, "size": one.size} for one in figures]


@pages.get(".csv")
def use_csv(
    statistics: StatisticsService,
    since: Annotated[str, Query(alias="from", max_length=10)] = "",
    until: Annotated[str, Query(alias="to", max_length=10)] = "",
    collection: Text = "",
) -> Response:
    """All figures as they are kept, a line for each day, collection, kind, outcome and network."""
    question = asked(statistics, since, until, collection, "")
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(COLUMNS)
    writer.writerows([line[name] for name in COLUMNS] for line in statistics.lines(question))
    headers = {"Content-Disposition": 'attachment; filename="use.csv"'}
    return Response(written.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


WIDTH, HEIGHT, TOP = 720.0, 150.0, 10.0
GAP = 0.25  # of a bar's place that stays empty


@dataclass(frozen=True)
class Bar:
    stretch: Stretch
    x: float
    width: float
    shown: float  # heights
    refused: float


@dataclass(frozen=True)
class Drawing:
    bars: list[Bar]
    highest: int
    begin: date
    end: date

    WIDTH, HEIGHT = WIDTH, HEIGHT


def drawn(stretches: Sequence[Stretch]) -> Drawing | None:
    """None where nothing was read."""
    highest = max((one.pages + one.refused for one in stretches), default=0)
    if not highest:
        return None
    place = WIDTH / len(stretches)
    room = HEIGHT - TOP
    bars = [
        Bar(
            one,
            round(place * (number + GAP / 2), 2),
            round(place * (1 - GAP), 2),
            round(room * one.pages / highest, 2),
            round(room * one.refused / highest, 2),
        )
        for number, one in enumerate(stretches)
    ]
    return Drawing(bars, highest, stretches[0].begin, stretches[-1].begin)
