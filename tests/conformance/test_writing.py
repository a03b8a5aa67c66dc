"""What we write, other people's readers read, with the same records, offsets and digests."""

import io
import random
from datetime import UTC, datetime

import pytest
from fastwarc.warc import ArchiveIterator as FastIterator
from warcio.archiveiterator import ArchiveIterator as WarcioIterator

from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.new_record import (
    identical_revisit,
    metadata,
    request,
    resource,
    response,
    warcinfo,
)
from armarium.formats.warc.writer import WarcWriter, Written

DATE = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def file(compression: Compression, algorithm: str = "sha1") -> tuple[bytes, list[Written]]:
    chance = random.Random(5)
    sink = io.BytesIO()
    writer = WarcWriter(sink, compression=compression, algorithm=algorithm)
    written = [writer.write(warcinfo(DATE, [("software", "Armarium")], filename="a.warc.gz"))]
    for number in range(40):
        uri = f"http://example.org/{number}"
        body = chance.randbytes(chance.choice([0, 10, 5000, 300_000]))
        if number % 3 == 0:
            head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            block = head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if body else head + b"0\r\n\r\n"
        else:
            block = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        first = writer.write(response(uri, DATE, block, ip_address="192.0.2.1"))
        written.append(first)
        written.append(writer.write(request(uri, DATE, b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n")))
        revisit = identical_revisit(uri, DATE, b"HTTP/1.1 200 OK\r\n\r\n", first.payload_digest or "")
        written.append(writer.write(revisit))
    written.append(writer.write(metadata(DATE, b"via: x\r\n", target_uri="http://example.org/")))
    written.append(writer.write(resource("file:///a", DATE, b"text", "text/plain")))
    return sink.getvalue(), written


@pytest.mark.parametrize("compression", [Compression.NONE, Compression.GZIP])
@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_warcio_reads_it_and_finds_the_digests_right(compression: Compression, algorithm: str) -> None:
    data, written = file(compression, algorithm)
    iterator = WarcioIterator(io.BytesIO(data), check_digests=True)
    found = []
    for record in iterator:
        record.content_stream().read()
        # warcio digests a chunked body with its chunk sizes; the standard means the entity without them.
        if not (record.http_headers and record.http_headers.get_header("Transfer-Encoding")):
            assert record.digest_checker.passed is not False
            assert record.digest_checker.problems == []
        iterator.read_to_end(record)
        length = iterator.get_record_length()
        # In plain files warcio leaves out the line ends behind a block, which belong to the record.
        length += 4 if compression is Compression.NONE else 0
        found.append((record.rec_headers.get_header("WARC-Record-ID"), iterator.get_record_offset(), length))
    assert found == [(told.record_id, told.offset, told.length) for told in written]


@pytest.mark.parametrize("compression", Compression)
def test_fastwarc_reads_it_and_finds_the_digests_right(compression: Compression) -> None:
    data, written = file(compression)
    found = []
    for record in FastIterator(io.BytesIO(data), parse_http=False, strict_mode=True):
        assert record.verify_block_digest()
        found.append((record.headers["WARC-Record-ID"], record.stream_pos))
    assert found == [(told.record_id, told.offset) for told in written]
