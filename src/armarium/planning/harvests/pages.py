"""The list of harvests, and the forms in which they are created and edited."""

from typing import Annotated, Any

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import time_zone
from armarium.planning.fields.service import ExtendedFields
from armarium.planning.harvests.form import definition_of, empty_form, form_of, moment_of, shown_moment
from armarium.planning.harvests.labels import shown_harvest, shown_row
from armarium.planning.harvests.model import Harvest, HarvestRow
from armarium.planning.harvests.queries import HarvestFilter, Order
from armarium.planning.harvests.service import Harvests
from armarium.planning.labels import KINDS, MISSED
from armarium.planning.model import HarvestKind
from armarium.web.forms import Form
from armarium.web.lists import Column, Columns, csv_answer
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
MOST_EXPORTED = 10_000
ORDERS = (
    (Order.NAME, message("Name")),
    (Order.NEXT, message("Next run")),
    (Order.LAST, message("Last run")),
)


COLUMNS = Columns(
    "harvests",
    (
        Column("kind", message("Kind"), usual=False),
        Column("schedule", message("Schedule")),
        Column("channel", message("Channel"), usual=False),
        Column("next", message("Next run")),
        Column("last", message("Last run")),
        Column("trend", message("Trend")),
        Column("objects", message("Objects")),
        Column("bytes", message("Size")),
    ),
)
EXPORTED = (
    *(message("Name"), message("Kind"), message("State"), message("Schedule"), message("Channel")),
    *(message("Next run"), message("Last run"), message("Objects"), message("Size"), message("Failed jobs")),
)


def wanted_of(
    q: str = "", kind: str = "", active: str = "", channel: str = "", order: str = ""
) -> HarvestFilter:
    return HarvestFilter(
        text=q.strip(),
        kind=HarvestKind(kind) if kind in set(HarvestKind) else None,
        active=ACTIVE.get(active),
        channel=number_in(channel),
        order=Order(order) if order in set(Order) else Order.NAME,
    )


@pages.get("", dependencies=VIEW)
def harvests_page(
    page: Page,
    harvests: HarvestsService,
    wanted: Annotated[HarvestFilter, Depends(wanted_of)],
    export: str = "",
    number: PageNumber = 1,
) -> Response:
    if export == "csv":
        found, _ = harvests.search(wanted, limit=MOST_EXPORTED)
        return csv_answer("harvests", EXPORTED, map(line_of, found))
    found, total = harvests.search(wanted, limit=PAGE_SIZE, offset=offset_of(number))
    return page.live(
        "planning/harvests_list.html",
        "planning/harvests_table.html",
        wanted=wanted,
        narrowed=wanted != HarvestFilter(order=wanted.order),
        orders=ORDERS,
        kinds=[(one.value, title) for one, title in KINDS.items()],
        channels=[(str(id_), name) for id_, name, _ in harvests.choices().channels],
        harvests=[shown_row(row) for row in found],
        columns=COLUMNS,
        shown=COLUMNS.shown(page.request),
        total=total,
        page=page.paging(number, total),
        may_change=page.may(Permission.PLANNING_EDIT),
    )


def line_of(row: HarvestRow) -> tuple[object, ...]:
    one, last = shown_row(row), row.last
    due = one["next_at"] if one["active"] and not one["paused"] else None
    brought = (last.due_at, last.objects, last.bytes, last.failed) if last else (None,) * 4
    return (one["name"], one["kind_title"], one["title"], row.schedule, row.channel, due, *brought)


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
        text = message("The harvest %(name)s is created. Now add its domains.", name=harvest.name)
        return page.done(f"{href}/domains", text)
    return page.done(href, message("The harvest %(name)s is created.", name=harvest.name))


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


# A known one ----------------------------------------------------------------------------------------


@pages.get("/{number}/edit", dependencies=EDIT)
def edit_harvest_page(
    page: Page, number: Number, harvests: HarvestsService, fields: FieldsService
) -> Response:
    harvest = harvests.get(number)
    return show_edit(page, harvests, fields, harvest, form_of(harvest, fields.of("harvest")))


@pages.post("/{number}/edit", dependencies=EDIT)
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
        return show_edit(page, harvests, fields, before, form.refuse(refusal))
    return page.done(f"{ADDRESS}/{number}", message("The harvest %(name)s is saved.", name=given.name))


def show_edit(
    page: PageRequest, harvests: Harvests, fields: ExtendedFields, harvest: Harvest, form: Form
) -> Response:
    return page.show(
        "planning/harvests_edit.html",
        form,
        harvest=shown_harvest(harvest),
        kind=harvest.kind.value,
        **offered(harvests, harvest.kind, harvest),
        fields=fields.of("harvest"),
    )
