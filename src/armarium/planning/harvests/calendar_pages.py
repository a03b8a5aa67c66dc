"""The calendar: the year, a month, a day, and the agenda."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Annotated, Any

from babel.dates import format_date
from fastapi import APIRouter, Depends, Path, Query
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.languages.catalogues import locale_of
from armarium.languages.speech import language, time_zone
from armarium.planning.harvests import picture
from armarium.planning.harvests.calendar import Calendar, Year
from armarium.planning.harvests.labels import run_outcome
from armarium.planning.harvests.model import RunState
from armarium.web.pages import Page, guarded
from armarium.web.paging import PAGE_SIZE, PageNumber, offset_of
from armarium.web.services import service

pages = APIRouter(prefix="/planning/calendar", dependencies=guarded(Permission.PLANNING_VIEW))
CalendarService = Annotated[Calendar, Depends(service(Calendar))]

FIRST, LAST = 1996, 2200
MEASURES = {
    "bytes": message("Bytes"),
    "objects": message("Objects"),
    "hours": message("Crawler-hours"),
    "runs": message("Runs"),
}
AnyYear = Annotated[int | None, Query(ge=FIRST, le=LAST)]


@pages.get("")
def calendar_page(
    page: Page,
    calendar: CalendarService,
    year: AnyYear = None,
    measure: str = "bytes",
) -> Response:
    chosen = measure if measure in MEASURES else "bytes"
    shown = calendar.year(year or _today(calendar).year, time_zone())
    return page.show(
        "planning/harvests_calendar.html",
        year=shown,
        measure=chosen,
        tabs=[
            {"label": title, "href": f"?year={shown.year}&measure={name}", "current": name == chosen}
            for name, title in MEASURES.items()
        ],
        months=[{"month": month, "name": in_words(month.first, "LLLL")} for month in shown.months],
        short=[in_words(month.first, "LLL") for month in shown.months],
        drawn=[
            [(cell, in_words(cell.day, "d MMMM")) for cell in month]
            for month in picture.cells(shown, chosen, locale_of(language().code).first_week_day)
        ],
        picture=picture,
        curve=picture.curve(shown),
        **_share(shown),
    )


@pages.get("/agenda")
def agenda_page(page: Page, calendar: CalendarService) -> Response:
    return page.show("planning/harvests_agenda.html", agenda=calendar.agenda())


@pages.get("/{year}/{month}")
def month_page(
    page: Page,
    calendar: CalendarService,
    year: Annotated[int, Path(ge=FIRST, le=LAST)],
    month: Annotated[int, Path(ge=1, le=12)],
) -> Response:
    shown = calendar.month(year, month, time_zone())
    first = shown.first
    return page.show(
        "planning/harvests_month.html",
        today=_today(calendar),
        month=shown,
        title=in_words(first, "LLLL yyyy"),
        days=[(day, in_words(day, "EEEE d"), volume) for day, volume in shown.days.items()],
        before=first - timedelta(days=1),
        after=first + timedelta(days=32),
    )


@pages.get("/{day}")
def day_page(page: Page, day: str, calendar: CalendarService, place: PageNumber = 1) -> Response:
    shown = _day(day)
    coming, past, total = calendar.day(shown, time_zone(), limit=PAGE_SIZE, offset=offset_of(place))
    return page.show(
        "planning/harvests_day.html",
        day=shown,
        title=in_words(shown, "EEEE, d MMMM yyyy"),
        coming=coming,
        past=[{**row, **_toned(row)} for row in past],
        total=total,
        page=page.paging(place, total),
        before=shown - timedelta(days=1),
        after=shown + timedelta(days=1),
    )


def in_words(day: date, pattern: str) -> str:
    """A date in the reader's language, by a pattern of the Unicode standard (UTS 35)."""
    return format_date(day, pattern, locale=locale_of(language().code))


def _today(calendar: Calendar) -> date:
    return calendar.today(time_zone())


def _day(text: str) -> date:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = date.min
    if not FIRST <= found.year <= LAST:
        raise NotFound(message("The calendar has no such day."))
    return found


def _toned(row: Mapping[Any, Any]) -> dict[str, Any]:
    tone, title = run_outcome(RunState(row["state"]), row["jobs"], row["unfinished"], row["failed"])
    return {"tone": tone, "title": title}


def _share(year: Year) -> dict[str, Any]:
    """How much of the budget the year takes, in parts of a hundred."""
    share = 100 * year.total.bytes / year.budget if year.budget else None
    return {"share": share, "previous_year": year.year - 1, "next_year": year.year + 1}
