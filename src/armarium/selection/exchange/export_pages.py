"""The page on which somebody chooses how records are exported, and the file itself."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.selection.exchange.columns import COLUMNS, chosen
from armarium.selection.exchange.exporting import MEDIA_TYPES, Exports, Format
from armarium.selection.exchange.pages import download
from armarium.selection.search.kinds import Given
from armarium.selection.search.model import Question
from armarium.web.forms import filled
from armarium.web.guard import Visitor, needs
from armarium.web.services import service
from armarium.web.shell import PageShell

ADDRESS = "/selection/export"
pages = APIRouter(prefix=ADDRESS)

VIEW = [Depends(needs(Permission.SELECTION_VIEW))]
ExportsService = Annotated[Exports, Depends(service(Exports))]
KINDS = (
    (Format.XLSX.value, message("Excel (.xlsx)")),
    (Format.CSV.value, message("CSV: semicolons, UTF-8")),
)
HEADINGS = (
    ("titles", message("In my language")),
    ("keys", message("As programs name them, the same in every language")),
)


@pages.get("", dependencies=VIEW)
def export_page(
    request: Request,
    visitor: Visitor,
    page: PageShell,
    exports: ExportsService,
    kind: Annotated[Format | None, Query(alias="format")] = None,
    headings: str = "titles",
    column: Annotated[list[str], Query()] = [],  # noqa: B006  (FastAPI copies it)
) -> Response:
    """With a format, the file; else the page that asks for it. The search's own parameters go along."""
    question = Question.of(given_in(request))
    if kind is not None:
        titles = headings == "titles"
        return file(exports, question, visitor.account.id, kind, column, titles=titles)
    context: dict[str, Any] = {
        "form": filled(column=[one.key for one in COLUMNS], format=Format.XLSX.value, headings="titles"),
        "columns": [(one.key, say(one.title), "") for one in COLUMNS],
        "kinds": [(value, say(title)) for value, title in KINDS],
        "headings": [(value, say(title)) for value, title in HEADINGS],
        "pairs": question.pairs(),
        "narrows": question.narrows,
        "query": question.query(),
        "total": exports.count(question, visitor.account.id),
    }
    return page.page(request, "selection/export.html", **context)


def given_in(request: Request) -> Given:
    return {name: request.query_params.getlist(name) for name in request.query_params}


def file(
    exports: Exports, question: Question, me: int | None, kind: Format, keys: list[str], *, titles: bool
) -> Response:
    columns = chosen(keys)
    pieces = exports.pieces(exports.numbers(question, me), kind, columns, titles=titles)
    # The first piece is made here, where a refusal can still be answered, and in the reader's language.
    first = next(pieces)

    def whole() -> Any:
        yield first
        yield from pieces

    name = f"records-{clock.now():%Y-%m-%d}.{kind.value}"
    return download(whole(), MEDIA_TYPES[kind], name)
