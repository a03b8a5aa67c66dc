"""The page after sign-in: what waits for me, what runs, what went wrong, and the figures of the month."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from fastapi import Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Identity
from armarium.core import clock
from armarium.core.lately import Lately
from armarium.core.services import Services
from armarium.languages.speech import language, time_zone
from armarium.web.api import operation
from armarium.web.guard import Visitor, signed_in
from armarium.web.overview import Asked, Figure, Overview, Urgency, counted, gathered, joined, topics
from armarium.web.overview_schemas import OverviewShown, told
from armarium.web.routes import Router
from armarium.web.sections import contributions
from armarium.web.shell import PageShell, Shell

# --- A figure of the overview as the bars of a drawing: where they stand, and how high they are.


WIDTH, HEIGHT = 600, 120
TOP = 6
GAP = 0.25  # of the room of a day
LEAST = 2.0  # so high is the smallest bar that is there at all


@dataclass(frozen=True)
class Bar:
    tone: str
    y: float
    height: float


@dataclass(frozen=True)
class Day:
    """A column of the drawing: the bars of one day, from the ground up."""

    day: date
    x: float
    width: float
    values: tuple[int, ...]  # as the figure's series
    bars: tuple[Bar, ...]


@dataclass(frozen=True)
class Drawing:
    days: tuple[Day, ...]
    highest: int  # of a day, its series together
    totals: tuple[int, ...]  # as the figure's series

    width: int = WIDTH
    height: int = HEIGHT
    top: int = TOP


def drawn(figure: Figure, days: Sequence[date]) -> Drawing:
    values = [tuple(series.values.get(day, 0) for series in figure.series) for day in days]
    highest = max((sum(of_day) for of_day in values), default=0)
    room = WIDTH / max(len(days), 1)
    tones = [series.tone for series in figure.series]
    columns = tuple(
        Day(
            day,
            round((at + GAP / 2) * room, 2),
            round(room * (1 - GAP), 2),
            of_day,
            _bars(of_day, tones, highest),
        )
        for at, (day, of_day) in enumerate(zip(days, values, strict=True))
    )
    totals = tuple(sum(of_series) for of_series in zip(*values, strict=True))
    return Drawing(columns, highest, totals)


def _bars(values: Sequence[int], tones: Sequence[str], highest: int) -> tuple[Bar, ...]:
    ground, bars = float(HEIGHT), []
    for value, tone in zip(values, tones, strict=True):
        if value:
            height = max((HEIGHT - TOP) * value / highest, LEAST)
            ground -= height
            bars.append(Bar(tone, round(ground, 2), round(height, 2)))
    return tuple(bars)


# --- The page after sign-in: what waits for me, what runs, what went wrong, and the figures of the month.


pages = Router()
api = Router(tags=["overview"])

TONES = {Urgency.NOW: "warning", Urgency.SOON: "waiting", Urgency.SOMETIME: "neutral"}
SHOWN = 12  # of what runs and what went wrong; the rest is folded away
PACE = 5000  # milliseconds between two looks: a busy house changes every second


def asked_by(request: Request, visitor: Identity) -> Asked:
    services: Services = request.app.state.services
    return Asked(services, visitor, clock.now(), time_zone())


@pages.get("/", dependencies=[Depends(signed_in)])
def home(request: Request, visitor: Visitor, page: PageShell) -> Response:
    asked = asked_by(request, visitor)
    if request.headers.get("x-part"):
        found = gathered(contributions(page.sections), asked, month=False)
        return page.part(request, "home_now.html", **now_shown(found))
    found = whole(request, page, asked)
    shown: dict[str, Any] = {
        "topics": " ".join(topics(contributions(page.sections), asked)),
        "pace": PACE,
        "plots": [plot_shown(one, asked) for one in found.figures],
        "for_readers": reading_place(page, visitor),
    }
    return page.page(request, "home.html", **now_shown(found), **shown)


@api.get("/overview", summary="What waits for you, what runs, what went wrong", **operation())
def show_overview(request: Request, visitor: Visitor, page: PageShell) -> OverviewShown:
    asked = asked_by(request, visitor)
    return told(whole(request, page, asked), asked)


def whole(request: Request, page: Shell, asked: Asked) -> Overview:
    """All of it. The figures of a month need not be those of this second."""
    kept: Lately[Any, Overview] = request.app.state.months
    whose = asked.identity.account.id, asked.identity.permissions, asked.zone, language().code
    month = kept.get(whose, lambda: gathered(contributions(page.sections), asked, now=False))
    return joined(gathered(contributions(page.sections), asked, month=False), month)


def now_shown(found: Overview) -> dict[str, Any]:
    waiting = [{"one": one, "count": counted(one.count), "tone": TONES[one.urgency]} for one in found.waiting]
    return {
        "found": found,
        "waiting": waiting,
        "running": (found.running[:SHOWN], found.running[SHOWN:]),
        "wrong": (found.wrong[:SHOWN], found.wrong[SHOWN:]),
        "still": sum(one.still for one in found.wrong),
        "done_steps": sum(step.done for step in found.steps),
        "next_step": next((step for step in found.steps if not step.done), None),
    }


def plot_shown(figure: Figure, asked: Asked) -> dict[str, Any]:
    return {"figure": figure, "drawing": drawn(figure, asked.days), "keyed": len(figure.series) > 1}


def reading_place(page: Shell, visitor: Identity) -> str:
    """Where those go who have nothing to do on this site."""
    if visitor.permissions:
        return ""
    return next((section.for_readers for section in page.sections if section.for_readers), "")
