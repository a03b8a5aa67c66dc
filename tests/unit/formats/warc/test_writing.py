"""What is written is WARC 1.1, the same bytes each time, and says the truth about lengths and digests."""

import base64
import hashlib
import io
from datetime import UTC, datetime, timedelta, timezone

import pytest
from blake3 import blake3

from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.new_record import (
    IDENTICAL_PAYLOAD,
    NOT_MODIFIED,
    NewRecord,
    Truncation,
    continuation,
    conversion,
    identical_revisit,
    metadata,
    not_modified_revisit,
    request,
    resource,
    response,
    warc_date,
    warcinfo,
)
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from armarium.formats.warc.writer import WarcWriter, Written

DATE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
URI = "http://example.org/"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"


def identity(number: int) -> str:
    return f"<urn:uuid:00000000-0000-4000-8000-{number:012d}>"


def write(*records: NewRecord, **options: object) -> tuple[bytes, list[Written]]:
    sink = io.BytesIO()
    writer = WarcWriter(sink, **options)  # type: ignore[arg-type]
    written = [writer.write(record) for record in records]
    return sink.getvalue(), written


def written_record(record: NewRecord, **options: object) -> Record:
    data, _ = write(record, **options)
    (one,) = ArchiveReader(io.BytesIO(data), strict=True)
    return one


