"""The short way of a usual capture leaves what the long way leaves, and nothing of one that fails."""

import errno
import io
import os
import re
from datetime import UTC, datetime

import pytest

from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.new_record import metadata, new_record_id, request, response, warcinfo
from armarium.formats.warc.usual_capture import UsualCapture
from armarium.formats.warc.writer import WarcWriter

DATE = datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC)
URI = "http://example.org/ä?b"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
ASKED = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"
KNOWN = b"fetchTimeMs: 12\r\n"
PROTOCOLS = (("WARC-Protocol", "http/1.1"), ("WARC-Protocol", "tls/1.3"))
INFO = warcinfo(DATE, [("software", "Armarium")], filename="a.warc.gz")


def capture(
    url: str = URI, payload_digest: str = "sha1:" + "A" * 32, packed_from: int | None = None
) -> UsualCapture:
    block = HEAD + b"Hello" * 200
    return UsualCapture(url, DATE, "192.0.2.1", block, payload_digest, packed_from, ASKED, KNOWN, PROTOCOLS)


def written_the_long_way(writer: WarcWriter, one: UsualCapture) -> None:
    first = response(
        one.url,
        one.date,
        one.response,
        ip_address=one.address,
        payload_digest=one.payload_digest,
        packed_from=one.packed_from,
        extra=one.extra,
    )
    together = (first.record_id,)
    asked = request(
        one.url,
        one.date,
        one.request,
        ip_address=one.address,
        concurrent_to=together,
        extra=one.extra,
        payload_digest="",
    )
    for record in (
        first,
        asked,
        metadata(one.date, one.metadata, target_uri=one.url, concurrent_to=together),
    ):
        writer.write(record)


def numbered(data: bytes) -> bytes:
    """With the ids of records in the order in which they come."""
    seen: dict[bytes, int] = {}
    return re.sub(rb"<urn:uuid:[^>]+>", lambda found: b"<%d>" % seen.setdefault(found[0], len(seen)), data)


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "blake3"])
@pytest.mark.parametrize("described", [True, False])
@pytest.mark.parametrize("one", [capture(), capture(payload_digest=""), capture(packed_from=len(HEAD))])
def test_both_ways_lead_to_the_same_records(one: UsualCapture, algorithm: str, described: bool) -> None:
    short, long = io.BytesIO(), io.BytesIO()
    writers = [WarcWriter(sink, compression=Compression.NONE, algorithm=algorithm) for sink in (short, long)]
    for writer in writers if described else ():
        writer.write(INFO)
    writers[0].write_capture(one)
    written_the_long_way(writers[1], one)
    assert numbered(short.getvalue()) == numbered(long.getvalue())
    assert writers[0].offset == writers[1].offset == len(short.getvalue())


def test_the_writer_tells_where_the_response_is() -> None:
    sink = io.BytesIO()
    writer = WarcWriter(sink, compression=Compression.NONE)
    writer.write(INFO)
    begin = writer.offset
    written = writer.write_capture(capture())
    assert written.offset == begin
    record = sink.getvalue()[begin : begin + written.length]
    assert written.record_id.encode() in record
    assert record.endswith(capture().response + b"\r\n\r\n")


@pytest.mark.parametrize("url", ["http://example.org/\r\nWARC-Type: x", "http://a/\nb", "http://a/\rb"])
def test_a_line_end_in_an_address_is_refused_and_nothing_is_written(url: str) -> None:
    sink = io.BytesIO()
    writer = WarcWriter(sink)
    with pytest.raises(ValueError, match="line end"):
        writer.write_capture(capture(url))
    assert sink.getvalue() == b""
    writer.write_capture(capture())


class FullAfter(io.BytesIO):
    """A file on a disk that has room for so many pieces, and for half of the next."""

    def __init__(self, pieces: int) -> None:
        super().__init__()
        self.pieces = pieces

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        self.pieces -= 1
        if self.pieces < 0:
            super().write(data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(data)


@pytest.mark.parametrize("pieces", [1, 2, 3])
def test_of_a_capture_that_does_not_fit_nothing_stays(pieces: int) -> None:
    sink = FullAfter(pieces)
    writer = WarcWriter(sink)
    writer.write(INFO)
    whole = sink.getvalue()
    with pytest.raises(OSError, match="No space left"):
        writer.write_capture(capture())
    assert sink.getvalue() == whole
    assert writer.offset == len(whole)


def test_ids_are_random_uuids_and_never_given_twice() -> None:
    ids = [new_record_id() for _ in range(2000)]
    assert len(set(ids)) == len(ids)
    shape = re.compile(r"<urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}>")
    assert all(shape.fullmatch(one) for one in ids)


def test_a_process_does_not_give_the_ids_of_the_one_that_it_was_forked_from() -> None:
    new_record_id()  # now some are in store
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, "".join(new_record_id() for _ in range(10)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        others = set(re.findall("<[^>]+>", pipe.read()))
    os.waitpid(child, 0)
    assert len(others) == 10
    assert others.isdisjoint(new_record_id() for _ in range(300))
