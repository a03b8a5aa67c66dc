"""`armarium warc cat`: the bytes of records, as recorded or taken out of their wrappings."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from enum import Enum, auto
from pathlib import Path
from typing import Annotated, BinaryIO

import typer

from armarium.cli.archive_files import ArchiveFiles, files_of, opened, shown
from armarium.cli.archive_output import Output
from armarium.core.errors import NotFound
from armarium.formats.arc import ArcRecord
from armarium.formats.cdx.capture import is_indexed
from armarium.formats.http.body import Entity, Payload
from armarium.formats.problem import Problem, Severity
from armarium.formats.url import InvalidUrl, normal
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from armarium.formats.warc.stored import stored


class Part(Enum):
    WHOLE = auto()
    HEADERS = auto()
    BLOCK = auto()
    ENTITY = auto()
    PAYLOAD = auto()


def cat(
    file: Annotated[Path, typer.Argument(allow_dash=True, help="A WARC or ARC file; - is standard input.")],
    offset: Annotated[
        int | None, typer.Option(help="Only the record at this byte of the file.", min=0, max=2**63 - 1)
    ] = None,
    url: Annotated[str | None, typer.Option(help="Only the first capture of this address.")] = None,
    record_id: Annotated[
        str | None, typer.Option("--record-id", help="Only the record of this id, with or without < >.")
    ] = None,
    headers: Annotated[
        bool, typer.Option("--headers", help="The record's header, and the HTTP head if there is one.")
    ] = False,
    block: Annotated[bool, typer.Option("--block", help="The block: the HTTP message as recorded.")] = False,
    entity: Annotated[
        bool, typer.Option("--entity", help="The HTTP body without chunks, but compressed as it was sent.")
    ] = False,
    payload: Annotated[
        bool, typer.Option("--payload", help="The HTTP body with chunks and compression undone.")
    ] = False,
) -> None:
    """Write the bytes of records to standard output: whole records if no part is named.

    A record comes exactly as it stands in the file, only without compression. From a pipe, or where records
    share a compressed member, an unusual version line or separator comes as the standard wants it. A part
    that is damaged comes as far as it can be read, with a complaint and exit code 1.

    \b
    Examples:
      armarium warc cat --offset 1197 --payload crawl.warc.gz > page.html
      armarium warc cat --url http://example.org/ --headers crawl.warc.gz
      armarium warc cat crawl.warc.gz > crawl.warc
    """
    part = _part(headers=headers, block=block, entity=entity, payload=payload)
    chosen = [value for value in (offset, url, record_id) if value is not None]
    if len(chosen) > 1:
        raise typer.BadParameter("choose a record by one of --offset, --url and --record-id")
    names = files_of(str(file))
    if offset is not None and len(names) > 1:
        raise typer.BadParameter(f"name one of the files in the package: {', '.join(names)}")
    archives, found = ArchiveFiles([file]), False
    for name in names:
        found = _written(archives, name, part, _choice(offset, url, record_id), offset, bool(chosen))
        if found and chosen:
            break
    if not found and (chosen or not archives.trouble):
        raise NotFound(_nothing(str(file), offset, url, record_id))
    archives.end()


def _written(
    archives: ArchiveFiles,
    name: str,
    part: Part,
    wanted: Callable[[Record], bool],
    offset: int | None,
    only_one: bool,
) -> bool:
    """Write the records of one file that are wanted; whether there was one."""
    output = Output()
    with opened(name) as source:
        # A pipe cannot be entered in the middle: it is read up to there.
        start = offset or 0 if source.seekable() else 0
        reader = ArchiveReader(source, offset=start)
        found, damage = False, list[Problem]()
        for record in filter(wanted, archives.records(name, reader)):
            found = True
            for piece in _bytes_of(record, part, source, damage):
                output.write(piece)
            if only_one:
                record.finish()
                damage += [one for one in record.problems if one.severity is Severity.ERROR]
                break
        output.flush()
        if found or not only_one:
            archives.tell(name, [*damage, *reader.problems])
    return found


def _part(*, headers: bool, block: bool, entity: bool, payload: bool) -> Part:
    wanted = [
        part
        for part, is_wanted in (
            (Part.HEADERS, headers),
            (Part.BLOCK, block),
            (Part.ENTITY, entity),
            (Part.PAYLOAD, payload),
        )
        if is_wanted
    ]
    if len(wanted) > 1:
        raise typer.BadParameter("choose one of --headers, --block, --entity and --payload")
    return wanted[0] if wanted else Part.WHOLE


def _choice(offset: int | None, url: str | None, record_id: str | None) -> Callable[[Record], bool]:
    if offset is not None:
        return lambda record: record.offset == offset
    if url is not None:
        spellings = {url, _normal(url)}
        return lambda record: record.target_uri in spellings and is_indexed(record)
    if record_id is not None:
        bare = record_id.strip("<>")
        return lambda record: (record.record_id or "").strip("<>") == bare
    return lambda _: True


def _normal(url: str) -> str:
    try:
        return normal(url)
    except InvalidUrl:
        return url


def _bytes_of(record: Record, part: Part, file: BinaryIO, problems: list[Problem]) -> Iterator[bytes]:
    """The bytes of that part; what is found wrong with it is added to the problems."""
    if part is Part.WHOLE:
        yield from stored(record, file)
    elif part is Part.HEADERS:
        if isinstance(record, ArcRecord):
            yield record.fields.raw
        else:
            yield record.version.encode("latin-1") + b"\r\n" + record.fields.raw + b"\r\n"
        head = record.http
        yield head.raw if head is not None else b""
    elif part is Part.BLOCK or record.http is None:
        yield from record.block
    else:
        unwrapped = (Entity if part is Part.ENTITY else Payload)(record.http, record.body)
        yield from unwrapped
        # They know only their place in the message.
        problems += [
            replace(problem, offset=record.offset)
            for problem in unwrapped.problems
            if problem.severity is not Severity.NOTE
        ]


def _nothing(name: str, offset: int | None, url: str | None, record_id: str | None) -> str:
    if offset is not None:
        return f"{shown(name)}: no record begins at byte {offset}. `armarium warc ls` shows where they begin."
    if url is not None:
        return f"{shown(name)}: there is no capture of {url}. `armarium warc ls` shows what is there."
    if record_id is not None:
        return f"{shown(name)}: there is no record {record_id}."
    return f"{shown(name)}: there is no record."
