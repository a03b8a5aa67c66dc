"""The page after sign-in: what waits for me, what runs, what went wrong, and a year in curves."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity, Permission
from armarium.core import clock
from armarium.core.lately import Lately
from armarium.core.services import Services
from armarium.languages.speech import language, time_zone
from armarium.web.api import operation
from armarium.web.guard import Visitor, signed_in
from armarium.web.overview import MOST, Asked, Figure, Overview, Urgency, counted, gathered, joined, topics
from armarium.web.overview_schemas import OverviewShown, told
from armarium.web.plots.model import Plot, Shape, Unit
from armarium.web.plots.model import Series as Drawn
from armarium.web.routes import Router
from armarium.web.sections import contributions
from armarium.web.shell import PageShell, Shell

pages = Router()
api = Router(tags=["overview"])

TONES = {Urgency.NOW: "warning", Urgency.SOON: "waiting", Urgency.SOMETIME: "neutral"}
SHOWN = 12  # of what runs and what went wrong; the rest is folded away
DRAWN = 4  # figures; those who want more go to the report
FEWEST = 3  # weeks
PACE = 5000  # milliseconds between two looks: a busy house changes every second


def asked_by(request: Request, visitor: Identity) -> Asked:
    services: Services = request.app.state.services
    return Asked(services, visitor, clock.now(), time_zone())


@pages.get("/", dependencies=[Depends(signed_in)])
def home(request: Request, visitor: Visitor, page: PageShell) -> Response:
    asked = asked_by(request, visitor)
    if request.headers.get("x-part"):
        found = gathered(contributions(page.sections), asked, year=False)
        return page.part(request, "home_now.html", **now_shown(found))
    found = whole(request, page, asked)
    shown: dict[str, Any] = {
        "topics": " ".join(topics(contributions(page.sections), asked)),
        "pace": PACE,
        "figures": year_shown(found.figures[:DRAWN], asked),
        "report": visitor.may(Permission.SYSTEM_VIEW),
        "for_readers": reading_place(page, visitor),
    }
    return page.page(request, "home.html", **now_shown(found), **shown)


@api.get("/overview", summary="What waits for you, what runs, what went wrong", **operation())
def show_overview(request: Request, visitor: Visitor, page: PageShell) -> OverviewShown:
    asked = asked_by(request, visitor)
    return told(whole(request, page, asked), asked)


def whole(request: Request, page: Shell, asked: Asked) -> Overview:
    """All of it. The figures of a year need not be those of this minute."""
    kept: Lately[Any, Overview] = request.app.state.years
    whose = asked.identity.account.id, asked.identity.permissions, asked.zone, language().code
    year = kept.get(whose, lambda: gathered(contributions(page.sections), asked, now=False))
    return joined(gathered(contributions(page.sections), asked, year=False), year)


def now_shown(found: Overview) -> dict[str, Any]:
    waiting = [{"one": one, "count": counted(one.count), "tone": TONES[one.urgency]} for one in found.waiting]
    return {
        "found": found,
        "waiting": waiting,
        "running": (found.running[:SHOWN], found.running[SHOWN:]),
        "wrong": (found.wrong[:SHOWN], found.wrong[SHOWN:]),
        "still": sum(one.still for one in found.wrong),
        "work": min(sum(one.count for one in found.waiting), MOST + 1),
        "done_steps": sum(step.done for step in found.steps),
        "next_step": next((step for step in found.steps if not step.done), None),
    }


def year_shown(figures: Sequence[Figure], asked: Asked) -> list[Plot]:
    """From the first week of which any of them says something: a young archive has no empty year."""
    weeks = asked.weeks
    known = [
        at for one in figures for each in one.series for at, week in enumerate(weeks) if each.values.get(week)
    ]
    first = min(min(known, default=0), len(weeks) - FEWEST)
    return [plot_of(one, weeks[first:]) for one in figures]


def plot_of(figure: Figure, weeks: Sequence[date]) -> Plot:
    series = [
        Drawn(one.label, [one.values.get(week, 0) for week in weeks], one.tone, one.line)
        for one in figure.series
    ]
    return Plot(
        figure.id,
        figure.title,
        weeks,
        series,
        shape=Shape.AREAS if figure.grows else Shape.BARS,
        unit=Unit.BYTES if figure.in_bytes else Unit.COUNT,
        href=figure.href,
        note=figure.note,
        summed=not figure.grows,
    )


def reading_place(page: Shell, visitor: Identity) -> str:
    """Where those go who have nothing to do on this site."""
    if visitor.permissions:
        return ""
    return next((section.for_readers for section in page.sections if section.for_readers), "")
