"""The pages of imports and exports."""

from collections.abc import Iterator
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Depends, Query
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from armarium.accounts.model import Permission
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import byte_size, say
from armarium.selection.collections.api import CollectionsService
from armarium.selection.collections.service import Collections
from armarium.selection.exchange.columns import BY_KEY, COLUMNS, Read, chosen
from armarium.selection.exchange.csv_files import csv_line
from armarium.selection.exchange.exporting import BYTE_ORDER_MARK, MEDIA_TYPES, Exports, Format
from armarium.selection.exchange.model import STATES, Fault, Import, Mode
from armarium.selection.exchange.service import Imports, pieces_of
from armarium.selection.permissions import editor_of
from armarium.selection.search.fields import Given
from armarium.selection.search.model import Question
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm, PostedUpload
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/selection/import"
pages = Router(prefix=ADDRESS)

VIEW = guarded(Permission.SELECTION_VIEW)
EDIT = guarded(Permission.SELECTION_EDIT)
ImportsService = Annotated[Imports, Depends(service(Imports))]


@pages.get("", dependencies=VIEW)
def imports_page(
    page: Page, imports: ImportsService, collections: CollectionsService, number: PageNumber = 1
) -> Response:
    own = collections.editable(editor_of(page.visitor))
    form = filled(collection=own[0].id if len(own) == 1 else "")
    return show_imports(page, imports, collections, number, form)


@pages.post("", dependencies=EDIT)
def import_records(
    page: Page, form: PostedUpload, imports: ImportsService, collections: CollectionsService
) -> Response:
    try:
        sent = form.files.get("file")
        if sent is None or not sent.name:
            raise Refused(message("Choose a file."), field="file")  # noqa: TRY301  (beside what keeps it)
        kept = imports.keep(
            editor_of(page.visitor),
            sent.name,
            pieces_of(sent.content),
            Mode.TRIAL,
            number_in(form.get("collection")),
        )
    except Refused as refusal:
        return show_imports(page, imports, collections, 1, form.refuse(refusal))
    imports.defer(kept.id)
    return page.done(f"{ADDRESS}/{kept.id}", message("The file arrived. Nothing is changed yet."))


def show_imports(
    page: PageRequest, imports: Imports, collections: Collections, number: int, form: Form
) -> Response:
    found, total = imports.page(limit=PAGE_SIZE, offset=offset_of(number))
    may_change = page.may(Permission.SELECTION_EDIT)
    editable = collections.editable(editor_of(page.visitor)) if may_change else []
    return page.show(
        "selection/imports.html",
        form=form,
        imports=[shown(one) for one in found],
        total=total,
        page=page.paging(number, total),
        may_change=may_change,
        collections=[
            ("", say(message("None: each line names its own"))),
            *((c.id, c.name) for c in editable),
        ],
        columns=[column for column in COLUMNS if column.read is not Read.NEVER],
        most=byte_size(imports.most_bytes),
    )


@pages.get("/{number}", dependencies=VIEW)
def import_page(page: Page, number: Number, imports: ImportsService, at: PageNumber = 1) -> Response:
    found = imports.get(number)
    faults, total = imports.faults(number, limit=PAGE_SIZE, offset=offset_of(at))
    return page.live(
        "selection/import.html",
        "selection/import_state.html",
        taken=shown(found),
        faults=[shown_fault(one) for one in faults],
        total=total,
        page=page.paging(at, total),
        may_change=page.may(Permission.SELECTION_EDIT),
    )


@pages.post("/{number}/run", dependencies=EDIT)
def run_import(page: Page, number: Number, form: PostedForm, imports: ImportsService) -> Response:
    """What the trial promised, or the trial again."""
    if form.get("mode") not in set(Mode):
        raise Refused(message("Choose what to do with the file."), field="mode")
    imports.order(editor_of(page.visitor), number, Mode(form.get("mode")))
    imports.defer(number)
    return page.done(f"{ADDRESS}/{number}", message("The import is ordered."), "info")


@pages.get("/{number}/faults.csv", dependencies=VIEW)
def faults_csv(number: Number, imports: ImportsService) -> Response:
    imports.get(number)
    text = faults_text(imports, number)
    return download(iter([text]), "text/csv; charset=utf-8", f"import-{number}-faults.csv")


@pages.get("/{number}/file", dependencies=VIEW)
def imported_file(number: Number, imports: ImportsService) -> Response:
    found = imports.get(number)

    def pieces() -> Iterator[bytes]:
        with imports.file(number) as file:
            yield from pieces_of(file)

    return download(pieces(), "application/octet-stream", found.name)


def faults_text(imports: Imports, number: int) -> bytes:
    heading = message("Line"), message("Column"), message("Value in the file"), message("Problem")
    lines = [csv_line(say(one) for one in heading)]
    faults = imports.all_faults(number)
    lines += [csv_line((str(one.line), one.column, one.given, say(one.text))) for one in faults]
    return (BYTE_ORDER_MARK + "".join(lines)).encode()


def download(pieces: Iterator[bytes], media_type: str, name: str) -> Response:
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name, safe='')}"}
    return StreamingResponse(pieces, media_type=media_type, headers=headers)


def shown(one: Import) -> dict[str, Any]:
    tone, title = STATES[one.state]
    return {
        **vars(one),
        "tone": tone,
        "title": say(title),
        "under_way": one.under_way,
        "good": one.counts.good,
    }


def shown_fault(one: Fault) -> dict[str, Any]:
    column = BY_KEY.get(one.column)
    title = say(column.title) if column else ""
    return {"line": one.line, "column": title, "given": one.given, "text": say(one.text)}


# Exports: the page that asks what is wanted, and the file itself


EXPORT_ADDRESS = "/selection/export"
export_pages = Router(prefix=EXPORT_ADDRESS)


ExportsService = Annotated[Exports, Depends(service(Exports))]
KINDS = (
    (Format.XLSX.value, message("Excel (.xlsx)")),
    (Format.CSV.value, message("CSV: semicolons, UTF-8")),
)
HEADINGS = (
    ("titles", message("In my language")),
    ("keys", message("As programs name them, the same in every language")),
)


@export_pages.get("", dependencies=VIEW)
def export_page(
    page: Page,
    exports: ExportsService,
    kind: Annotated[Format | None, Query(alias="format")] = None,
    headings: str = "titles",
    column: Annotated[list[str], Query()] = [],  # noqa: B006  (FastAPI copies it)
) -> Response:
    """With a format, the file; else the page that asks for it. The search's own parameters go along."""
    question = Question.of(given_in(page.request))
    if kind is not None:
        titles = headings == "titles"
        return file(exports, question, page.visitor.account.id, kind, column, titles=titles)
    return page.show(
        "selection/export.html",
        form=filled(column=[one.key for one in COLUMNS], format=Format.XLSX.value, headings="titles"),
        columns=[(one.key, say(one.title), "") for one in COLUMNS],
        kinds=[(value, say(title)) for value, title in KINDS],
        headings=[(value, say(title)) for value, title in HEADINGS],
        pairs=question.pairs(),
        narrows=question.narrows,
        query=question.query(),
        total=exports.count(question, page.visitor.account.id),
    )


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
