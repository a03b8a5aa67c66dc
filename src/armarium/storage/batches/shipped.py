"""Batch functions that come with Armarium: useful as they are, and patterns for one's own."""

import hashlib
from collections import Counter
from typing import Any

from armarium.storage.batches.file import BatchFile

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
