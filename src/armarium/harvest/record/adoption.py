"""After a kill: what the files hold that the frontier had not yet heard of.

The frontier remembers with each commit how far each file was written (`Recorder.positions`). Whole groups
behind that point are captures that were recorded and need not be fetched again.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, NamedTuple

from armarium.formats.cdx.requests import entity
from armarium.formats.http import Response as HttpResponse
from armarium.formats.warc.folder import recover
from armarium.formats.warc.new_record import IDENTICAL_PAYLOAD
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Metadata, Record, Request, Response, Revisit, Warcinfo
from armarium.formats.warc.writer import Recovery, plan_recovery, sealed_name
from armarium.harvest.record.companion import index_whole
from armarium.harvest.record.metadata import (
    BY_DIGEST,
    BY_SERVER,
    CaptureFacts,
    fetch_milliseconds,
    payload_digest,
    read_metadata,
)
from armarium.harvest.record.recorder import WARC_FILES

_MOST_METADATA = 64 * 1024 * 1024
Journalled = Mapping[str, bytes]  # by record id: what a metadata record would hold
_HOST = re.compile(rb"^hostname: ([^\r\n]*)\r?$", re.MULTILINE)


class Adopted(NamedTuple):
    """A capture that is safe on disk."""

    url: str
    status: int
    facts: CaptureFacts  # hops, via, source, seed, charset, outlinks
    digest: str
    size: int  # of the payload; 0 for a revisit, whose payload is elsewhere
    mime: str
    date: datetime
    milliseconds: int
    duplicate: str | None
    truncated: str
    head_truncated: bool
    location: str  # where it redirects to, as the server said it
    filename: str
    offset: int
    record_length: int = -1


class _First(NamedTuple):
    """The first record of a group, with what must be read before the reader goes on."""

    record_id: str
    capture: Adopted
    record: Record


def adopt(
    folder: Path,
    positions: Mapping[str, int],
    *,
    part: int | None = None,
    journal: Journalled = MappingProxyType({}),
) -> Iterator[Adopted]:
    """Cut and seal what was left unfinished; then give every whole capture behind the committed positions.

    A group without its metadata record is cut off: nobody could say how it was found, or what it links to, so
    it is fetched again, and must not stand there twice. Where there are no such records, the journal tells.
    With several processes, each looks after its own files and touches no other: their writers may be alive,
    or be looking after them at this very moment.
    """

    def ours(path: Path) -> bool:
        return part is None or _part_of(path) == str(part)

    def whole_groups(source: BinaryIO, size: int) -> Recovery:
        found = plan_recovery(source, size)
        committed = positions.get(sealed_name(Path(source.name).name), 0)
        keep = _end_of_groups(source, committed, found.keep, journal)
        return replace(found, keep=keep, lost=size - keep)

    recover(folder, index_whole, plan=whole_groups, ours=ours)
    for path in sorted(folder.glob(WARC_FILES)):
        committed = positions.get(path.name, 0)
        if path.stat().st_size > committed and ours(path):
            yield from _captures(path, committed, journal)


def seal_rest(folder: Path, parts: int, *, final: bool) -> None:
    """At the end of a crawl of several processes: seal what no member knows as its own.

    The files of a member that died are let be unless the end is final: at `--resume` it adopts them itself,
    and only it knows from which capture on it has to fetch again.
    """
    members = {str(part) for part in range(parts)}
    recover(folder, index_whole, ours=lambda path: final or _part_of(path) not in members)


def _part_of(path: Path) -> str:
    """Of which process a file is: the end of the host's name, which may be another one today."""
    try:
        with path.open("rb") as file:
            first = next(iter(ArchiveReader(file)), None)
            found = isinstance(first, Warcinfo) and _HOST.search(first.block.read(_MOST_METADATA))
    except FileNotFoundError:  # its own process has just sealed it
        return ""
    return found[1].decode(errors="replace").rpartition("-")[2] if found else ""


def _end_of_groups(source: BinaryIO, committed: int, end: int, journal: Journalled) -> int:
    """Where the first capture begins whose group is not whole; the end of the whole records if all are."""
    begin, open_id = end, ""
    for record in ArchiveReader(source, offset=committed):
        if record.offset >= end:
            break
        if isinstance(record, Response | Revisit) and (record.target_uri or "").startswith("http"):
            if open_id:
                break
            begin, open_id = record.offset, record.record_id or ""
        elif _ends(record, open_id, journal):
            begin, open_id = end, ""
    return begin


def _ends(record: Record, open_id: str, journal: Journalled) -> bool:
    """Whether it is the last one of the group that another record began."""
    last = Request if open_id in journal else Metadata
    return isinstance(record, last) and open_id in record.concurrent_to


def _captures(path: Path, offset: int, journal: Journalled) -> Iterator[Adopted]:
    with path.open("rb") as file:
        first: _First | None = None
        for record in ArchiveReader(file, offset=offset):
            if isinstance(record, Response | Revisit):
                first = _first(record, path.name)
            elif first is not None and _ends(record, first.record_id, journal):
                block = journal.get(first.record_id) or record.block.read(_MOST_METADATA)
                yield first.capture._replace(
                    record_length=first.record.length,
                    facts=read_metadata(block),
                    milliseconds=fetch_milliseconds(block),
                    digest=first.capture.digest or payload_digest(block),
                )
                first = None


def _first(record: Response | Revisit, filename: str) -> _First | None:
    head, url, date = record.http, record.target_uri, record.date
    if url is None or date is None or not isinstance(head, HttpResponse):
        return None  # the answer of a name server: it is asked again
    digest = record.payload_digest
    capture = Adopted(
        url=url,
        status=head.status or 0,
        facts=CaptureFacts(),
        digest=str(digest) if digest is not None else "",
        size=_size(record, head) if isinstance(record, Response) else 0,
        mime=head.media_type or "",
        date=date,
        milliseconds=0,
        duplicate=_duplicate(record),
        truncated=(record.truncated or "") if isinstance(record, Response) else "",
        head_truncated=not head.complete and isinstance(record, Response),
        location=head.location or "",
        filename=filename,
        offset=record.offset,
    )
    return _First(record.record_id or "", capture, record)


def _size(record: Record, head: HttpResponse) -> int:
    if not head.transfer_codings:
        return record.block.length - head.length
    return sum(len(piece) for piece in entity(record.body, head))


def _duplicate(record: Record) -> str | None:
    if not isinstance(record, Revisit):
        return None
    return BY_DIGEST if record.profile == IDENTICAL_PAYLOAD else BY_SERVER
