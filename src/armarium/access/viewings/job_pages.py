"""The jobs of a viewing: their files, and what they wrote about themselves."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Any
from urllib.parse import urlsplit

from fastapi import Path
from starlette.responses import Response

from armarium.access.viewings.page_data import ADDRESS, USE, ViewingsPage, ViewingsRequest, browse
from armarium.access.viewings.protocols import JobFile, JobFiles, MetadataRecord
from armarium.accounts.model import Permission
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.web.paging import LARGEST, PAGE_SIZE, Number, PageNumber, offset_of
from armarium.web.routes import Router
from armarium.web.streams import Stream

pages = Router(prefix=f"{ADDRESS}/{{number}}/jobs")
FileName = Annotated[str, Path(max_length=300)]
ByteNumber = Annotated[int, Path(ge=0, le=LARGEST)]
SEEDS_SHOWN = 20
LARGEST_LISTED = 64_000_000  # bytes: larger ones take too long to be read while somebody waits

#: What a crawler wrote is never shown as a page of ours.
HARMLESS = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'; sandbox"}


@pages.get("", dependencies=USE)
def jobs_page(page: ViewingsPage, number: Number, at: PageNumber = 1) -> Response:
    viewing, job_files = page.viewing(number), page.viewings.job_files
    numbers = viewing.jobs[offset_of(at) : offset_of(at) + PAGE_SIZE]
    seeds = job_files.seeds(viewing.jobs[:PAGE_SIZE], SEEDS_SHOWN)
    return page.show(
        "access/viewings_jobs.html",
        **page.frame(viewing, "/jobs"),
        jobs=job_files.jobs(numbers),
        brought={one: job_files.brought([one]) for one in numbers},
        seeds=[{"url": url, "browse": browse(viewing, url)} for url in seeds],
        may_see_jobs=page.may(Permission.PLANNING_VIEW),
        page=page.paging(at, len(viewing.jobs)),
    )


@pages.get("/{job}", dependencies=USE)
def job_page(page: ViewingsPage, number: Number, job: Number, at: PageNumber = 1) -> Response:
    viewing, job_files = page.viewing(number), files_of(page, number, job)
    found, total = job_files.files(job, limit=PAGE_SIZE, offset=offset_of(at))
    return page.show(
        "access/viewings_job.html",
        **page.frame(viewing, "/jobs"),
        job=job,
        files=found,
        metadata=[described(job_files, job, one) for one in found if one.metadata and one.readable],
        may_see_files=page.may(Permission.STORAGE_VIEW),
        may_read=page.may(Permission.STORAGE_READ),
        page=page.paging(at, total),
    )


def described(job_files: JobFiles, job: int, file: JobFile) -> dict[str, Any]:
    small = file.size <= LARGEST_LISTED
    records = job_files.records(job, file.name) if small else []
    titled = [{**vars(one), "title": title_of(one)} for one in records]
    return {"file": file, "small": small, "records": titled}


def title_of(record: MetadataRecord) -> str:
    """`logs/crawl.log` of metadata://armarium/crawl/logs/crawl.log?…"""
    parts = urlsplit(record.url)
    filename = parts.query.rpartition("filename=")[2].partition("&")[0] if "filename=" in parts.query else ""
    title = parts.path.removeprefix("/crawl/").strip("/") or record.url
    return f"{title} {filename}".strip()


@pages.get("/{job}/metadata/{file}/{offset}", dependencies=USE)
def metadata(page: ViewingsPage, number: Number, job: Number, file: FileName, offset: ByteNumber) -> Response:
    """A log, a report or the order, as the crawler wrote it."""
    job_files = files_of(page, number, job)
    record = next((one for one in job_files.records(job, file) if one.offset == offset), None)
    if record is None:
        raise NotFound(
            message("At byte %(offset)s of %(name)s is no record.", offset=offset, name=file[:100])
        )
    name = plain_name(f"job-{job}-{title_of(record).rpartition('/')[2]}")
    headers = {**HARMLESS, "Content-Disposition": f'attachment; filename="{name}"'}
    return streamed(job_files.content(job, file, offset), headers)


def plain_name(title: str) -> str:
    kept = "".join(sign if sign.isascii() and (sign.isalnum() or sign in "._-") else "-" for sign in title)
    return kept[:150]


def streamed(pieces: Iterator[bytes], headers: dict[str, str]) -> Response:
    # The first piece is read before the answer begins: where no copy can be read, the answer is an error.
    first = next(pieces, b"")
    return Stream(chain((first,), pieces), 200, headers, media_type="text/plain; charset=utf-8")


def files_of(page: ViewingsRequest, number: int, job: int) -> JobFiles:
    """Of a job that is in this viewing."""
    if job not in page.viewing(number).jobs:
        raise NotFound(message("Job %(job)s does not belong to this viewing.", job=job))
    return page.viewings.job_files
