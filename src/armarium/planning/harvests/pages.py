"""The list of harvests, new ones, and the page of one: its definition, its activation, its last runs."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.core.moments import written_moment
from armarium.core.services import Services
from armarium.languages.speech import time_zone
from armarium.planning.audit_history import history_of
from armarium.planning.fields.rules import Field, checked_fields, typed_values
from armarium.planning.fields.service import ExtendedFields
from armarium.planning.harvests.labels import shown_harvest, shown_row, shown_run
from armarium.planning.harvests.members import HarvestDomains
from armarium.planning.harvests.model import Definition, Harvest
from armarium.planning.harvests.queries import HarvestFilter
from armarium.planning.harvests.service import Harvests
from armarium.planning.labels import KINDS, MISSED
from armarium.planning.model import HarvestKind, Missed
from armarium.planning.parsing import size_of, written_size
from armarium.web.form_values import typed
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/planning/harvests"
pages = Router(prefix=ADDRESS)

VIEW, EDIT = guarded(Permission.PLANNING_VIEW), guarded(Permission.PLANNING_EDIT)
HarvestsService = Annotated[Harvests, Depends(service(Harvests))]
FieldsService = Annotated[ExtendedFields, Depends(service(ExtendedFields))]

ACTIVE = {"yes": True, "no": False}
NEW_KINDS = (HarvestKind.SELECTIVE, HarvestKind.BROAD)  # an event harvest has a page of its own
RUNS_SHOWN = 10


@pages.get("", dependencies=VIEW)
def harvests_page(
    page: Page,
    harvests: HarvestsService,
    q: str = "",
    kind: str = "",
    active: str = "",
    channel: str = "",
    number: PageNumber = 1,
) -> Response:
    wanted = HarvestFilter(
        text=q.strip(),
        kind=HarvestKind(kind) if kind in set(HarvestKind) else None,
        active=ACTIVE.get(active),
        channel=number_in(channel),
    )
    found, total = harvests.search(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    return page.live(
        "planning/harvests_list.html",
        "planning/harvests_table.html",
        filter={"q": q, "kind": kind, "active": active, "channel": channel},
        narrowed=bool(q.strip() or kind or active or channel),
        kinds=[(one.value, title) for one, title in KINDS.items()],
        channels=[(str(id_), name) for id_, name, _ in harvests.choices().channels],
        harvests=[shown_row(row) for row in found],
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


def offered(harvests: Harvests, kind: HarvestKind, harvest: Harvest | None = None) -> dict[str, Any]:
    """What the select boxes of a definition offer."""
    choices = harvests.choices(harvest.id if harvest else None)
    default = next((name for _, name, kinds in choices.channels if kind.value in kinds.split()), "")
    mine = harvest.schedule if harvest else None
    return {
        "schedules": [(one.id, one.name) for one in choices.schedules if one.active or one.id == mine],
        "channels": [(number, name) for number, name, _ in choices.channels],
        "default_channel": default,
        "previous": choices.previous,
        "missed_options": [(one.value, title) for one, title in MISSED.items()],
        "zone": time_zone(),
    }


# A new one ------------------------------------------------------------------------------------------


@pages.get("/new", dependencies=EDIT)
def new_harvest_page(
    page: Page, harvests: HarvestsService, fields: FieldsService, kind: str = ""
) -> Response:
    chosen = _kind(kind)
    return show_new(page, harvests, fields, chosen, empty_form(chosen, fields.of("harvest")))


@pages.post("/new", dependencies=EDIT)
def create_harvest(
    page: Page, form: PostedForm, harvests: HarvestsService, fields: FieldsService
) -> Response:
    kind = _kind(form.get("kind"))
    try:
        harvest = harvests.create(page.actor, definition_of(form, kind, fields.of("harvest"), before=None))
    except Refused as refusal:
        return show_new(page, harvests, fields, kind, form.refuse(refusal))
    href = f"{ADDRESS}/{harvest.id}"
    if kind is HarvestKind.SELECTIVE:
        text = message("The harvest %(name)s is defined. Now add its domains.", name=harvest.name)
        return page.done(f"{href}/domains", text)
    return page.done(href, message("The harvest %(name)s is defined.", name=harvest.name))


def show_new(
    page: PageRequest, harvests: Harvests, fields: ExtendedFields, kind: HarvestKind, form: Form
) -> Response:
    return page.show(
        "planning/harvests_new.html",
        form,
        kind=kind.value,
        **offered(harvests, kind),
        fields=fields.of("harvest"),
    )


def _kind(given: str) -> HarvestKind:
    return HarvestKind(given) if given in NEW_KINDS else HarvestKind.SELECTIVE


# One of them ----------------------------------------------------------------------------------------

# Pages of several words stand before this one: the first address that fits is taken.
one_harvest = Router(prefix=f"{ADDRESS}/{{number}}")


@one_harvest.get("", dependencies=VIEW)
def harvest_page(page: Page, number: Number, harvests: HarvestsService) -> Response:
    return show_harvest(page, harvests.get(number))


@one_harvest.post("", dependencies=EDIT)
def change_harvest(
    page: Page, number: Number, form: PostedForm, harvests: HarvestsService, fields: FieldsService
) -> Response:
    before = harvests.get(number)
    try:
        given = definition_of(form, before.kind, fields.of("harvest"), before)
        # What is shown is exact to the minute: the same minute again is no change.
        shown = form.get("next_at") == shown_moment(before.next_at)
        next_at = None if shown else moment_of(form, "next_at")
        harvests.change(page.actor, number, given, seen=form.get("seen"), next_at=next_at)
    except Refused as refusal:
        return show_harvest(page, before, form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}", message("The harvest %(name)s is saved.", name=given.name))


@one_harvest.post("/activate", dependencies=EDIT)
def activate_harvest(page: Page, number: Number, harvests: HarvestsService) -> Response:
    before = harvests.get(number)

    def activated() -> Message:
        after = harvests.activate(page.actor, number)
        if after.runs > before.runs:
            return message("The harvest %(name)s has begun.", name=after.name)
        return message("The harvest %(name)s is active.", name=after.name)

    return page.attempt(f"{ADDRESS}/{number}", activated)


@one_harvest.post("/deactivate", dependencies=EDIT)
def deactivate_harvest(page: Page, number: Number, harvests: HarvestsService) -> Response:
    after = harvests.deactivate(page.actor, number)
    text = message("The harvest %(name)s is not active any more. Jobs that exist go on.", name=after.name)
    return page.done(f"{ADDRESS}/{number}", text)


@one_harvest.post("/run", dependencies=EDIT)
def run_harvest(page: Page, number: Number, harvests: HarvestsService) -> Response:
    href = f"{ADDRESS}/{number}"
    try:
        run = harvests.run_now(page.actor, number)
    except Refused as refusal:
        return page.done(href, refusal.message, "bad")
    return page.done(f"{href}/runs/{run}", message("Run %(run)s has begun.", run=run))


def show_harvest(page: PageRequest, harvest: Harvest, form: Form | None = None) -> Response:
    services: Services = page.request.app.state.services
    harvests = services.get(Harvests)
    fields = services.get(ExtendedFields).of("harvest")
    runs, total = harvests.runs(harvest.id, limit=RUNS_SHOWN)
    return page.show(
        "planning/harvests_one.html",
        form or form_of(harvest, fields),
        harvest=shown_harvest(harvest),
        fields=fields,
        **offered(harvests, harvest.kind, harvest),
        doubts=[] if harvest.active else harvests.doubts(harvest.id),
        domains=services.get(HarvestDomains).count(harvest.id),
        runs=[shown_run(run) for run in runs],
        runs_total=total,
        under_way=harvests.under_way(harvest.id),
        history=history_of(page.request, page.shell, "harvest", harvest.id),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


# Definitions as forms, and back ---------------------------------------------------------------------


def definition_of(
    form: Form, kind: HarvestKind, fields: Sequence[Field], before: Harvest | None
) -> Definition:
    return Definition(
        name=form.get("name"),
        kind=kind,
        comments=form.get("comments"),
        audience=form.get("audience"),
        channel=number_of(form, "channel"),
        schedule=number_of(form, "schedule"),
        missed=missed_of(form),
        traps=tuple(form.get("traps").splitlines()),
        max_objects=number_of(form, "max_objects"),
        max_bytes=size_of(form, "max_bytes"),
        max_seconds=number_of(form, "max_seconds"),
        total_objects=number_of(form, "total_objects"),
        total_bytes=size_of(form, "total_bytes"),
        previous=number_of(form, "previous"),
        fields=checked_fields(fields, form, before.fields if before else None),
    )


def form_of(harvest: Harvest, fields: Sequence[Field]) -> Form:
    sizes = {name: written_size(getattr(harvest, name)) for name in ("max_bytes", "total_bytes")}
    known = {**typed(harvest, ZoneInfo(time_zone())), **sizes}
    return filled(**{**known, **typed_values(fields, harvest.fields)})


def empty_form(kind: HarvestKind, fields: Sequence[Field]) -> Form:
    """No schedule is proposed: a surprising one costs more than a question."""
    limit = written_size(1_000_000_000) if kind is HarvestKind.BROAD else ""
    return filled(**{"missed": Missed.SKIP.value, "max_bytes": limit, **typed_values(fields)})


def number_of(form: Form, name: str) -> int | None:
    text = re.sub(r"[\s'\u00a0\u202f]", "", form.get(name))
    if not text:
        return None
    number = number_in(text)
    if number is None:
        raise Refused(message("Write a whole number, or nothing."), field=name)
    return number


def moment_of(form: Form, name: str) -> datetime | None:
    """A moment on the clock of the site."""
    text = form.get(name).strip()
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(time_zone()))
    except ValueError:
        raise Refused(message("Write date and hour as 2026-12-31T23:30."), field=name) from None


def missed_of(form: Form) -> Missed:
    given = form.get("missed") or Missed.SKIP.value
    if given not in set(Missed):
        raise Refused(message("Choose what becomes of missed runs."), field="missed")
    return Missed(given)


def written(value: int | None) -> str:
    return "" if value is None else str(value)


def shown_moment(moment: datetime | None) -> str:
    """On the clock of the site."""
    return written_moment(moment, ZoneInfo(time_zone()))
