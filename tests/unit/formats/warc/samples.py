"""Small made-up records and files for the tests of reading."""

import gzip
import io
import zlib

from armarium.formats.problem import Problem
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record

HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nHello"


def record(
    block: bytes = HTTP,
    *,
    kind: str = "response",
    version: str = "WARC/1.1",
    uri: str = "http://example.org/",
    length: int | str | None = None,
    fields: bytes = b"",
    line: bytes = b"\r\n",
    separator: bytes = b"\r\n\r\n",
    content_type: str = "application/http; msgtype=response",
) -> bytes:
    """A WARC record; whatever is given differs from the usual."""
    lines = [
        version.encode(),
        b"WARC-Type: " + kind.encode(),
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>",
        b"WARC-Date: 2026-01-02T03:04:05Z",
        b"WARC-Target-URI: " + uri.encode(),
        b"Content-Type: " + content_type.encode(),
        *([fields] if fields else []),
        b"Content-Length: " + str(len(block) if length is None else length).encode(),
    ]
    return line.join(lines) + line + line + block + separator


def member(data: bytes) -> bytes:
    """A gzip member without a time in it."""
    return gzip.compress(data, 6, mtime=0)


def stored_member(data: bytes) -> bytes:
    """A gzip member whose data are not compressed: damage stays where it is put."""
    deflate = zlib.compressobj(0, zlib.DEFLATED, 31)
    return deflate.compress(data) + deflate.flush()


def read(data: bytes, offset: int = 0) -> tuple[list[Record], list[bytes], ArchiveReader]:
    """All records of a file, read leniently and finished, with their blocks."""
    reader = ArchiveReader(io.BytesIO(data), offset=offset)
    records, blocks = [], []
    for one in reader:
        blocks.append(one.block.read())
        one.finish()
        records.append(one)
    return records, blocks, reader


def codes(problems: list[Problem]) -> list[str]:
    """The codes alone."""
    return [problem.code for problem in problems]


def all_codes(records: list[Record], reader: ArchiveReader) -> set[str]:
    """The codes of everything found in a file."""
    return {code for one in records for code in codes(one.problems)} | set(codes(reader.problems))
