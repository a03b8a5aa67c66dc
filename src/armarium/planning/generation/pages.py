"""The API and the pages of the preview of a harvest: which jobs it would make, and why these."""

from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.planning.generation.labels import plan_context, plan_facts
from armarium.planning.generation.previews import PlanState, Previews, Progress, begin
from armarium.planning.harvests.model import Harvest
from armarium.planning.harvests.service import Harvests
from armarium.planning.model import HarvestKind, Split
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
        return message("The jobs are being made.")

    # The page itself shows best what stands against it.
    return page.attempt(f"/planning/harvests/{number}/preview", begun)


@pages.post("/plan", dependencies=EDIT)
def make_plan(page: Page, number: Number, previews: PreviewsService) -> Response:
    previews.ask(page.actor, number)
    return page.done(f"/planning/harvests/{number}/preview", message("The plan is being made."))


api = Router(prefix="/harvests/{number}", tags=["generation"])


class JobShown(BaseModel):
    profile: str
    configurations: int
    objects: int
    smallest: int
    largest: int
    bytes: int
    seconds: float
    split: Split
    why: str
    domains: list[str]


class BeforeShown(BaseModel):
    """The last run, to compare with."""

    number: int
    generated_at: datetime | None
    jobs: int
    configurations: int
    objects: int
    left_out: int


class PastShown(BaseModel):
    """How good the estimate of an earlier run was, in objects."""

    number: int
    expected: int
    brought: int


class PlanShown(BaseModel):
    made_at: datetime
    job_count: int
    configurations: int
    objects: int
    bytes: int
    seconds: float
    crawler_hours: float
    left_out: dict[str, int]
    splits: dict[str, int]
    jobs: list[JobShown]
    before: BeforeShown | None
    past: list[PastShown] = Field(description="The last runs, the latest first.")
    likely: tuple[int, int] | None = Field(
        description="Objects, from and to, if this plan is as wrong as those of the last runs were."
    )


class ProgressShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    run: int
    done: int
    of: int
    jobs: int
    configurations: int
    begun_at: datetime | None


class PreviewShown(BaseModel):
    """`plan` is the last one made; of a large harvest it may be absent, or be in the making."""

    state: PlanState
    large: bool
    done: int
    of: int
    error: str
    plan: PlanShown | None
    generating: ProgressShown | None


def shown_progress(progress: Progress | None) -> ProgressShown | None:
    return ProgressShown.model_validate(progress) if progress else None


@api.get(
    "/preview",
    summary="The jobs that a run of the harvest would make now, and why these",
    **operation(Permission.PLANNING_VIEW),
)
def read_preview(number: Number, previews: PreviewsService) -> PreviewShown:
    preview = previews.get(number)
    plan: dict[str, Any] | None = plan_facts(preview.plan) if preview.plan else None
    return PreviewShown(
        state=preview.state,
        large=preview.large,
        done=preview.done,
        of=preview.of,
        error=preview.error,
        plan=PlanShown.model_validate(plan) if plan else None,
        generating=shown_progress(previews.progress(number)),
    )


@api.post(
    "/preview",
    status_code=202,
    summary="Have the plan of a large harvest made anew, in the background",
    **operation(Permission.PLANNING_EDIT),
)
def ask_for_plan(number: Number, visitor: Visitor, previews: PreviewsService) -> PreviewShown:
    previews.ask(visitor.actor, number)
    return read_preview(number, previews)


@api.post(
    "/generate",
    status_code=202,
    summary="Make the jobs of the harvest now",
    **operation(Permission.PLANNING_EDIT),
)
def generate_now(
    number: Number, visitor: Visitor, harvests: HarvestsService, previews: PreviewsService
) -> ProgressShown | None:
    begin(harvests, visitor.actor, number)
    return shown_progress(previews.progress(number))
