"""The pages of schedules."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import time_zone
from armarium.planning.history import history_of
from armarium.planning.schedules.form import rhythm_of, typed
from armarium.planning.schedules.model import Rhythm, Schedule, Unit
from armarium.planning.schedules.rules import upcoming, zone_of, zones
from armarium.planning.schedules.sentences import UNITS, WEEKDAYS, in_words
from armarium.planning.schedules.service import Schedules
from armarium.web.forms import Form, filled
from armarium.web.guard import Visitor, needs
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, Paging, offset_of
from armarium.web.posted import PostedForm
from armarium.web.services import service
from armarium.web.shell import PageShell, done

ADDRESS = "/planning/schedules"
pages = APIRouter(prefix=ADDRESS)

SchedulesService = Annotated[Schedules, Depends(service(Schedules))]

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
RULES = [Depends(needs(Permission.PLANNING_RULES))]
PREVIEWED = 10
HARVESTS_SHOWN = 100


@pages.get("", dependencies=VIEW)
def schedules_page(
    request: Request, visitor: Visitor, page: PageShell, schedules: SchedulesService, number: PageNumber = 1
) -> Response:
    found, total = schedules.page(limit=PAGE_SIZE, offset=offset_of(number))
    now = clock.now()
    rows = [
        {"schedule": one, "words": in_words(one), "next": next(iter(upcoming(one, now, 1)), None)}
        for one in found
    ]
    return page.page(
        request,
        "planning/schedules_list.html",
        rows=rows,
        followers=schedules.follower_counts(),
        total=total,
        page=Paging(request, number, total),
        may_change=visitor.may(Permission.PLANNING_RULES),
    )


@pages.get("/new", dependencies=RULES)
def new_schedule_page(request: Request, visitor: Visitor, page: PageShell) -> Response:
    first = Schedule(Unit.DAY, hour=3, minute=0, zone="" if time_zone() == "UTC" else time_zone())
    return show_schedule(request, page, visitor, form=filled(**typed(first)))


@pages.post("/new", dependencies=RULES)
def create_schedule(
    request: Request, visitor: Visitor, form: PostedForm, page: PageShell, schedules: SchedulesService
) -> Response:
    try:
        rhythm = rhythm_of(form)
        if form.ticked("preview"):
            return show_schedule(request, page, visitor, form=form, rhythm=rhythm)
        made = schedules.create(visitor.actor, form.get("name"), rhythm, comments=form.get("comments"))
    except Refused as refusal:
        return show_schedule(request, page, visitor, form=form.refuse(refusal), status=422)
    return done(request, f"{ADDRESS}/{made.id}", message("The schedule %(name)s is made.", name=made.name))


@pages.get("/{number}", dependencies=VIEW)
def schedule_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, schedules: SchedulesService
) -> Response:
    return show_schedule(request, page, visitor, schedules.get(number), schedules=schedules)


@pages.post("/{number}", dependencies=RULES)
def change_schedule(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    schedules: SchedulesService,
) -> Response:
    known = schedules.get(number)
    try:
        rhythm = rhythm_of(form)
        if form.ticked("preview"):
            return show_schedule(request, page, visitor, known, form=form, rhythm=rhythm, schedules=schedules)
        schedules.change(
            visitor.actor,
            number,
            form.get("name"),
            rhythm,
            comments=form.get("comments"),
            active=known.active,
            seen=form.get("seen"),
        )
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_schedule(request, page, visitor, known, form=refused, schedules=schedules, status=422)
    return done(request, f"{ADDRESS}/{number}", message("The schedule %(name)s is saved.", name=known.name))


@pages.post("/{number}/pause", dependencies=RULES)
def pause_schedule(
    request: Request, number: Number, visitor: Visitor, schedules: SchedulesService
) -> Response:
    schedule = schedules.set_active(visitor.actor, number, False)
    text = message("The schedule %(name)s is paused: no harvest falls due by it.", name=schedule.name)
    return done(request, f"{ADDRESS}/{number}", text)


@pages.post("/{number}/resume", dependencies=RULES)
def resume_schedule(
    request: Request, number: Number, visitor: Visitor, schedules: SchedulesService
) -> Response:
    schedule = schedules.set_active(visitor.actor, number, True)
    text = message("The schedule %(name)s goes on.", name=schedule.name)
    return done(request, f"{ADDRESS}/{number}", text)


def show_schedule(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    schedule: Schedule | None = None,
    *,
    form: Form | None = None,
    rhythm: Rhythm | None = None,
    schedules: Schedules | None = None,
    status: int = 200,
) -> Response:
    """`rhythm`: what was typed and is not yet saved, for its preview."""
    number = schedule.id if schedule else 0
    context: dict[str, Any] = {
        "schedule": schedule,
        "form": form or filled(**(typed(schedule) if schedule else {})),
        "words": in_words(schedule) if schedule else None,
        "preview": runs_of(rhythm or schedule),
        "is_preview": rhythm is not None,
        "unit_options": [(unit.value, UNITS[unit]) for unit in Unit],
        "weekday_options": [("", "–"), *((str(n), name) for n, name in enumerate(WEEKDAYS, 1))],
        "zone_options": [("", "UTC"), *((name, name) for name in zones())],
        "followers": schedules.followers(number, limit=HARVESTS_SHOWN) if schedules else [],
        "history": history_of(request, page, "schedule", number) if schedule else [],
        "may_change": visitor.may(Permission.PLANNING_RULES),
        "address": f"{ADDRESS}/{number}" if schedule else f"{ADDRESS}/new",
    }
    return page.page(request, "planning/schedules_show.html", status=status, **context)


def runs_of(rhythm: Rhythm | None) -> list[datetime]:
    """The next runs on the clock of the schedule; of a paused one, what would come."""
    if rhythm is None:
        return []
    rhythm_only = {name: getattr(rhythm, name) for name in Rhythm.__dataclass_fields__}
    zone = zone_of(rhythm)
    found = upcoming(Schedule(**rhythm_only), clock.now(), PREVIEWED)
    return [moment.astimezone(zone) for moment in found]
