"""The API of exports: what a search finds, as a file."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.selection.exchange.export_pages import ExportsService, file, given_in
from armarium.selection.exchange.exporting import MEDIA_TYPES, Format
from armarium.selection.search.model import Question
from armarium.web.api import operation
from armarium.web.guard import Visitor

api = APIRouter(prefix="/selection/export", tags=["records"])

FILE = {
    "description": "The file.",
    "content": {kind.partition(";")[0]: {"schema": {"type": "string"}} for kind in MEDIA_TYPES.values()},
}
VIEW = operation(Permission.SELECTION_VIEW)


@api.get(
    "",
    summary="Export records as CSV or Excel",
    response_class=Response,
    **{**VIEW, "responses": {**VIEW["responses"], 200: FILE}},
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
