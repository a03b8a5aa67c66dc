"""The preview of a harvest: which jobs it would make, and why these."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.generation.labels import plan_context
from armarium.planning.generation.previews import Previews, begin
from armarium.planning.harvests.model import Harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.model import HarvestKind
from armarium.web.guard import Visitor, needs
from armarium.web.paging import Number
from armarium.web.services import service
from armarium.web.shell import PageShell, done

pages = APIRouter(prefix="/planning/harvests/{number}/preview")

VIEW = [Depends(needs(Permission.PLANNING_VIEW))]
EDIT = [Depends(needs(Permission.PLANNING_EDIT))]

PreviewsService = Annotated[Previews, Depends(service(Previews))]
HarvestsService = Annotated[Harvests, Depends(service(Harvests))]


@pages.get("", dependencies=VIEW)
def preview_page(
    request: Request,
    number: Number,
    visitor: Visitor,
    page: PageShell,
    previews: PreviewsService,
    harvests: HarvestsService,
) -> Response:
    harvest, preview = harvests.get(number), previews.get(number)
    progress = previews.progress(number)
    may_change = visitor.may(Permission.PLANNING_EDIT)
    context: dict[str, Any] = {
        "harvest": harvest,
        "preview": preview,
        "plan": plan_context(preview.plan) if preview.plan else None,
        "progress": progress,
        "may_change": may_change,
        "may_generate": may_change and progress is None and can_run(harvest),
    }
    if request.headers.get("x-part"):
        return page.part(request, "planning/generation_plan.html", **context)
    return page.page(request, "planning/generation_preview.html", **context)


def can_run(harvest: Harvest) -> bool:
    """A broad harvest runs once: when it is activated."""
    return harvest.kind is not HarvestKind.BROAD or not (harvest.active or harvest.runs)


@pages.post("/generate", dependencies=EDIT)
def generate_now(request: Request, number: Number, visitor: Visitor, harvests: HarvestsService) -> Response:
    href = f"/planning/harvests/{number}/preview"
    try:
        begin(harvests, visitor.actor, number)
    except Refused as refusal:  # the page itself shows best what stands against it
        return done(request, href, refusal.message, "bad")
    return done(request, href, message("The jobs are being made."))


@pages.post("/plan", dependencies=EDIT)
def make_plan(request: Request, number: Number, visitor: Visitor, previews: PreviewsService) -> Response:
    previews.ask(visitor.actor, number)
    return done(request, f"/planning/harvests/{number}/preview", message("The plan is being made."))
