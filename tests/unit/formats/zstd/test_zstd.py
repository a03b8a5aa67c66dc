"""zstd frames as .warc.zst files have them."""

import io
from typing import Any

import pytest
import zstandard

from armarium.formats.source import Source
from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.packing import ZstdPacking
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.zstd.frames import LARGEST_BLOCK, LARGEST_PIECE, Frames
from armarium.formats.zstd.header import MAGIC, parse_header
from tests.unit.formats.warc.samples import all_codes, codes, read, record

RECORDS = [record(b"%d " % number * 400, uri=f"http://example.org/{number}") for number in range(30)]


def frames(**options: Any) -> list[bytes]:
    compressor = zstandard.ZstdCompressor(**{"write_checksum": True, **options})
    return [compressor.compress(piece) for piece in RECORDS]


def dictionary() -> zstandard.ZstdCompressionDict:
    samples: list[bytes | bytearray | memoryview] = [piece[:600] for piece in RECORDS] * 20  # type: ignore[assignment]
    return zstandard.train_dictionary(4096, samples)


def skippable(content: bytes, low: int = 0x50) -> bytes:
    return bytes([low]) + b"\x2a\x4d\x18" + len(content).to_bytes(4, "little") + content


@pytest.mark.parametrize("options", [{}, {"write_checksum": False}, {"write_content_size": False}])
def test_frames_are_records_with_exact_offsets(options: dict[str, bool]) -> None:
    packed = frames(**options)
    records, _, reader = read(b"".join(packed))
    assert reader.compression is Compression.ZSTD
    assert [one.length for one in records] == [len(piece) for piece in packed]
    assert all_codes(records, reader) == set()


def test_skippable_frames_are_skipped() -> None:
    packed = frames()
    data = skippable(b"x" * 300_000) + packed[0] + skippable(b"", 0x5F) + packed[1]
    records, _, reader = read(data)
    assert [one.offset for one in records] == [300_008, 300_008 + len(packed[0]) + 8]
    assert all_codes(records, reader) == set()


@pytest.mark.parametrize("compressed", [False, True])
def test_a_dictionary_at_the_beginning_is_used_from_any_offset(compressed: bool) -> None:
    trained = dictionary()
    raw = trained.as_bytes()
    first = skippable(zstandard.ZstdCompressor().compress(raw) if compressed else raw, 0x5D)
    compressor = zstandard.ZstdCompressor(dict_data=trained)
    packed = [compressor.compress(piece) for piece in RECORDS]
    data = first + b"".join(packed)
    records, _, reader = read(data)
    assert len(records) == len(RECORDS)
    assert all_codes(records, reader) == set()
    one = next(iter(ArchiveReader(io.BytesIO(data), offset=records[7].offset)))
    assert one.target_uri == "http://example.org/7"


def test_our_own_dictionary_frame_is_read() -> None:
    packing = ZstdPacking(dictionary=dictionary().as_bytes())
    data = packing.beginning() + b"".join(map(packing.whole, RECORDS))
    assert len(read(data)[0]) == len(RECORDS)


def test_a_broken_dictionary_is_named() -> None:
    data = skippable(b"\x37\xa4\x30\xec" + b"\xff" * 40, 0x5D) + b"".join(frames())
    records, _, reader = read(data)
    assert "zstd-dictionary-invalid" in codes(reader.problems)
    assert len(records) == 30


def test_a_damaged_frame_costs_no_other() -> None:
    packed = frames()
    damaged = bytearray(packed[3])
    damaged[20:30] = b"\xff" * 10
    data = b"".join(packed[:3]) + bytes(damaged) + b"".join(packed[4:])
    records, _, reader = read(data)
    uris = {one.target_uri for one in records}
    assert uris >= {f"http://example.org/{number}" for number in range(30) if number != 3}
    assert any(code.startswith("zstd-") for code in all_codes(records, reader))


def test_a_wrong_checksum_is_named() -> None:
    packed = frames()
    data = packed[0][:-4] + b"\0\0\0\0" + packed[1]
    records, blocks, _ = read(data)
    assert codes(records[0].problems) == ["zstd-checksum-mismatch"]
    assert (len(blocks), len(blocks[0])) == (2, 800)


def test_a_cut_file_ends_with_its_last_whole_frame() -> None:
    packed = frames()
    whole = b"".join(packed[:10])
    for cut in range(1, len(packed[10])):
        records, _, reader = read(whole + packed[10][:cut])
        assert reader.end == len(whole)
        assert all_codes(records, reader) & {"zstd-truncated", "zstd-trailing-data"}


def test_a_window_too_large_is_refused() -> None:
    raw = b"\x28\xb5\x2f\xfd\x00" + b"\xf8" + b"\x01\x00\x00"
    assert parse_header(raw) is not None
    records, _, reader = read(raw)
    assert records == []
    assert "zstd-invalid" in codes(reader.problems)


def frame_of_zeros(window_log: int, blocks: int) -> bytes:
    """Blocks that each say in four bytes: 128 KiB of zeros (RFC 8878, 3.1.1.2.3, RLE_Block)."""
    block = (LARGEST_BLOCK << 3 | 1 << 1).to_bytes(3, "little") + b"\0"
    return MAGIC + b"\0" + bytes([(window_log - 10) << 3]) + block * blocks + b"\x01\0\0"


def test_a_frame_of_nothing_but_zeros_comes_in_small_pieces() -> None:
    frame = Frames(Source(io.BytesIO(frame_of_zeros(20, 200)))).next()
    assert frame is not None
    sizes = [len(piece) for piece in iter(frame.read, b"")]
    assert sum(sizes) == 200 * LARGEST_BLOCK
    assert max(sizes) <= LARGEST_PIECE


@pytest.mark.parametrize(("window_log", "is_read"), [(26, True), (27, False)])
def test_a_window_of_64_mebibytes_is_the_largest(window_log: int, is_read: bool) -> None:
    frame = Frames(Source(io.BytesIO(frame_of_zeros(window_log, 1)))).next()
    assert frame is not None
    assert bool(frame.read()) is is_read
    assert codes(list(frame.problems)) == ([] if is_read else ["zstd-invalid"])
