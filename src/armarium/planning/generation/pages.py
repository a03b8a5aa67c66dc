"""The API and the pages of the preview of a harvest: which jobs it would make, and why these."""

from typing import Annotated, Any

from fastapi import Depends
from pydantic import Field
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.planning.generation.labels import plan_context, plan_facts
from armarium.planning.generation.plan import Before, Past, Plan, PlannedJob
from armarium.planning.generation.previews import Preview, Previews, Progress, begin
from armarium.planning.harvests.model import Harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.model import HarvestKind
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
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
def generate(page: Page, number: Number, harvests: HarvestsService) -> Response:
    def begun() -> Message:
        begin(harvests, page.actor, number)
        return message("The jobs are being created.")

    # The page itself shows best what stands against it.
    return page.attempt(f"/planning/harvests/{number}/preview", begun)


@pages.post("/plan", dependencies=EDIT)
def make_plan(page: Page, number: Number, previews: PreviewsService) -> Response:
    previews.ask(page.actor, number)
    return page.done(f"/planning/harvests/{number}/preview", message("The preview is being prepared."))


api = Router(prefix="/harvests/{number}", tags=["generation"])


JOB = schemas.shown(
    PlannedJob,
    "JobShown",
    only=(
        *("profile", "configurations", "objects", "smallest", "largest", "bytes", "seconds", "split", "why"),
        "domains",
    ),
    why=str,
)


BEFORE = schemas.shown(Before, "BeforeShown", first=(), doc=Before.__doc__)


PAST = schemas.shown(
    Past, "PastShown", first=(), doc="How good the estimate of an earlier run was, in objects."
)


PLAN = schemas.shown(
    Plan,
    "PlanShown",
    only=(
        *("made_at", "job_count", "configurations", "objects", "bytes", "seconds", "crawler_hours"),
        *("left_out", "splits", "jobs", "before", "past", "likely"),
    ),
    crawler_hours=float,
    jobs=schemas.several(JOB),
    before=BEFORE | None,
    past=Annotated[schemas.several(PAST), Field(description="The last runs, the latest first.")],
    likely=Annotated[
        tuple[int, int] | None,
        Field(description="Objects, from and to, if this plan is as wrong as those of the last runs were."),
    ],
)


PROGRESS = schemas.shown(Progress, "ProgressShown", first=())


PREVIEW = schemas.shown(
    Preview,
    "PreviewShown",
    only=("state", "large", "done", "of", "error", "plan", "generating"),
    doc="`plan` is the last one made; of a large harvest it may be absent, or be in the making.",
    plan=PLAN | None,
    generating=PROGRESS | None,
)


@api.get(
    "/preview",
    summary="The jobs that a run of the harvest would create now, and why",
    response_model=PREVIEW,
    **operation(Permission.PLANNING_VIEW),
)
def read_preview(number: Number, previews: PreviewsService) -> dict[str, Any]:
    preview = previews.get(number)
    plan = plan_facts(preview.plan) if preview.plan else None
    return {**vars(preview), "plan": plan, "generating": previews.progress(number)}


@api.post(
    "/preview",
    status_code=202,
    summary="Prepare the preview of a large harvest again, in the background",
    response_model=PREVIEW,
    **operation(Permission.PLANNING_EDIT),
)
def ask_for_plan(number: Number, visitor: Visitor, previews: PreviewsService) -> dict[str, Any]:
    previews.ask(visitor.actor, number)
    return read_preview(number, previews)


@api.post(
    "/generate",
    status_code=202,
    summary="Create the jobs of the harvest now",
    response_model=PROGRESS | None,
    **operation(Permission.PLANNING_EDIT),
)
def generate_now(
    number: Number, visitor: Visitor, harvests: HarvestsService, previews: PreviewsService
) -> Progress | None:
    begin(harvests, visitor.actor, number)
    return previews.progress(number)
