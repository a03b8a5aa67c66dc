"""The API of imports, whose file is the body of the request, and of exports."""

import tempfile
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.languages.speech import say
from armarium.selection.exchange.exporting import MEDIA_TYPES, Format
from armarium.selection.exchange.model import Counts, Import, Mode
from armarium.selection.exchange.pages import ExportsService, ImportsService, file, given_in
from armarium.selection.exchange.service import pieces_of
from armarium.selection.permissions import editor_of
from armarium.selection.search.model import Question
from armarium.selection.settings import SelectionSettings
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import At, Id, Listing, Number
from armarium.web.routes import Router

ADDRESS = "/selection/imports"
api = Router(prefix=ADDRESS, tags=["records"])

VIEW, EDIT = Permission.SELECTION_VIEW, Permission.SELECTION_EDIT
AROUND = 20_000  # bytes of a form besides its file
FILE = {"requestBody": {"required": True, "content": {"application/octet-stream": {}}}}


def import_bodies(settings: SelectionSettings) -> dict[str, int]:
    """Paths whose requests may be as large as a file."""
    most = settings.max_import_bytes + AROUND
    return {"/selection/import": most, f"/api{ADDRESS}": most}


COUNTS = schemas.shown(Counts, "CountsShown", first=())


IMPORT = schemas.shown(
    Import,
    "ImportShown",
    only=(
        *("id", "name", "bytes", "collection", "mode", "state", "by", "created_at", "ended_at"),
        *("done", "total", "counts", "notes", "error"),
    ),
    counts=COUNTS,
    notes=list[str],
    error=str | None,
)


class FaultShown(BaseModel):
    line: int
    column: str
    given: str
    text: str


def shown(one: Import) -> dict[str, Any]:
    said = {"notes": [say(note) for note in one.notes], "error": say(one.error) if one.error else None}
    return {**vars(one), **said}


def _operation(permission: Permission) -> dict[str, Any]:
    made = operation(permission)
    return {**made, "openapi_extra": {**made["openapi_extra"], **FILE}}


@api.get("", summary="List imports of records", response_model=schemas.listing(IMPORT), **operation(VIEW))
def list_imports(imports: ImportsService, at: At) -> Listing[dict[str, Any]]:
    found, total = imports.page(limit=at.limit, offset=at.place)
    return at.listing([shown(one) for one in found], total)


@api.post(
    "", summary="Try or import a file of records", status_code=202, response_model=IMPORT, **_operation(EDIT)
)
async def add_import(
    request: Request,
    visitor: Visitor,
    imports: ImportsService,
    name: Annotated[str, Query(max_length=200, description="Of the file.")] = "records.csv",
    mode: Annotated[
        Mode,
        Query(description="trial: change nothing; all: only if every line is good; good: those that are."),
    ] = Mode.TRIAL,
    collection: Annotated[Id | None, Query(description="For lines that name none.")] = None,
) -> dict[str, Any]:
    """A worker does the rest: ask for the import until its state is neither waiting nor running."""
    with tempfile.TemporaryFile() as file:
        async for content in request.stream():
            await run_in_threadpool(file.write, content)
        file.seek(0)
        editor = editor_of(visitor)
        kept = await run_in_threadpool(imports.keep, editor, name, pieces_of(file), mode, collection)
    await run_in_threadpool(imports.defer, kept.id)
    return shown(kept)


@api.get("/{number}", summary="Read the report of an import", response_model=IMPORT, **operation(VIEW))
def read_import(number: Number, imports: ImportsService) -> dict[str, Any]:
    return shown(imports.get(number))


@api.get("/{number}/faults", summary="List the problems of an import", **operation(VIEW))
def list_faults(number: Number, imports: ImportsService, at: At) -> Listing[FaultShown]:
    imports.get(number)
    found, total = imports.faults(number, limit=at.limit, offset=at.place)
    items = [FaultShown(line=o.line, column=o.column, given=o.given, text=say(o.text)) for o in found]
    return at.listing(items, total)


@api.post(
    "/{number}/run",
    summary="Import a file that was tried",
    status_code=202,
    response_model=IMPORT,
    **operation(EDIT),
)
def run_import(number: Number, mode: Mode, visitor: Visitor, imports: ImportsService) -> dict[str, Any]:
    imports.order(editor_of(visitor), number, mode)
    imports.defer(number)
    return shown(imports.get(number))


export_api = Router(prefix="/selection/export", tags=["records"])

EXPORTED_FILE = {
    "description": "The file.",
    "content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in MEDIA_TYPES.values()},
}
VIEW_OPERATION = operation(Permission.SELECTION_VIEW)


@export_api.get(
    "",
    summary="Export records as CSV or Excel",
    response_class=Response,
    **{**VIEW_OPERATION, "responses": {**VIEW_OPERATION["responses"], 200: EXPORTED_FILE}},
)
def export(
    request: Request,
    visitor: Visitor,
    exports: ExportsService,
    kind: Annotated[Format, Query(alias="format", description="csv or xlsx.")] = Format.CSV,
    column: Annotated[
        list[str], Query(description="Keys of columns, several times or with commas; none: all.")
    ] = [],  # noqa: B006  (FastAPI copies it)
) -> Response:
    """Takes the parameters of a search besides, as the list of records does."""
    question = Question.of(given_in(request))
    return file(exports, question, visitor.account.id, kind, column, titles=False)
