"""The page of one harvest: its definition, its activation, its last runs."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.languages.speech import time_zone
from armarium.planning.fields.service import ExtendedFields
from armarium.planning.harvests import labels
from armarium.planning.harvests.forms import definition_of, form_of, moment_of, written_moment
from armarium.planning.harvests.labels import shown_harvest, shown_run
from armarium.planning.harvests.members import HarvestDomains
from armarium.planning.harvests.model import Harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.harvests.services import EDIT, VIEW, FieldsService, HarvestsService
from armarium.planning.history import history_of
from armarium.planning.model import HarvestKind
from armarium.web.forms import Form
from armarium.web.guard import Visitor
from armarium.web.paging import Number
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, done

pages = APIRouter(prefix="/planning/harvests")

RUNS_SHOWN = 10


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
        "missed_options": [(one.value, title) for one, title in labels.MISSED.items()],
        "zone": time_zone(),
    }


@pages.get("/{number}", dependencies=VIEW)
def harvest_page(
    request: Request, number: Number, visitor: Visitor, page: PageShell, harvests: HarvestsService
) -> Response:
    return show_harvest(request, page, visitor, harvests.get(number))


@pages.post("/{number}", dependencies=EDIT)
def change_harvest(
    request: Request,
    number: Number,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    harvests: HarvestsService,
    fields: FieldsService,
) -> Response:
    before = harvests.get(number)
    try:
        given = definition_of(form, before.kind, fields.of("harvest"), before)
        # What is shown is exact to the minute: the same minute again is no change.
        shown = form.get("next_at") == written_moment(before.next_at)
        harvests.change(
            visitor.actor,
            number,
            given,
            seen=form.get("seen"),
            next_at=None if shown else moment_of(form, "next_at"),
        )
    except Refused as refusal:
        return show_harvest(request, page, visitor, before, form=form.refuse(refusal), status=422)
    text = message("The harvest %(name)s is saved.", name=given.name)
    return done(request, f"/planning/harvests/{number}", text)


@pages.post("/{number}/activate", dependencies=EDIT)
def activate_harvest(
    request: Request, number: Number, visitor: Visitor, harvests: HarvestsService
) -> Response:
    href = f"/planning/harvests/{number}"
    before = harvests.get(number)
    try:
        after = harvests.activate(visitor.actor, number)
    except Refused as refusal:
        return done(request, href, refusal.message, kind="bad")
    if after.runs > before.runs:
        return done(request, href, message("The harvest %(name)s has begun.", name=after.name))
    return done(request, href, message("The harvest %(name)s is active.", name=after.name))


@pages.post("/{number}/deactivate", dependencies=EDIT)
def deactivate_harvest(
    request: Request, number: Number, visitor: Visitor, harvests: HarvestsService
) -> Response:
    after = harvests.deactivate(visitor.actor, number)
    text = message("The harvest %(name)s is not active any more. Jobs that exist go on.", name=after.name)
    return done(request, f"/planning/harvests/{number}", text)


@pages.post("/{number}/run", dependencies=EDIT)
def run_harvest(request: Request, number: Number, visitor: Visitor, harvests: HarvestsService) -> Response:
    href = f"/planning/harvests/{number}"
    try:
        run = harvests.run_now(visitor.actor, number)
    except Refused as refusal:
        return done(request, href, refusal.message, kind="bad")
    return done(request, f"{href}/runs/{run}", message("Run %(run)s has begun.", run=run))


def show_harvest(
    request: Request,
    page: PageShell,
    visitor: Visitor,
    harvest: Harvest,
    *,
    form: Form | None = None,
    status: int = 200,
) -> Response:
    services: Services = request.app.state.services
    harvests = services.get(Harvests)
    fields = services.get(ExtendedFields).of("harvest")
    runs, total = harvests.runs(harvest.id, limit=RUNS_SHOWN)
    context: dict[str, Any] = {
        "harvest": shown_harvest(harvest),
        "form": form or form_of(harvest, fields),
        "fields": fields,
        **offered(harvests, harvest.kind, harvest),
        "doubts": [] if harvest.active else harvests.doubts(harvest.id),
        "domains": services.get(HarvestDomains).count(harvest.id),
        "runs": [shown_run(run) for run in runs],
        "runs_total": total,
        "under_way": harvests.under_way(harvest.id),
        "history": history_of(request, page, "harvest", harvest.id),
        "may_change": visitor.may(Permission.PLANNING_EDIT),
    }
    return page.page(request, "planning/harvests_one.html", status=status, **context)