EVERY_TYPE = [
    warcinfo(DATE, [("software", "Armarium"), ("robots", "classic")], filename="a.warc.gz"),
    response(URI, DATE, HEAD + b"Hello", ip_address="192.0.2.1"),
    request(URI, DATE, b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", concurrent_to=[identity(1)]),
    resource("dns:example.org", DATE, b"example.org. 3600 IN A 192.0.2.1\n", "text/dns"),
    metadata(DATE, b"via: http://example.org/\r\n", target_uri=URI, refers_to=identity(1)),
    identical_revisit(URI, DATE, HEAD, "sha1:" + "A" * 32, refers_to=identity(1), refers_to_date=DATE),
    not_modified_revisit(URI, DATE, b"HTTP/1.1 304 Not Modified\r\n\r\n"),
    conversion(URI, DATE, b"text", "text/plain", identity(1)),
    continuation(URI, DATE, b"rest", identity(1), 2, 99),
]


@pytest.mark.parametrize("compression", Compression)
def test_every_type_is_written_and_read_again(compression: Compression) -> None:
    data, written = write(*EVERY_TYPE, compression=compression)
    reader = ArchiveReader(io.BytesIO(data), strict=True)
    found = []
    for one, told, given in zip(reader, written, EVERY_TYPE, strict=True):
        assert one.record_type == given.record_type
        assert one.block.read() == given.block
        assert (one.offset, one.length, one.record_id) == (told.offset, told.length, told.record_id)
        found.append(one)
    assert (reader.compression, reader.end) == (compression, len(data))
    assert all(one.warcinfo_id == found[0].record_id for one in found[1:])


@pytest.mark.parametrize("compression", Compression)
def test_the_same_ids_and_dates_make_the_same_bytes(compression: Compression) -> None:
    def once() -> bytes:
        records = [response(URI, DATE, HEAD + b"x" * 100_000, record_id=identity(n)) for n in range(5)]
        return write(*records, compression=compression)[0]

    assert once() == once()


@pytest.mark.parametrize("compression", Compression)
def test_a_block_in_pieces_is_the_same_record_as_at_once(compression: Compression) -> None:
    body = bytes(range(256)) * 40_000
    pieces = [HEAD[:10], HEAD[10:], *(body[at : at + 70_000] for at in range(0, len(body), 70_000))]
    at_once, (told,) = write(response(URI, DATE, HEAD + body, record_id=identity(1)), compression=compression)
    in_pieces, (other,) = write(
        response(URI, DATE, iter(pieces), record_id=identity(1)), compression=compression
    )
    assert (told.block_digest, told.payload_digest, told.content_length) == (
        other.block_digest,
        other.payload_digest,
        other.content_length,
    )
    (one,), (two,) = (list(ArchiveReader(io.BytesIO(data))) for data in (at_once, in_pieces))
    assert one.fields.raw == two.fields.raw


def test_digests_are_sha_1_in_base_32_by_default() -> None:
    one = written_record(response(URI, DATE, HEAD + b"Hello"))
    block, payload = hashlib.sha1(HEAD + b"Hello"), hashlib.sha1(b"Hello")
    assert str(one.block_digest) == "sha1:" + base64.b32encode(block.digest()).decode()
    assert str(one.payload_digest) == "sha1:" + base64.b32encode(payload.digest()).decode()


@pytest.mark.parametrize(
    ("algorithm", "expected"),
    [
        ("sha256", "sha256:" + hashlib.sha256(b"Hello").hexdigest()),
        ("blake3", "blake3:" + blake3(b"Hello").hexdigest()),
        ("md5", "md5:" + hashlib.md5(b"Hello").hexdigest()),
    ],
)
def test_other_digests_are_in_base_16(algorithm: str, expected: str) -> None:
    one = written_record(response(URI, DATE, HEAD + b"Hello"), algorithm=algorithm)
    assert str(one.payload_digest) == expected


def test_an_unknown_digest_is_refused() -> None:
    with pytest.raises(ValueError, match="No digest is called 'crc'"):
        WarcWriter(io.BytesIO(), algorithm="crc")


def test_the_payload_digest_of_a_chunked_response_is_that_of_the_entity() -> None:
    block = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n2\r\nlo\r\n0\r\n\r\n"
    expected = "sha256:" + hashlib.sha256(b"Hello").hexdigest()
    for content in (block, iter([block[:30], block[30:60], block[60:]])):
        one = written_record(response(URI, DATE, content), algorithm="sha256")
        assert str(one.payload_digest) == expected


@pytest.mark.parametrize(
    "record",
    [
        warcinfo(DATE, [("a", "b")]),
        metadata(DATE, b"x"),
        request(URI, DATE, b"GET / HTTP/1.1\r\n\r\n"),
        continuation(URI, DATE, b"x", identity(1), 2),
        response(URI, DATE, HEAD + b"first segment", segment_number=1),
    ],
)
def test_what_has_no_payload_has_no_payload_digest(record: NewRecord) -> None:
    assert written_record(record).payload_digest is None


def test_a_request_with_a_body_has_a_payload_digest() -> None:
    one = written_record(request(URI, DATE, b"POST / HTTP/1.1\r\n\r\na=b"), algorithm="sha256")
    assert str(one.payload_digest) == "sha256:" + hashlib.sha256(b"a=b").hexdigest()


def test_a_resource_is_its_own_payload() -> None:
    one = written_record(resource("file:///a", DATE, b"x", "text/plain"))
    assert one.payload_digest == one.block_digest


def test_revisits_carry_their_profile_and_say_that_the_body_is_missing() -> None:
    one = written_record(EVERY_TYPE[5])
    assert one.fields.get("WARC-Profile") == IDENTICAL_PAYLOAD
    assert (one.truncated, str(one.payload_digest)) == ("length", "sha1:" + "A" * 32)
    other = written_record(EVERY_TYPE[6])
    assert (other.fields.get("WARC-Profile"), other.truncated) == (NOT_MODIFIED, None)


@pytest.mark.parametrize("reason", Truncation)
def test_the_reason_of_a_truncation_is_written(reason: Truncation) -> None:
    assert written_record(response(URI, DATE, HEAD, truncated=reason)).truncated == reason


@pytest.mark.parametrize("uri", ["http://example.org/\r\nWARC-Type: warcinfo", "a\nb", "a\rb"])
def test_a_line_end_in_a_value_is_refused(uri: str) -> None:
    with pytest.raises(ValueError, match="holds a line end"):
        write(response(uri, DATE, HEAD))


def test_dates_are_utc_and_have_a_fraction_where_they_need_one() -> None:
    assert warc_date(datetime(2026, 1, 2, 5, tzinfo=timezone(timedelta(hours=2)))) == "2026-01-02T03:00:00Z"
    assert warc_date(DATE.replace(microsecond=1500)) == "2026-01-02T03:04:05.001500Z"
    with pytest.raises(ValueError, match="has no time zone"):
        warc_date(datetime(2026, 1, 2))  # noqa: DTZ001


def test_writing_goes_on_behind_what_is_there() -> None:
    _, (told,) = write(response(URI, DATE, HEAD), offset=1234)
    assert told.offset == 1234
