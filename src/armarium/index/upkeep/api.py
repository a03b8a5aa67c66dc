"""The API of the chain."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from armarium.accounts.model import Permission
from armarium.index.chain.model import IndexedFile, IndexState, Level, StepRow
from armarium.index.upkeep.pages import ChainService, UpkeepService
from armarium.index.upkeep.service import Upkeep
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number

api = APIRouter(prefix="/index", tags=["index"])


class LevelShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    runs: int
    lines: int
    bytes: int


class ChainShown(BaseModel):
    waiting: int
    indexed: int
    failed: int
    withdrawn: int
    lines: int
    bytes: int  # of the runs that hold them
    levels: dict[Level, LevelShown]  # live runs that together hold the lines of everything


class StepShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    step: str
    about: str
    state: str
    started_at: datetime
    heard_at: datetime | None
    ended_at: datetime | None
    done: int
    total: int
    error: str


class FileShown(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    file: int
    name: str
    state: IndexState
    job: int | None
    harvest: int | None
    accession: int | None
    made_from: str
    error: str
    lines: int
    indexed_at: datetime | None


class Asked(BaseModel):
    asked: bool  # false: the same was waiting already


class Count(BaseModel):
    files: int


def shown_chain(upkeep: Upkeep) -> ChainShown:
    totals = upkeep.totals()
    return ChainShown(
        waiting=totals.waiting,
        indexed=totals.indexed,
        failed=totals.failed,
        withdrawn=totals.withdrawn,
        lines=totals.lines,
        bytes=totals.bytes,
        levels={level: LevelShown.model_validate(one) for level, one in upkeep.levels().items()},
    )


@api.get("/chain", summary="How far the index is", **operation(Permission.INDEX_VIEW))
def read_chain(upkeep: UpkeepService) -> ChainShown:
    return shown_chain(upkeep)


@api.get("/chain/steps", summary="What the chain did and does", **operation(Permission.INDEX_VIEW))
def list_steps(chain: ChainService, at: At) -> Listing[StepShown]:
    found, total = chain.steps.page(limit=at.limit, offset=at.place)
    return at.listing([_step(step) for step in found], total)


def _step(step: StepRow) -> StepShown:
    return StepShown.model_validate(step)


@api.get("/files", summary="List files with how far each is indexed", **operation(Permission.INDEX_VIEW))
def list_files(
    chain: ChainService,
    state: IndexState | None = None,
    text: str = "",
    *,
    at: At,
) -> Listing[FileShown]:
    found, total = chain.page(state=state, text=text, limit=at.limit, offset=at.place)
    return at.listing([_file(file) for file in found], total)


@api.get("/files/{number}", summary="Read how far a file is indexed", **operation(Permission.INDEX_VIEW))
def read_file(number: Number, upkeep: UpkeepService) -> FileShown:
    return _file(upkeep.file(number))


def _file(file: IndexedFile) -> FileShown:
    return FileShown.model_validate(file)


@api.post(
    "/files/{number}/retry", summary="Try a file again that failed", **operation(Permission.INDEX_MANAGE)
)
def retry_file(number: Number, visitor: Visitor, upkeep: UpkeepService) -> FileShown:
    upkeep.retry(visitor.actor, number)
    return _file(upkeep.file(number))


@api.post("/chain/retry", summary="Try all files again that failed", **operation(Permission.INDEX_MANAGE))
def retry_all(visitor: Visitor, upkeep: UpkeepService) -> Count:
    return Count(files=upkeep.retry_all(visitor.actor))


@api.post(
    "/chain/merge",
    status_code=202,
    summary="Merge runs of files into runs of their days",
    **operation(Permission.INDEX_MANAGE),
)
def merge(visitor: Visitor, upkeep: UpkeepService) -> Asked:
    return Asked(asked=upkeep.merge(visitor.actor))


@api.post(
    "/chain/big-merge",
    status_code=202,
    summary="Merge all runs into the big one",
    **operation(Permission.INDEX_MANAGE),
)
def big_merge(visitor: Visitor, upkeep: UpkeepService) -> Asked:
    return Asked(asked=upkeep.merge(visitor.actor, big=True))


@api.post(
    "/chain/paths",
    status_code=202,
    summary="Write the PATH index anew",
    **operation(Permission.INDEX_MANAGE),
)
def write_paths(visitor: Visitor, upkeep: UpkeepService) -> Asked:
    return Asked(asked=upkeep.write_paths(visitor.actor))
