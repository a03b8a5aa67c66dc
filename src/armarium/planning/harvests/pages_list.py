"""The list of harvests, and new ones."""

from typing import Any

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.harvests import labels
from armarium.planning.harvests.forms import definition_of, empty_form
from armarium.planning.harvests.labels import shown_row
from armarium.planning.harvests.pages_definition import offered
from armarium.planning.harvests.queries import HarvestFilter
from armarium.planning.harvests.services import EDIT, VIEW, FieldsService, HarvestsService
from armarium.planning.model import HarvestKind
from armarium.web.forms import Form
from armarium.web.guard import Visitor
from armarium.web.paging import PAGE_SIZE, PageNumber, Paging, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.shell import PageShell, done

pages = APIRouter(prefix="/planning/harvests")

ACTIVE = {"yes": True, "no": False}
NEW_KINDS = (HarvestKind.SELECTIVE, HarvestKind.BROAD)  # an event harvest has a page of its own


@pages.get("", dependencies=VIEW)
def harvests_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
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
    context: dict[str, Any] = {
        "filter": {"q": q, "kind": kind, "active": active, "channel": channel},
        "narrowed": bool(q.strip() or kind or active or channel),
        "kinds": [(one.value, title) for one, title in labels.KINDS.items()],
        "channels": [(str(id_), name) for id_, name, _ in harvests.choices().channels],
        "harvests": [shown_row(row) for row in found],
        "total": total,
        "page": Paging(request, number, total),
        "may_change": visitor.may(Permission.PLANNING_EDIT),
    }
    template = "harvests_table.html" if "x-part" in request.headers else "harvests_list.html"
    show = page.part if "x-part" in request.headers else page.page
    return show(request, f"planning/{template}", **context)


@pages.get("/new", dependencies=EDIT)
def new_harvest_page(
    request: Request, page: PageShell, harvests: HarvestsService, fields: FieldsService, kind: str = ""
) -> Response:
    chosen = _kind(kind)
    form = empty_form(chosen, fields.of("harvest"))
    return show_new(request, page, harvests, fields, chosen, form)


@pages.post("/new", dependencies=EDIT)
def create_harvest(
    request: Request,
    visitor: Visitor,
    form: PostedForm,
    page: PageShell,
    harvests: HarvestsService,
    fields: FieldsService,
) -> Response:
    kind = _kind(form.get("kind"))
    try:
        harvest = harvests.create(visitor.actor, definition_of(form, kind, fields.of("harvest"), before=None))
    except Refused as refusal:
        return show_new(request, page, harvests, fields, kind, form.refuse(refusal), status=422)
    href = f"/planning/harvests/{harvest.id}"
    if kind is HarvestKind.SELECTIVE:
        text = message("The harvest %(name)s is defined. Now add its domains.", name=harvest.name)
        return done(request, f"{href}/domains", text)
    return done(request, href, message("The harvest %(name)s is defined.", name=harvest.name))


def show_new(
    request: Request,
    page: PageShell,
    harvests: HarvestsService,
    fields: FieldsService,
    kind: HarvestKind,
    form: Form,
    *,
    status: int = 200,
) -> Response:
    context: dict[str, Any] = {
        "kind": kind.value,
        "form": form,
        **offered(harvests, kind),
        "fields": fields.of("harvest"),
    }
    return page.page(request, "planning/harvests_new.html", status=status, **context)


def _kind(given: str) -> HarvestKind:
    return HarvestKind(given) if given in NEW_KINDS else HarvestKind.SELECTIVE
