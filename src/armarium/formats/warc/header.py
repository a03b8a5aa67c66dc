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
    head = (
        f"WARC/1.1\r\nWARC-Type: {record.record_type}\r\nWARC-Record-ID: {record.record_id}\r\n"
        f"WARC-Date: {warc_date(record.date)}\r\n"
    )
    fields = 0
    if record.target_uri is not None:
        head += f"WARC-Target-URI: {record.target_uri}\r\n"
        fields += 1
    if record.ip_address is not None:
        head += f"WARC-IP-Address: {record.ip_address}\r\n"
        fields += 1
    warcinfo_id = record.warcinfo_id or (None if record.record_type == "warcinfo" else warcinfo_id)
    if warcinfo_id is not None:
        head += f"WARC-Warcinfo-ID: {warcinfo_id}\r\n"
        fields += 1
    for other in record.concurrent_to:
        head += f"WARC-Concurrent-To: {other}\r\n"
    if (values := _RARE_VALUES(record)) != _NONE:
        rare = _rare_lines(values)
        head += "".join(rare)
        fields += len(rare)
    if payload_digest:  # "": it is known, and not to be told
        head += f"WARC-Payload-Digest: {payload_digest}\r\n"
        fields += 1
    if block_digest is not None:
        head += f"WARC-Block-Digest: {block_digest}\r\n"
        fields += 1
    for name, value in record.extra:
        head += f"{name}: {value}\r\n"
    if record.content_type is not None:
        head += f"Content-Type: {record.content_type}\r\n"
        fields += 1
    head += f"Content-Length: {length}\r\n\r\n"
    _check(record, head, fields + len(record.concurrent_to) + len(record.extra))
    return head.encode()


def _check(record: NewRecord, head: str, fields: int) -> None:
    # A line end inside a value would begin a field of its own, or the block: the URL of a page may hold one.
    ends = fields + 6  # version, type, id, date, length and the empty line
    if head.count("\n") != ends or head.count("\r") != ends:
        raise ValueError(f"A field of the {record.record_type} record {record.record_id} holds a line end.")


def _rare_lines(values: tuple[object, ...]) -> list[str]:
    return [
        f"{name}: {warc_date(value) if isinstance(value, datetime) else value}\r\n"
        for name, value in zip(_RARE, values, strict=True)
        if value is not None
    ]
