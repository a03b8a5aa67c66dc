"""The pages of collectors."""

from collections.abc import Mapping
from datetime import timedelta
from ipaddress import ip_address
from typing import Annotated, Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.collecting import MANY
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import time_zone
from armarium.planning.audit_history import history_of
from armarium.planning.collectors.model import Collector, CollectorFilter, CollectorState, NewCode, Work
from armarium.planning.collectors.service import Collectors
from armarium.planning.settings import PlanningSettings
from armarium.settings import Settings
from armarium.web.addresses import base_address
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.plots.model import Plot, Series, Unit
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/harvesting/collectors"
pages = Router(prefix=ADDRESS)
DAYS = 30  # of the curves

CollectorsService = Annotated[Collectors, Depends(service(Collectors))]
SettingsService = Annotated[Settings, Depends(service(Settings))]

VIEW, MANAGE = guarded(Permission.PLANNING_VIEW), guarded(Permission.COLLECTORS_MANAGE)

S = CollectorState
STATES: dict[CollectorState, tuple[str, Message]] = {
    S.ACTIVE: ("good", message("Active")),
    S.SILENT: ("warning", message("Silent")),
    S.STOPPED: ("neutral", message("Stopped")),
    S.REVOKED: ("bad", message("Revoked")),
}


@pages.get("", dependencies=VIEW)
def collectors_page(
    page: Page,
    collectors: CollectorsService,
    q: str = "",
    state: str = "",
    channel: str = "",
    number: PageNumber = 1,
) -> Response:
    wanted = CollectorFilter(q.strip(), S(state) if state in set(S) else None, channel)
    found, total = collectors.page(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    work = collectors.work_of(found)
    return page.live(
        "planning/collectors_list.html",
        "planning/collectors_table.html",
        filter={"q": q, "state": state, "channel": channel},
        state_options=[(one.value, title) for one, (_, title) in STATES.items()],
        channel_options=[(name, name) for name in collectors.channels()],
        collectors=[shown(one, work[one.id]) for one in found],
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.COLLECTORS_MANAGE),
    )


def shown(collector: Collector, work: list[Work]) -> dict[str, Any]:
    """A collector as the templates read it; its own words are those of a machine, and may be missing."""
    facts = collector.facts
    tone, title = STATES[collector.state(clock.now())]
    return {
        "id": collector.id,
        "name": collector.name,
        "machine": str(facts.get("machine") or ""),
        "version": str(facts.get("version") or ""),
        "trouble": str(facts.get("trouble") or ""),
        "free_bytes": _figure(facts, "free_bytes"),
        "total_bytes": _figure(facts, "total_bytes"),
        "load": _figure(facts, "load"),
        "put_aside": [str(folder) for folder in _listed(facts, "put_aside")],
        "channels": collector.channels,
        "slots": collector.slots,
        "offered": _figure(facts, "slots"),
        "failed_jobs": collector.failed_jobs,
        "work": work,
        "tone": tone,
        "state": title,
        "active": collector.active,
        "revoked": collector.revoked_at,
        "seen": collector.seen_at,
        "address": collector.address,
        "enrolled": collector.enrolled_at,
        "enrolled_by": collector.enrolled_by,
    }


def _figure(facts: Mapping[str, Any], name: str) -> float:
    found = facts.get(name)
    return found if isinstance(found, int | float) and 0 <= found < MANY else 0


def _listed(facts: Mapping[str, Any], name: str) -> list[Any]:
    found = facts.get(name)
    return found if isinstance(found, list) else []


# A new machine --------------------------------------------------------------------------------------


@pages.get("/new", dependencies=MANAGE)
def new_collector_page(page: Page, collectors: CollectorsService, settings: SettingsService) -> Response:
    form = filled(channels=collectors.channels(), name=collectors.free_name())
    return show_new(page, collectors, settings, form)


@pages.post("/new", dependencies=MANAGE)
def make_code(
    page: Page, form: PostedForm, collectors: CollectorsService, settings: SettingsService
) -> Response:
    """The answer is the page itself: the code is shown this once and kept nowhere."""
    try:
        name = collectors.free_name(form.get("name").strip())
        code = collectors.new_code(page.actor, form.chosen("channels"))
    except Refused as refusal:
        return show_new(page, collectors, settings, form.refuse(refusal, several=["channels"]))
    return show_new(page, collectors, settings, form, code=code, name=name)


