"""The API of figures of use, and their page: what is read over time, from where and of what."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Annotated

from fastapi import Depends, Query
from starlette.responses import Response

from armarium.access.model import EVERYTHING
from armarium.access.statistics.model import (
    KINDS,
    OTHER,
    OUTCOMES,
    SEVERAL,
    VIEWINGS,
    Figure,
    Question,
    Report,
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
from armarium.web.lists import csv_answer
from armarium.web.pages import Page
from armarium.web.plots.model import Part, Plot, Series, Shares, Treemap, Unit
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
COLLECTIONS = {
    EVERYTHING: message("Whole archive"),
    VIEWINGS: message("Quality viewing"),
    SEVERAL: message("Several collections"),
}
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
        over_time=over_time(report),
        shares=shares(report),
        sites=sites(report),
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


def over_time(report: Report) -> list[Plot]:
    """Pages and visits of each day, or month."""
    monthly = report.question.monthly
    labels = [one.begin for one in report.over_time]
    return [
        Plot(
            "pages",
            message("Pages per month") if monthly else message("Pages per day"),
            labels,
            (
                Series(message("Shown"), [one.pages for one in report.over_time]),
                Series(
                    message("Missing or restricted"), [one.refused for one in report.over_time], "warning"
                ),
            ),
            summed=True,
        ),
        Plot(
            "visits",
            message("Visits per month") if monthly else message("Visits per day"),
            labels,
            (Series(message("Visits"), [one.visits for one in report.over_time], "second"),),
            summed=True,
        ),
    ]


def shares(report: Report) -> list[Shares]:
    """Parts of what was read; those of which there is nothing are left out."""
    networks = {"": message("Elsewhere")}
    found = (
        Shares("networks", message("Pages by place"), _parts(report.networks, networks)),
        Shares("collections", message("Pages by collection"), _parts(report.collections, COLLECTIONS)),
        Shares("outcomes", message("Results of page requests"), _parts(report.outcomes, OUTCOMES)),
        Shares("kinds", message("Requests by kind"), _parts(report.kinds, KINDS)),
        Shares("bytes", message("Data sent, by kind"), _parts(report.kinds, KINDS, sized=True), Unit.BYTES),
    )
    return [one for one in found if one.parts]


def sites(report: Report) -> Treemap | None:
    note = message("Whole months. Sites with fewer than 5 views in a month are not named.")
    parts = _parts(report.domains, {OTHER: message("Sites with few views")})
    return Treemap("sites", message("Most-read sites"), parts, Unit.COUNT, note=note) if parts else None


def _parts(figures: Sequence[Figure], words: Mapping[str, Message], *, sized: bool = False) -> list[Part]:
    amounts = [(words.get(one.name, one.name), one.size if sized else one.times) for one in figures]
    return [Part(label, amount) for label, amount in amounts if amount]


@pages.get(".csv")
def use_csv(
    statistics: StatisticsService,
    since: Annotated[str, Query(alias="from", max_length=10)] = "",
    until: Annotated[str, Query(alias="to", max_length=10)] = "",
    collection: Text = "",
) -> Response:
    """All figures as they are kept, a line for each day, collection, kind, outcome and network."""
    question = asked(statistics, since, until, collection, "")
    return csv_answer(
        "use", COLUMNS, ([line[name] for name in COLUMNS] for line in statistics.lines(question))
    )
