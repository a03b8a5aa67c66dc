"""The API of files: what is in the archive, and the bytes themselves."""

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated

from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from armarium.accounts.model import Permission
from armarium.storage.files import downloads
from armarium.storage.files.model import CopiesSought, Copy, Details, FileFilter, Mark
from armarium.storage.files.pages import (
    ByteNumber,
    CatalogueService,
    FileName,
    FilesService,
    ReaderService,
)
from armarium.storage.files.service import Files
from armarium.storage.history import Occurrence
from armarium.storage.model import CopyState, File, FileKind, FileState, Origin
from armarium.web import schemas
from armarium.web.api import operation
from armarium.web.guard import Visitor
from armarium.web.paging import LARGEST, At, Listing
from armarium.web.routes import Router

P = Permission
api = Router(prefix="/storage/files", tags=["files"])
Id = Annotated[int | None, Query(ge=1, le=LARGEST)]
BYTES = {"content": {downloads.BYTES: {"schema": {"type": "string", "format": "binary"}}}}


class FileLine(BaseModel):
    """A file in a list."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    kind: FileKind
    size: int
    sha256: str
    blake3: str  # empty until it is stored
    state: FileState
    origin: Origin
    job: int | None
    harvest: int | None
    accession: int | None
    registered_at: datetime
    stored_at: datetime | None
    copies: dict[str, CopyState] = {}  # by replica in use


class CopyShown(BaseModel):
    replica: str
    state: CopyState
    away: bool
    attempts: int
    error: str
    changed_at: datetime
    seen_at: datetime | None
    checked_at: datetime | None
    outcome: str  # of the last check
    found_sha256: str


class FileShown(FileLine):
    original_job: str
    withdrawn_at: datetime | None
    withdrawn_reason: str
    trouble: str
    held: list[CopyShown]  # also in replicas that are retired


class FileListing(Listing[FileLine]):
    bytes: int  # of all that fit


OCCURRENCE = schemas.shown(
    Occurrence, "OccurrenceShown", first=(), doc="An event, or a check (`kind` is empty then)."
)


class Reason(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str, Field(min_length=1, max_length=10_000)]


def line(file: File, marks: Iterable[Mark]) -> FileLine:
    found = FileLine.model_validate(file)
    return found.model_copy(update={"copies": {mark.replica: mark.state for mark in marks}})


def shown(details: Details, copies: list[Copy]) -> FileShown:
    held = [
        CopyShown(
            replica=copy.replica.name,
            **{name: getattr(copy, name) for name in CopyShown.model_fields if name != "replica"},
        )
        for copy in copies
    ]
    also = {"original_job", "withdrawn_at", "withdrawn_reason", "trouble"}
    return FileShown(
        **FileLine.model_validate(details.file).model_dump(exclude={"copies"}),
        **{name: getattr(details, name) for name in also},
        copies={copy.replica: copy.state for copy in held},
        held=held,
    )


def one(files: Files, number: int) -> FileShown:
    return shown(files.details(number), files.copies_of(number))


@api.get("", summary="List files, newest first", **operation(P.STORAGE_VIEW))
def list_files(
    catalogue: CatalogueService,
    text: str = "",
    state: FileState | None = None,
    job: Id = None,
    harvest: Id = None,
    accession: Id = None,
    copies: CopiesSought | None = None,
    replica: Id = None,
    *,
    at: At,
) -> FileListing:
    sought = FileFilter(text, state, job, harvest, accession, copies, replica)
    found, amount = catalogue.page(sought, limit=at.limit, offset=at.place)
    marks = catalogue.marks_of(found)
    items = [line(file, marks[file.id]) for file in found]
    return FileListing(items=items, total=amount.files, next=at.next(), bytes=amount.bytes)


@api.get("/{name}", summary="Read a file", **operation(P.STORAGE_VIEW))
def read_file(name: FileName, files: FilesService) -> FileShown:
    return one(files, files.named(name).id)


@api.get(
    "/{name}/history",
    summary="List the history of a file",
    response_model=schemas.listing(OCCURRENCE),
    **operation(P.STORAGE_VIEW),
)
def read_history(
    name: FileName, files: FilesService, catalogue: CatalogueService, at: At
) -> Listing[Occurrence]:
    found, total = catalogue.history(files.named(name).id, limit=at.limit, offset=at.place)
    return at.listing(found, total)


def _giving(*statuses: int) -> dict[str, object]:
    """As `operation`, of answers that are bytes."""
    given = operation(P.STORAGE_READ)
    return {**given, "responses": {**given["responses"], **dict.fromkeys(statuses, BYTES)}}


@api.get(
    "/{name}/content",
    summary="Download a file, or the part given by a Range header",
    response_class=Response,
    **_giving(200, 206),  # type: ignore[arg-type]
)
def read_content(request: Request, name: FileName, files: FilesService, reader: ReaderService) -> Response:
    return downloads.content(request, files.named(name), reader)


@api.get(
    "/{name}/records/{offset}",
    summary="Download the record at an offset of a file",
    response_class=Response,
    **_giving(200),  # type: ignore[arg-type]
)
def read_record(name: FileName, offset: ByteNumber, files: FilesService, reader: ReaderService) -> Response:
    return downloads.record(files.named(name), offset, reader)


@api.post("/{name}/withdraw", summary="Withdraw a file", **operation(P.STORAGE_MANAGE))
def withdraw(name: FileName, visitor: Visitor, given: Reason, files: FilesService) -> FileShown:
    return one(files, files.withdraw(visitor.actor, files.named(name).id, given.reason).id)


@api.post("/{name}/restore", summary="Restore a withdrawn file", **operation(P.STORAGE_MANAGE))
def restore(name: FileName, visitor: Visitor, given: Reason, files: FilesService) -> FileShown:
    return one(files, files.restore(visitor.actor, files.named(name).id, given.reason).id)
