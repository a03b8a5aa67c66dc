"""Batch functions that come with Armarium: useful as they are, and patterns for one's own."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol

from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record


class Opens(Protocol):
    """Where the bytes come from: storage's reader."""

    def open(self, name: str) -> BinaryIO: ...


@dataclass(frozen=True)
class BatchFile:
    """A file of the archive as a batch function sees it."""

    name: str
    size: int
    sha256: str
    job: int | None
    harvest: int | None
    source: Opens

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Its bytes, from whichever copy is well."""
        file = self.source.open(self.name)
        try:
            yield file
        finally:
            file.close()

    def records(self, *, strict: bool = False) -> Iterator[Record]:
        """Its records in turn. Read a record before the next is asked for.

        Damage is passed over, and stands in the records' `problems`; strict reading raises at the first.
        """
        with self.open() as file:
            yield from ArchiveReader(file, strict=strict)


PIECE = 1024 * 1024
MOST_FOUND = 1000  # records that are listed of one file


def batch_checksums(file: BatchFile, algorithm: str = "sha256") -> dict[str, Any]:
    """Read every byte and give the checksum: sha256, sha1, md5, or another that Python knows."""
    digest = hashlib.new(algorithm, usedforsecurity=False)
    size = 0
    with file.open() as source:
        while piece := source.read(PIECE):
            size += len(piece)
            digest.update(piece)
    return {"size": size, algorithm: digest.hexdigest()}


def batch_records(file: BatchFile) -> dict[str, Any]:
    """Count the records of each type, and those in which something is wrong."""
    types: Counter[str] = Counter()
    damaged = 0
    for record in file.records():
        types[record.record_type or "unknown"] += 1
        record.finish()
        damaged += bool(record.problems)
    return {"records": types.total(), "types": dict(types.most_common()), "with_problems": damaged}


def batch_types(file: BatchFile) -> dict[str, Any]:
    """Count the media types of what was captured, as the servers named them, with their bytes."""
    counts: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for record in file.records():
        if record.record_type not in {"response", "resource", "revisit"}:
            continue
        named = record.http.fields.get("content-type") if record.http else record.content_type
        kind = (named or "").partition(";")[0].strip().lower() or "unknown"
        counts[kind] += 1
        sizes[kind] += record.block.length
    return {"types": {kind: {"count": count, "bytes": sizes[kind]} for kind, count in counts.most_common()}}


def batch_find(file: BatchFile, text: str, ignore_case: bool = True) -> dict[str, Any]:
    """Find records whose address contains a text: where they are, when and what they were."""
    wanted = text.lower() if ignore_case else text
    found: list[dict[str, Any]] = []
    count = 0
    for record in file.records():
        address = record.target_uri or ""
        if wanted not in (address.lower() if ignore_case else address):
            continue
        count += 1
        if len(found) < MOST_FOUND:
            date = record.date.isoformat() if record.date else None
            found.append({"url": address, "offset": record.offset, "type": record.record_type, "date": date})
    return {"count": count, "records": found}
