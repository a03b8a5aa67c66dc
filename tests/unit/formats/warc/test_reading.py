"""Files as they should be, in every coding, are read record by record."""

import io

import pytest
import zstandard

from armarium.formats.problem import DamagedArchive
from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import (
    Continuation,
    Conversion,
    Metadata,
    Request,
    Resource,
    Response,
    Revisit,
    Unknown,
    Warcinfo,
)
from tests.unit.formats.warc.samples import HTTP, all_codes, member, read, record

KINDS = {
    "warcinfo": Warcinfo,
    "response": Response,
    "resource": Resource,
    "request": Request,
    "metadata": Metadata,
    "revisit": Revisit,
    "conversion": Conversion,
    "continuation": Continuation,
    "monkeys": Unknown,
}


def zstd_frames(pieces: list[bytes]) -> bytes:
    compressor = zstandard.ZstdCompressor(write_checksum=True)
    return b"".join(compressor.compress(piece) for piece in pieces)


@pytest.mark.parametrize(
    ("pack", "compression"),
    [
        (b"".join, Compression.NONE),
        (lambda pieces: b"".join(map(member, pieces)), Compression.GZIP),
        (zstd_frames, Compression.ZSTD),
    ],
)
def test_offsets_and_lengths_add_up_to_the_file(pack, compression) -> None:  # type: ignore[no-untyped-def]
    pieces = [record(b"x" * size, uri=f"http://example.org/{size}") for size in (0, 1, 1000, 300_000)]
    data = pack(pieces)
    records, blocks, reader = read(data)
    assert reader.compression is compression
    assert [len(block) for block in blocks] == [0, 1, 1000, 300_000]
    assert [one.offset for one in records[1:]] == [one.offset + one.length for one in records[:-1]]
    assert records[-1].offset + records[-1].length == reader.end == len(data)
    assert all_codes(records, reader) == set()


@pytest.mark.parametrize("version", ["WARC/0.17", "WARC/0.18", "WARC/1.0", "WARC/1.1"])
def test_all_versions_are_known(version: str) -> None:
    (one,), _, reader = read(record(version=version))
    assert one.version == version
    assert all_codes([one], reader) == set()


@pytest.mark.parametrize(("kind", "expected"), KINDS.items())
def test_each_type_has_its_class(kind: str, expected: type) -> None:
    (one,), _, _ = read(record(kind=kind))
    assert type(one) is expected
    assert one.record_type == kind


def test_a_record_is_read_by_its_offset() -> None:
    pieces = [member(record(uri=f"http://example.org/{number}")) for number in range(5)]
    data = b"".join(pieces)
    offset = len(b"".join(pieces[:3]))
    one = next(iter(ArchiveReader(io.BytesIO(data), offset=offset)))
    assert one.target_uri == "http://example.org/3"
    assert (one.offset, one.length) == (offset, len(pieces[3]))


def test_a_source_that_cannot_seek_is_read_too() -> None:
    class Pipe(io.RawIOBase):
        def __init__(self, data: bytes) -> None:
            self.inner = io.BytesIO(data)

        def read(self, count: int = -1) -> bytes:
            return self.inner.read(min(count, 7))

    data = b"".join(member(record(uri=f"http://example.org/{number}")) for number in range(5))
    assert len(list(ArchiveReader(Pipe(data)))) == 5  # type: ignore[arg-type]


def test_the_http_head_is_at_hand_and_uses_nothing_up() -> None:
    reader = ArchiveReader(io.BytesIO(member(record())))
    one = next(iter(reader))
    assert one.http is not None
    assert one.http.fields.get("content-type") == "text/plain"
    assert one.block.peek(8) == b"HTTP/1.1"
    assert one.body.read() == b"Hello"


def test_a_long_http_head_is_found_too() -> None:
    block = b"HTTP/1.1 200 OK\r\nX-Long: " + b"y" * 100_000 + b"\r\n\r\nbody"
    one = next(iter(ArchiveReader(io.BytesIO(member(record(block))))))
    assert one.http is not None
    assert one.http.complete
    assert one.body.read() == b"body"


def test_a_record_that_is_no_http_message_has_no_http_head() -> None:
    one = next(iter(ArchiveReader(io.BytesIO(record(b"text", content_type="text/plain")))))
    assert one.http is None
    assert one.body.read() == b"text"


def test_a_block_can_be_read_in_parts_and_left_unread() -> None:
    data = record(b"0123456789") + record(b"second")
    reader = iter(ArchiveReader(io.BytesIO(data)))
    first = next(reader)
    assert (first.block.read(4), first.block.remaining) == (b"0123", 6)
    second = next(reader)
    assert second.block.read() == b"second"
    with pytest.raises(ValueError, match="is gone"):
        first.block.read()


def test_asking_for_the_length_finishes_the_record() -> None:
    data = member(record()) + member(record())
    first = next(iter(ArchiveReader(io.BytesIO(data))))
    assert first.length == len(member(record()))


def test_strict_reading_accepts_what_is_right() -> None:
    data = member(record()) + member(record(kind="request"))
    assert len(list(ArchiveReader(io.BytesIO(data), strict=True))) == 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        record(separator=b"\r\n"),
        record(length=3),
        member(record() + record()),
        member(record())[:-9],
        b"garbage\r\n" + record(),
    ],
)
def test_strict_reading_raises_at_damage(data: bytes) -> None:
    with pytest.raises(DamagedArchive) as caught:
        read_all(ArchiveReader(io.BytesIO(data), strict=True))
    assert caught.value.problem.code


def read_all(reader: ArchiveReader) -> None:
    for one in reader:
        one.block.read()


def test_a_file_that_is_gzip_under_a_plain_name_is_told_by_its_bytes() -> None:
    assert ArchiveReader(io.BytesIO(member(record()))).compression is Compression.GZIP


def test_a_sound_file_is_no_web_archive() -> None:
    wave = b"RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00"
    records, _, reader = read(wave)
    assert records == []
    assert "archive-empty" in all_codes(records, reader)


def test_the_http_block_of_a_record_is_whole() -> None:
    _, blocks, _ = read(record())
    assert blocks == [HTTP]
