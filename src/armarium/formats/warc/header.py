"""The header that a new record gets."""

from armarium.formats.warc.new_record import NewRecord, warc_date


def header_lines(
    record: NewRecord, length: int, block_digest: str | None, payload_digest: str | None
) -> bytes:
    """Version line, named fields, empty line. Raises ValueError where a value would break the header."""
    fields: list[tuple[str, str | None]] = [
        ("WARC-Type", record.record_type),
        ("WARC-Record-ID", record.record_id),
        ("WARC-Date", warc_date(record.date)),
        ("WARC-Target-URI", record.target_uri),
        ("WARC-IP-Address", record.ip_address),
        ("WARC-Warcinfo-ID", record.warcinfo_id),
        *(("WARC-Concurrent-To", other) for other in record.concurrent_to),
        ("WARC-Profile", record.profile),
        ("WARC-Refers-To", record.refers_to),
        ("WARC-Refers-To-Target-URI", record.refers_to_target_uri),
        ("WARC-Refers-To-Date", warc_date(record.refers_to_date) if record.refers_to_date else None),
        ("WARC-Filename", record.filename),
        ("WARC-Truncated", record.truncated),
        ("WARC-Segment-Origin-ID", record.segment_origin_id),
        ("WARC-Segment-Number", _number(record.segment_number)),
        ("WARC-Segment-Total-Length", _number(record.segment_total_length)),
        ("WARC-Identified-Payload-Type", record.identified_payload_type),
        ("WARC-Payload-Digest", payload_digest),
        ("WARC-Block-Digest", block_digest),
        *record.extra,
        ("Content-Type", record.content_type),
        ("Content-Length", str(length)),
    ]
    head = "\r\n".join([f"{name}: {value}" for name, value in fields if value is not None])
    # A line end inside a value would begin a field of its own, or the block: the URL of a page may hold one.
    expected = sum(value is not None for _, value in fields) - 1
    if head.count("\n") != expected or head.count("\r") != expected:
        raise ValueError(f"A field of the {record.record_type} record {record.record_id} holds a line end.")
    return f"WARC/1.1\r\n{head}\r\n\r\n".encode()


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)
