"""The API of batches."""

from typing import Annotated, Any

from fastapi import Depends
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.storage.batches.model import (
    LONGEST,
    Batch,
    Function,
    Functions,
    Parameter,
    Result,
    ResultState,
    SelectionKind,
    selection,
)
from armarium.storage.batches.pages import NDJSON, ndjson
from armarium.storage.batches.service import Batches
from armarium.storage.model import RunState
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Listing, Number
from armarium.web.routes import Router
from armarium.web.services import service

BatchesService = Annotated[Batches, Depends(service(Batches))]

api = Router(prefix="/storage/batches", tags=["storage"])


PARAMETER = schemas.shown(Parameter, "ParameterShown", only=("name", "type", "required", "default"), type=str)


FUNCTION = schemas.shown(
    Function,
    "FunctionShown",
    only=("name", "text", "origin", "parameters"),
    parameters=schemas.several(PARAMETER),
)


FUNCTIONS = schemas.shown(
    Functions,
    "FunctionsShown",
    only=("functions", "troubles"),
    functions=schemas.several(FUNCTION),
    troubles=dict[str, str],  # files of which nothing can be run, and why
)


class Files(BaseModel):
    """Which files; only stored ones are taken."""

    model_config = ConfigDict(extra="forbid")

    kind: SelectionKind = SelectionKind.ALL
    value: Annotated[str, Field(max_length=LONGEST)] = ""  # the number, or a pattern with * and ?


class BatchWanted(BaseModel):
    model_config = ConfigDict(extra="forbid")

    function: Annotated[str, Field(max_length=200)]
    arguments: dict[str, str | int | float | bool] = {}
    selection: Files = Files()


BATCH = schemas.shown(Batch, "BatchShown", selection=Files)
RESULT = schemas.shown(Result, "ResultShown", first=())


def described(function: Function) -> dict[str, Any]:
    parameters = [{**vars(one), "type": one.kind.__name__} for one in function.parameters]
    return {**vars(function), "parameters": parameters}


def shown(batch: Batch) -> dict[str, Any]:
    return {**vars(batch), "selection": batch.selection.described()}


@api.get(
    "", summary="List batches", response_model=schemas.listing(BATCH), **operation(Permission.STORAGE_VIEW)
)
def list_batches(
    batches: BatchesService, state: RunState | None = None, *, at: At
) -> Listing[dict[str, Any]]:
    found, total = batches.page(state, limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.get(
    "/functions",
    summary="List functions for batches",
    response_model=FUNCTIONS,
    **operation(Permission.STORAGE_VIEW),
)
def list_functions(batches: BatchesService) -> dict[str, Any]:
    known = batches.functions()
    return {"functions": [described(one) for one in known.found.values()], "troubles": known.troubles}


@api.post(
    "",
    status_code=201,
    summary="Run a function over many files",
    response_model=BATCH,
    **operation(Permission.STORAGE_MANAGE),
)
def start_batch(visitor: Visitor, given: BatchWanted, batches: BatchesService) -> dict[str, Any]:
    files = selection(given.selection.kind, given.selection.value)
    return shown(batches.start(visitor.actor, given.function, given.arguments, files))


@api.get("/{number}", summary="Read a batch", response_model=BATCH, **operation(Permission.STORAGE_VIEW))
def read_batch(number: Number, batches: BatchesService) -> dict[str, Any]:
    return shown(batches.get(number))


@api.post(
    "/{number}/cancel",
    summary="Cancel a batch",
    response_model=BATCH,
    **operation(Permission.STORAGE_MANAGE),
)
def cancel_batch(number: Number, visitor: Visitor, batches: BatchesService) -> dict[str, Any]:
    return shown(batches.cancel(visitor.actor, number))


@api.get(
    "/{number}/results",
    summary="List results of a batch, errors first",
    response_model=schemas.listing(RESULT),
    **operation(Permission.STORAGE_READ),
)
def list_results(
    number: Number,
    batches: BatchesService,
    state: ResultState | None = None,
    *,
    at: At,
) -> Listing[Result]:
    batches.get(number)
    found, total = batches.results(number, state, limit=at.limit, offset=at.place)
    return at.listing(found, total)


@api.get(
    "/{number}/results.ndjson",
    summary="Download all results of a batch, one line of JSON per file",
    response_class=Response,
    **{
        **operation(Permission.STORAGE_READ),
        "responses": {
            200: {"content": {NDJSON: {}}},
            **operation(Permission.STORAGE_READ)["responses"],
        },
    },
)
def download(number: Number, batches: BatchesService) -> Response:
    return ndjson(batches, batches.get(number))
