"""The API of the chain."""

from pydantic import BaseModel, ConfigDict

from armarium.accounts.model import Permission
from armarium.index.chain.model import IndexedFile, IndexState, Level, StepRow
from armarium.index.upkeep.pages import ChainService, UpkeepService
from armarium.index.upkeep.service import Upkeep
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router

api = Router(prefix="/index", tags=["index"])


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


STEP = schemas.shown(StepRow, "StepShown", first=("id", "step", "about"), module=__name__)
FILE = schemas.shown(
    IndexedFile,
    "FileShown",
    first=("file", "name", "state", "job", "harvest", "accession", "made_from"),
    without=("edition", "day", "sha256", "asked_at"),
    module=__name__,
)


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


@api.get("/chain", summary="Read the status of the index", **operation(Permission.INDEX_VIEW))
def read_chain(upkeep: UpkeepService) -> ChainShown:
    return shown_chain(upkeep)


@api.get(
    "/chain/steps",
    summary="List current and recent work on the index",
    response_model=schemas.listing(STEP),
    **operation(Permission.INDEX_VIEW),
)
def list_steps(chain: ChainService, at: At) -> Listing[StepRow]:
    found, total = chain.steps.page(limit=at.limit, offset=at.place)
    return at.listing(found, total)


@api.get(
    "/files",
    summary="List files with their index state",
    response_model=schemas.listing(FILE),
    **operation(Permission.INDEX_VIEW),
)
def list_files(
    chain: ChainService,
    state: IndexState | None = None,
    text: str = "",
    *,
    at: At,
) -> Listing[IndexedFile]:
    found, total = chain.page(state=state, text=text, limit=at.limit, offset=at.place)
    return at.listing(found, total)


@api.get(
    "/files/{number}",
    summary="Read the index state of a file",
    response_model=FILE,
    **operation(Permission.INDEX_VIEW),
)
def read_file(number: Number, upkeep: UpkeepService) -> IndexedFile:
    return upkeep.file(number)


@api.post(
    "/files/{number}/retry",
    summary="Retry a file that failed",
    response_model=FILE,
    **operation(Permission.INDEX_MANAGE),
)
def retry_file(number: Number, visitor: Visitor, upkeep: UpkeepService) -> IndexedFile:
    upkeep.retry(visitor.actor, number)
    return upkeep.file(number)


@api.post("/chain/retry", summary="Retry all files that failed", **operation(Permission.INDEX_MANAGE))
def retry_all(visitor: Visitor, upkeep: UpkeepService) -> Count:
    return Count(files=upkeep.retry_all(visitor.actor))


@api.post(
    "/chain/merge",
    status_code=202,
    summary="Merge the index by day",
    **operation(Permission.INDEX_MANAGE),
)
def merge(visitor: Visitor, upkeep: UpkeepService) -> Asked:
    return Asked(asked=upkeep.merge(visitor.actor))


@api.post(
    "/chain/big-merge",
    status_code=202,
    summary="Merge the whole index",
    **operation(Permission.INDEX_MANAGE),
)
def big_merge(visitor: Visitor, upkeep: UpkeepService) -> Asked:
    return Asked(asked=upkeep.merge(visitor.actor, big=True))


@api.post(
    "/chain/paths",
    status_code=202,
    summary="Write the path index",
    **operation(Permission.INDEX_MANAGE),
)
def write_paths(visitor: Visitor, upkeep: UpkeepService) -> Asked:
    return Asked(asked=upkeep.write_paths(visitor.actor))
