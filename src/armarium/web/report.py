"""The report: a year of the archive on one page that can be printed, for whoever answers for it."""

from typing import Annotated

from fastapi import Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.audit.tables import first_moment
from armarium.core import clock
from armarium.web.chapters import period_of
from armarium.web.guard import Visitor, needs
from armarium.web.home import asked_by
from armarium.web.overview import reported
from armarium.web.routes import Router
from armarium.web.sections import contributions
from armarium.web.shell import PageShell

pages = Router()

OLDEST = 1991  # of the web
MOST_YEARS = 8  # that are offered; an older one can be asked for by its number


@pages.get("/report", dependencies=[Depends(needs(Permission.SYSTEM_VIEW))])
def report(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    year: Annotated[int | None, Query(ge=OLDEST, le=9998)] = None,
) -> Response:
    asked = asked_by(request, visitor)
    period = period_of(year, asked.now, asked.zone)
    chapters, silent = reported(contributions(page.sections), asked, period)
    with asked.database.transaction() as connection:
        first = first_moment(connection) or clock.now()
    present = asked.now.year
    return page.page(
        request,
        "report.html",
        chapters=chapters,
        pictures=[one for chapter in chapters for one in chapter.pictures],
        period=period,
        last=period.months[-1],
        silent=silent,
        years=range(present, max(first.year, present - MOST_YEARS) - 1, -1),
        today=asked.now,
    )
