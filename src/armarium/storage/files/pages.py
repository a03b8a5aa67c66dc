"""The pages of files."""

from typing import Annotated, Any

from fastapi import Depends, Path, Query
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.database import Database
from armarium.storage.files import downloads
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.labels import shown_copy, shown_details, shown_file
from armarium.storage.files.listing import COLUMNS, FILTERS, chips, exported, filter_by
from armarium.storage.files.model import FileFilter
from armarium.storage.files.reading import Reader
from armarium.storage.files.service import Files
from armarium.storage.history import shown_occurrence
from armarium.storage.model import FileState
from armarium.web.forms import Form, filled
from armarium.web.pages import Page, PageRequest, guarded
from armarium.web.paging import LARGEST, PAGE_SIZE, Number, PageNumber, number_in, offset_of
from armarium.web.posted import PostedForm
from armarium.web.routes import Router
from armarium.web.services import service

ADDRESS = "/storage/files"
STORING_SHOWN = 5  # files that are being stored, above the list
pages = Router(prefix=ADDRESS)


def catalogue(database: Annotated[Database, Depends(service(Database))]) -> Catalogue:
    return Catalogue(database)


FilesService = Annotated[Files, Depends(service(Files))]
ReaderService = Annotated[Reader, Depends(service(Reader))]
CatalogueService = Annotated[Catalogue, Depends(catalogue)]
FileName = Annotated[str, Path(max_length=300)]
ByteNumber = Annotated[int, Path(ge=0, le=LARGEST)]

VIEW = guarded(Permission.STORAGE_VIEW)
READ = guarded(Permission.STORAGE_READ)
MANAGE = guarded(Permission.STORAGE_MANAGE)


@pages.get("", dependencies=VIEW)
def files_page(page: Page, catalogue: CatalogueService, number: PageNumber = 1, export: str = "") -> Response:
    given = given_in(page)
    if export:
        return exported(catalogue, filter_by(given))
    return show_files(page, catalogue, given, number)


def given_in(page: PageRequest) -> dict[str, str]:
    return {name: page.request.query_params.get(name, "").strip() for name in FILTERS}


def show_files(
    page: PageRequest, catalogue: Catalogue, given: dict[str, str], number: int, form: Form | None = None
) -> Response:
    found, amount = catalogue.page(filter_by(given), limit=PAGE_SIZE, offset=offset_of(number))
    marks = catalogue.marks_of(found)
    return page.live(
        "storage/files_list.html",
        "storage/files_table.html",
        form=form or Form(),
        filter=given,
        filtered=any(given.values()),
        chips=chips(catalogue, given),
        files=[shown_file(file, marks[file.id]) for file in found],
        amount=amount,
        page=page.paging(number, amount.files),
        columns=COLUMNS,
        seen=COLUMNS.shown(page.request),
        may_change=page.may(Permission.STORAGE_MANAGE),
        figures=catalogue.figures(),
        storing=storing(catalogue),
    )


def selected_in(form: Form) -> list[int]:
    numbers = [number for text in form.chosen("file") if (number := number_in(text))]
    if not numbers:
        raise Refused(message("Select at least one file."))
    return numbers


@pages.post("/selected", dependencies=MANAGE)
def withdraw_selected(
    page: Page, form: PostedForm, files: FilesService, catalogue: CatalogueService
) -> Response:
    try:
        numbers = selected_in(form)
        for one in numbers:
            files.withdraw(page.actor, one, form.get("reason"))
    except Refused as refusal:
        return show_files(page, catalogue, given_in(page), 1, form.refuse(refusal))
    query = page.request.url.query
    text = message("Files withdrawn: %(count)s. Their copies are kept.", count=len(numbers))
    return page.done(f"{ADDRESS}?{query}" if query else ADDRESS, text)


def storing(catalogue: Catalogue) -> list[dict[str, Any]]:
    """The last files that are on their way, with how far each copy is."""
    found, _ = catalogue.page(FileFilter(state=FileState.STORING), limit=STORING_SHOWN)
    marks = catalogue.marks_of(found)
    return [shown_file(file, marks[file.id]) for file in found]


# By name, for those who know no number: the index, and people who read a CDX ---------------------------


@pages.get("/named/{name}", dependencies=VIEW)
def file_by_name(
    page: Page, name: FileName, files: FilesService, catalogue: CatalogueService, at: PageNumber = 1
) -> Response:
    return show_file(page, files, catalogue, files.named(name).id, at=at)


@pages.get("/named/{name}/records/{offset}", dependencies=READ)
def record_by_name(
    name: FileName, offset: ByteNumber, files: FilesService, reader: ReaderService
) -> Response:
    return downloads.record(files.named(name), offset, reader)


# One of them ------------------------------------------------------------------------------------------


@pages.get("/{number}", dependencies=VIEW)
def file_page(
    page: Page, number: Number, files: FilesService, catalogue: CatalogueService, at: PageNumber = 1
) -> Response:
    return show_file(page, files, catalogue, number, at=at)


@pages.get("/{number}/content", dependencies=READ)
def download(request: Request, number: Number, files: FilesService, reader: ReaderService) -> Response:
    return downloads.content(request, files.get(number), reader)


@pages.get("/{number}/record", dependencies=READ)
def download_record(
    number: Number,
    files: FilesService,
    reader: ReaderService,
    offset: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
) -> Response:
    return downloads.record(files.get(number), offset, reader)


@pages.post("/{number}/withdraw", dependencies=MANAGE)
def withdraw(
    page: Page, number: Number, form: PostedForm, files: FilesService, catalogue: CatalogueService
) -> Response:
    try:
        file = files.withdraw(page.actor, number, form.get("reason"))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_file(page, files, catalogue, number, form=refused)
    text = message("%(name)s was withdrawn. Its copies are kept.", name=file.name)
    return page.done(f"{ADDRESS}/{number}", text)


@pages.post("/{number}/restore", dependencies=MANAGE)
def restore(
    page: Page, number: Number, form: PostedForm, files: FilesService, catalogue: CatalogueService
) -> Response:
    try:
        file = files.restore(page.actor, number, form.get("reason"))
    except Refused as refusal:
        refused = form.refuse(refusal)
        return show_file(page, files, catalogue, number, form=refused)
    return page.done(f"{ADDRESS}/{number}", message("%(name)s was restored.", name=file.name))


def show_file(
    page: PageRequest,
    files: Files,
    catalogue: Catalogue,
    number: int,
    *,
    at: int = 1,
    form: Form | None = None,
) -> Response:
    details = files.details(number)
    history, total = catalogue.history(number, limit=PAGE_SIZE, offset=offset_of(at))
    return page.live(
        "storage/files_show.html",
        "storage/files_state.html",
        file=shown_details(details),
        copies=[shown_copy(copy, decided=bool(details.file.sha256)) for copy in files.copies_of(number)],
        history=[shown_occurrence(one) for one in history],
        page=page.paging(at, total),
        form=form or filled(),
        may_read=page.may(Permission.STORAGE_READ) and details.file.state is not FileState.WITHDRAWN,
        may_change=page.may(Permission.STORAGE_MANAGE),
        may_look_up=page.may(Permission.INDEX_VIEW),
    )
