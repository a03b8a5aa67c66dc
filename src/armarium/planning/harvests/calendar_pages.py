"""The calendar: the year, a month, a day, and the next runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from typing import Annotated, Any

from babel.dates import format_date
from fastapi import Depends, Path, Query
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.languages.catalogues import locale_of
from armarium.languages.speech import language, time_zone
from armarium.planning.harvests.calendar import Calendar, Month, Year
from armarium.planning.harvests.dates import Volume
from armarium.planning.harvests.labels import run_outcome
from armarium.planning.harvests.model import RunState
from armarium.web.pages import Page, guarded
from armarium.web.paging import PAGE_SIZE, PageNumber, offset_of
from armarium.web.plots.model import Plot, Series, Unit
from armarium.web.routes import Router
from armarium.web.services import service

pages = Router(prefix="/planning/calendar", dependencies=guarded(Permission.PLANNING_VIEW))
CalendarService = Annotated[Calendar, Depends(service(Calendar))]

FIRST, LAST = 1996, 2200
MEASURES = {
    "bytes": message("Size"),
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
        drawn=[
            [(cell, in_words(cell.day, "d MMMM")) for cell in month]
            for month in cells(shown, chosen, locale_of(language().code).first_week_day)
        ],
        picture=SIZES,
        monthly=monthly(shown, chosen),
        budget=against_budget(shown),
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


# The pictures: where things stand in them. Drawn by the template, coloured by the style --------------

LEVELS = 5
CELL, GAP = 20, 3  # of the days of a month, in units of the drawing
STEP = CELL + GAP
WIDTH, HEIGHT = 7 * STEP - GAP, 6 * STEP - GAP  # a month: weekdays × weeks
SIZES = {"CELL": CELL, "STEP": STEP, "WIDTH": WIDTH, "HEIGHT": HEIGHT}


@dataclass(frozen=True)
class Cell:
    day: date
    x: int
    y: int
    level: int  # 0: nothing; 1 … LEVELS
    volume: Volume
    today: bool


def cells(year: Year, measure: str, first_weekday: int = 0) -> list[list[Cell]]:
    """The days of each month where a wall calendar has them; weeks begin on Monday (0) … Sunday (6)."""
    most = year.most(measure)
    return [month_cells(month, measure, most, first_weekday, year.today) for month in year.months]


def month_cells(month: Month, measure: str, most: float, first_weekday: int, today: date) -> list[Cell]:
    before = (month.first.weekday() - first_weekday) % 7
    return [
        Cell(
            day,
            place % 7 * STEP,
            place // 7 * STEP,
            level(float(getattr(volume, measure)), most),
            volume,
            day == today,
        )
        for place, (day, volume) in enumerate(month.days.items(), before)
    ]


def level(value: float, most: float) -> int:
    """A shade by the square root: a broad harvest must not make every other day look empty."""
    if value <= 0 or most <= 0:
        return 0
    return max(1, min(LEVELS, int((value / most) ** 0.5 * LEVELS + 0.999_999)))


# The plots ------------------------------------------------------------------------------------------


def monthly(year: Year, measure: str) -> Plot:
    """Month by month, what was brought and what is expected."""
    values = [round(float(getattr(month.total, measure)), 2) for month in year.months]
    return Plot(
        "months",
        message("Month by month"),
        [in_words(month.first, "LLL") for month in year.months],
        [Series(MEASURES[measure], values)],
        unit=Unit.BYTES if measure == "bytes" else Unit.COUNT,
        hrefs=[f"/planning/calendar/{year.year}/{month.first.month}" for month in year.months],
        summed=True,
    )


def against_budget(year: Year) -> tuple[Plot, int | None] | None:
    """What has come together by the end of each month, and the month (1 … 12) that passes the budget."""
    if not year.budget:
        return None
    sums = list(accumulate(month.total.bytes for month in year.months))
    series = [
        Series(message("Collected and expected"), sums),
        Series(message("Budget"), [year.budget] * len(sums), tone="bad", line=True),
    ]
    labels = [in_words(month.first, "LLL") for month in year.months]
    plot = Plot("budget", message("Budget of the year"), labels, series, unit=Unit.BYTES)
    return plot, next((month for month, value in enumerate(sums, 1) if value > year.budget), None)
