"""The header that a new record gets."""

from datetime import datetime
from operator import attrgetter

from armarium.formats.warc.new_record import NewRecord, warc_date

# Fields that most records do not have, in the order in which they are written.
_RARE = {
    "WARC-Profile": "profile",
    "WARC-Refers-To": "refers_to",
    "WARC-Refers-To-Target-URI": "refers_to_target_uri",
    "WARC-Refers-To-Date": "refers_to_date",
    "WARC-Filename": "filename",
    "WARC-Truncated": "truncated",
    "WARC-Segment-Origin-ID": "segment_origin_id",
    "WARC-Segment-Number": "segment_number",
    "WARC-Segment-Total-Length": "segment_total_length",
    "WARC-Identified-Payload-Type": "identified_payload_type",
}
_RARE_VALUES = attrgetter(*_RARE.values())
_NONE = (None,) * len(_RARE)


def header_lines(
    record: NewRecord,
    length: int,
    block_digest: str | None,
    payload_digest: str | None,
    warcinfo_id: str | None = None,
) -> bytes:
    """Version line, named fields, empty line. Raises ValueError where a value would break the header."""
    lines = [
        "WARC/1.1",
        f"WARC-Type: {record.record_type}",
        f"WARC-Record-ID: {record.record_id}",
        f"WARC-Date: {warc_date(record.date)}",
    ]
    if record.target_uri is not None:
        lines.append(f"WARC-Target-URI: {record.target_uri}")
    if record.ip_address is not None:
        lines.append(f"WARC-IP-Address: {record.ip_address}")
    warcinfo_id = record.warcinfo_id or warcinfo_id
    if warcinfo_id is not None:
        lines.append(f"WARC-Warcinfo-ID: {warcinfo_id}")
    for other in record.concurrent_to:
        lines.append(f"WARC-Concurrent-To: {other}")  # noqa: PERF401
    lines += _rare_lines(record)
    if payload_digest:  # "": it is known, and not to be told
        lines.append(f"WARC-Payload-Digest: {payload_digest}")
    if block_digest is not None:
        lines.append(f"WARC-Block-Digest: {block_digest}")
    lines += [f"{name}: {value}" for name, value in record.extra]
    if record.content_type is not None:
        lines.append(f"Content-Type: {record.content_type}")
    lines.append(f"Content-Length: {length}")
    head = "\r\n".join(lines)
    # A line end inside a value would begin a field of its own, or the block: the URL of a page may hold one.
    expected = len(lines) - 1
    if head.count("\n") != expected or head.count("\r") != expected:
        raise ValueError(f"A field of the {record.record_type} record {record.record_id} holds a line end.")
    return f"{head}\r\n\r\n".encode()


def _rare_lines(record: NewRecord) -> list[str]:
    values = _RARE_VALUES(record)
    if values == _NONE:
        return []
    return [
        f"{name}: {warc_date(value) if isinstance(value, datetime) else value}"
        for name, value in zip(_RARE, values, strict=True)
        if value is not None
    ]
