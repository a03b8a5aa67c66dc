"""The pages of schedules."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.entities import values_of
from armarium.core.message import message
from armarium.languages.speech import time_zone
from armarium.planning.audit_history import history_of
from armarium.planning.labels import UNITS
from armarium.planning.model import Unit
from armarium.planning.parsing import check_plain_name
from armarium.planning.schedules.model import WEEKDAYS, Rhythm, Schedule, in_words
from armarium.planning.schedules.rules import checked, upcoming, zone_of, zones
from armarium.planning.schedules.service import Schedules
from armarium.planning.searching import STATES
from armarium.web.form_values import FormReader, form_of
from armarium.web.forms import Form
from armarium.web.lists import csv_answer
from armarium.web.pages import Page, PageRequest, form_pages, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/planning/schedules"
pages = Router(prefix=ADDRESS)

SchedulesService = Annotated[Schedules, Depends(service(Schedules))]
VIEW, CHANGE = Permission.PLANNING_VIEW, Permission.PLANNING_RULES
LARGEST = 1_000_000
PREVIEWED = 10
HARVESTS_SHOWN = 100
MOST_EXPORTED = 10_000
EXPORTED = (
    *(message("Name"), message("When"), message("Time zone")),
    *(message("Harvests"), message("In use")),
)


@pages.get("", dependencies=guarded(VIEW))
def schedules_page(
    page: Page,
    schedules: SchedulesService,
    q: str = "",
    state: str = "",
    export: str = "",
    number: PageNumber = 1,
) -> Response:
    now, followers = clock.now(), schedules.follower_counts()
    if export == "csv":
        found, _ = schedules.matching(q, STATES.get(state), limit=MOST_EXPORTED)
        lines = (
            (one.name, in_words(one), one.zone or "UTC", followers.get(one.id, 0), one.active)
            for one in found
        )
        return csv_answer("schedules", EXPORTED, lines)
    found, total = schedules.matching(q, STATES.get(state), limit=PAGE_SIZE, offset=offset_of(number))
    return page.show(
        "planning/schedules_list.html",
        rows=[
            {"schedule": one, "words": in_words(one), "next": next(iter(upcoming(one, now, 1)), None)}
            for one in found
        ],
        followers=followers,
        q=q,
        state=state,
        total=total,
        page=page.paging(number, total),
        may_change=page.may(CHANGE),
    )


def show(page: PageRequest, schedules: Schedules, schedule: Schedule | None, form: Form) -> Response:
    """Asked for a preview, the next runs are those of what was typed, which is not saved yet."""
    typed = rhythm_of(form) if form.ticked("preview") and not form.errors else None
    return page.show(
        "planning/schedules_show.html",
        form,
        schedule=schedule,
        editing=page.may(CHANGE) and page.is_editing(schedule),
        words=in_words(schedule) if schedule else None,
        preview=runs_of(typed or schedule),
        is_preview=typed is not None,
        unit_options=[(unit.value, UNITS[unit]) for unit in Unit],
        weekday_options=[("", "–"), *((str(n), name) for n, name in enumerate(WEEKDAYS, 1))],
        zone_options=[("", "UTC"), *((name, name) for name in zones())],
        followers=schedules.followers(schedule.id, limit=HARVESTS_SHOWN) if schedule else [],
        history=history_of(page.request, page.shell, "schedule", schedule.id) if schedule else [],
        may_change=page.may(CHANGE),
        address=f"{ADDRESS}/{schedule.id if schedule else 'new'}",
    )


def save(page: PageRequest, schedules: Schedules, known: Schedule | None, form: Form) -> Response:
    if form.ticked("preview"):
        return show(page, schedules, known, form)
    name = form.get("name")
    with FormReader(form) as read:
        read.checked(lambda: check_plain_name(name), "")
        new = Schedule(**values_of(rhythm_of(form), Rhythm), name=name, comments=form.get("comments"))
    if known is None:
        made = schedules.create(page.actor, new)
        return page.done(f"{ADDRESS}/{made.id}", message("The schedule %(name)s is created.", name=made.name))
    schedules.change(page.actor, known.id, replace(new, active=known.active), seen=form.get("seen"))
    return page.done(f"{ADDRESS}/{known.id}", message("The schedule %(name)s is saved.", name=known.name))


def schedule_form(known: Schedule | None) -> Form:
    here = "" if time_zone() == "UTC" else time_zone()
    schedule = known or Schedule(Unit.DAY, hour=3, minute=0, zone=here)
    return form_of(schedule, zone_of(schedule))


form_pages(pages, Schedules, view=VIEW, change=CHANGE, form_of=schedule_form, show=show, save=save)


@pages.post("/{number}/pause", dependencies=guarded(CHANGE))
def pause_schedule(number: Number, page: Page, schedules: SchedulesService) -> Response:
    name = schedules.set_active(page.actor, number, False).name
    text = message("The schedule %(name)s is paused: no harvest that follows it is due.", name=name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/resume", dependencies=guarded(CHANGE))
def resume_schedule(number: Number, page: Page, schedules: SchedulesService) -> Response:
    name = schedules.set_active(page.actor, number, True).name
    return page.done(f"{ADDRESS}/{number}", message("The schedule %(name)s is resumed.", name=name))


def rhythm_of(form: Form) -> Rhythm:
    """What the form says, judged. Moments are typed in the schedule's own zone."""
    with FormReader(form) as read:
        zone = read.zone("zone")
        every = read.number("every", most=LARGEST)
        numbers = {name: read.number(name, most=LARGEST) for name in ("minute", "hour", "weekday", "day")}
        return checked(
            Rhythm(
                unit=read.choice("unit", Unit, message("Choose how often.")),
                every=1 if every is None else every,
                anytime=read.ticked("anytime"),
                zone=read.text("zone"),
                starts_at=read.moment("starts_at", zone),
                ends_at=read.moment("ends_at", zone),
                max_runs=read.number("max_runs", most=LARGEST),
                **numbers,
            )
        )


def runs_of(rhythm: Rhythm | None) -> list[datetime]:
    """The next runs on the clock of the schedule; of a paused one, what would come."""
    if rhythm is None:
        return []
    found = upcoming(Schedule(**values_of(rhythm, Rhythm)), clock.now(), PREVIEWED)
    return [moment.astimezone(zone_of(rhythm)) for moment in found]