def show_new(
    page: PageRequest,
    collectors: Collectors,
    settings: Settings,
    form: Form,
    *,
    code: NewCode | None = None,
    name: str = "",
) -> Response:
    address = base_address(page.request)
    return page.show(
        "planning/collectors_new.html",
        form,
        channel_options=[(name, name, None) for name in collectors.channels()],
        minutes=settings[PlanningSettings].enrolment_minutes,
        code=code,
        command=command_of(address, code, name) if code else "",
        address=address,
        reach=reach_of(address),
    )


def command_of(address: str, code: NewCode, name: str) -> str:
    """What to type on the new machine."""
    given = {"SERVER": address, "NAME": name, "ENROLMENT": code.code}
    return (
        " ".join(f"ARMARIUM_COLLECTOR_{key}={value}" for key, value in given.items()) + " armarium collector"
    )


def reach_of(address: str) -> str:
    """Who can use this address: collectors `here`, none because it is `http`, or all (empty)."""
    parts = urlsplit(address)
    if is_loopback(parts.hostname or ""):
        return "here"
    return "http" if parts.scheme == "http" else ""


def is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


# One of them ----------------------------------------------------------------------------------------


@pages.get("/{number}", dependencies=VIEW)
def collector_page(page: Page, number: Number, collectors: CollectorsService) -> Response:
    return show_collector(page, collectors, collectors.get(number))


@pages.post("/{number}", dependencies=MANAGE)
def change_collector(page: Page, number: Number, form: PostedForm, collectors: CollectorsService) -> Response:
    chosen, seen = form.chosen("channels"), form.get("seen")
    try:
        slots = typed_slots(form.get("slots"))
        changed = collectors.change(page.actor, number, channels=chosen, slots=slots, seen=seen)
    except Refused as refusal:
        refused = form.refuse(refusal, several=["channels"])
        return show_collector(page, collectors, collectors.get(number), refused)
    text = message("Collector %(name)s saved.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


def typed_slots(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise Refused(message("Slots are a whole number."), field="slots") from None


@pages.post("/{number}/stop", dependencies=MANAGE)
def stop_collector(page: Page, number: Number, collectors: CollectorsService) -> Response:
    changed = collectors.change(page.actor, number, active=False)
    text = message("%(name)s gets no new jobs. It finishes the jobs that it has.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/start", dependencies=MANAGE)
def start_collector(page: Page, number: Number, collectors: CollectorsService) -> Response:
    changed = collectors.change(page.actor, number, active=True)
    return page.done(f"{ADDRESS}/{number}", message("%(name)s accepts jobs again.", name=changed.name))


@pages.post("/{number}/revoke", dependencies=MANAGE)
def revoke_collector(page: Page, number: Number, collectors: CollectorsService) -> Response:
    changed = collectors.revoke(page.actor, number)
    text = message("%(name)s is revoked. Its key is no longer valid.", name=changed.name)
    return page.done(f"{ADDRESS}/{number}", text)


def days_of(collectors: Collectors, number: int) -> list[Plot]:
    """What it collected on each of the last days."""
    zone = time_zone()
    today = clock.now().astimezone(ZoneInfo(zone)).date()
    days = [today - timedelta(days=back) for back in reversed(range(DAYS))]
    known = collectors.days_of(number, days[0], zone)
    found = [known.get(day, (0, 0)) for day in days]
    objects, volume = ([of[place] for of in found] for place in (0, 1))
    return [
        Plot("objects", message("Objects per day"), days, [Series(message("Objects"), objects)], summed=True),
        Plot(
            "bytes",
            message("Bytes per day"),
            days,
            [Series(message("Bytes"), volume)],
            unit=Unit.BYTES,
            summed=True,
        ),
    ]


def show_collector(
    page: PageRequest, collectors: Collectors, collector: Collector, form: Form | None = None
) -> Response:
    names = dict.fromkeys([*collectors.channels(), *collector.channels])
    known = filled(channels=list(collector.channels), slots=collector.slots, seen=collector.mark)
    history = [] if page.is_part else history_of(page.request, page.shell, "collector", collector.id)
    return page.live(
        "planning/collectors_show.html",
        "planning/collectors_state.html",
        form or known,
        collector=shown(collector, collectors.work_of([collector])[collector.id]),
        plots=[] if page.is_part else days_of(collectors, collector.id),
        opened=form is not None,
        channel_options=[(name, name, None) for name in names],
        may_change=page.may(Permission.COLLECTORS_MANAGE) and not collector.revoked_at,
        history=history,
    )
