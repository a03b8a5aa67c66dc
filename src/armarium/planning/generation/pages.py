"""The preview of a harvest: which jobs it would make, and why these."""

from typing import Annotated

from fastapi import Depends
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.planning.generation.labels import plan_context
from armarium.planning.generation.previews import Previews, begin
from armarium.planning.harvests.model import Harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.model import HarvestKind
from armarium.web.pages import Page, guarded
from armarium.web.paging import Number
from armarium.web.routes import Router
from armarium.web.services import service

pages = Router(prefix="/planning/harvests/{number}/preview")

VIEW, EDIT = guarded(Permission.PLANNING_VIEW), guarded(Permission.PLANNING_EDIT)

PreviewsService = Annotated[Previews, Depends(service(Previews))]
HarvestsService = Annotated[Harvests, Depends(service(Harvests))]


@pages.get("", dependencies=VIEW)
def preview_page(
    page: Page, number: Number, previews: PreviewsService, harvests: HarvestsService
) -> Response:
    harvest, preview = harvests.get(number), previews.get(number)
    progress, may_change = previews.progress(number), page.may(Permission.PLANNING_EDIT)
    return page.live(
        "planning/generation_preview.html",
        "planning/generation_plan.html",
        harvest=harvest,
        preview=preview,
        plan=plan_context(preview.plan) if preview.plan else None,
        progress=progress,
        may_change=may_change,
        may_generate=may_change and progress is None and can_run(harvest),
    )


def can_run(harvest: Harvest) -> bool:
    """A broad harvest runs once: when it is activated."""
    return harvest.kind is not HarvestKind.BROAD or not (harvest.active or harvest.runs)


@pages.post("/generate", dependencies=EDIT)
def generate_now(page: Page, number: Number, harvests: HarvestsService) -> Response:
    def begun() -> Message:
        begin(harvests, page.actor, number)
        return message("The jobs are being made.")

    # The page itself shows best what stands against it.
    return page.attempt(f"/planning/harvests/{number}/preview", begun)


@pages.post("/plan", dependencies=EDIT)
def make_plan(page: Page, number: Number, previews: PreviewsService) -> Response:
    previews.ask(page.actor, number)
    return page.done(f"/planning/harvests/{number}/preview", message("The plan is being made."))
