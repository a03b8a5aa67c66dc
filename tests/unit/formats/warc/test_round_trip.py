"""For any record: what is written is what is read."""

import io
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as some

from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.new_record import NewRecord, warc_date
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import RECORD_TYPES
from armarium.formats.warc.writer import WarcWriter

# Everything but what ends a line; white space around a value is not part of it.
VALUES = some.text(
    some.characters(blacklist_categories=["Cs"], blacklist_characters="\r\n"), min_size=1
).filter(lambda text: text.strip(" \t\r\n\v\f") == text and text.encode().strip() == text.encode())
NAMES = some.text("abcdefghijklmnopqrstuvwxyzABCXYZ-", min_size=1, max_size=20).map("X-".__add__)
DATES = some.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=some.just(UTC))  # noqa: DTZ001
BLOCKS = some.binary(max_size=3000) | some.sampled_from(
    [
        b"\r\n\r\n",
        b"WARC/1.1\r\nWARC-Type: response\r\n\r\n",
        b"\r\n\r\nWARC/1.1\r\n",
        b"\n" * 10,
        b"\0" * 200_000,
    ]
)
RECORDS = some.builds(
    NewRecord,
    record_type=some.sampled_from(sorted(RECORD_TYPES)),
    date=DATES,
    block=BLOCKS,
    content_type=some.sampled_from([None, "text/plain", "application/http; msgtype=response"]),
    target_uri=some.none() | VALUES,
    record_id=some.uuids().map("<urn:uuid:{}>".format),
    concurrent_to=some.lists(VALUES, max_size=3),
    extra=some.lists(some.tuples(NAMES, VALUES), max_size=4),
)


@settings(max_examples=200, deadline=None)
@given(some.lists(RECORDS, max_size=5), some.sampled_from(Compression), some.booleans())
def test_writing_then_reading_is_the_identity(
    records: list[NewRecord], compression: Compression, in_pieces: bool
) -> None:
    sink = io.BytesIO()
    writer = WarcWriter(sink, compression=compression)
    written = []
    for record in records:
        block = record.block
        assert isinstance(block, bytes)
        pieces = (block[at : at + 700] for at in range(0, len(block), 700))
        content = pieces if in_pieces else block
        fresh = {name: getattr(record, name) for name in NewRecord.__slots__} | {"block": content}
        written.append(writer.write(NewRecord(**fresh)))
    reader = ArchiveReader(io.BytesIO(sink.getvalue()))
    count = 0
    for one, record, told in zip(reader, records, written, strict=True):
        assert one.block.read() == record.block
        assert (one.record_type, one.record_id, one.offset) == (
            record.record_type,
            record.record_id,
            told.offset,
        )
        assert one.fields.get("WARC-Date") == warc_date(record.date)
        assert one.fields.get("WARC-Target-URI") == record.target_uri
        assert one.concurrent_to == list(record.concurrent_to)
        extra = [tuple(field) for field in one.fields if field.name.startswith("X-")]
        assert extra == [tuple(pair) for pair in record.extra]
        assert (one.length, one.problems) == (told.length, [])
        count += 1
    assert count == len(records)
    assert reader.end == len(sink.getvalue())
    assert [problem.code for problem in reader.problems] == ([] if records else ["archive-empty"])


@settings(max_examples=300, deadline=None)
@given(some.binary(max_size=2000), some.integers(0, 3))
def test_no_bytes_make_reading_fail(noise: bytes, place: int) -> None:
    good = b"WARC/1.1\r\nWARC-Type: metadata\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n"
    data = [noise, good + noise, noise + good, b"\x1f\x8b\x08\x00" + noise][place]
    reader = ArchiveReader(io.BytesIO(data))
    for one in reader:
        one.block.read()
        assert one.length >= 0
    assert 0 <= reader.end <= len(data)
