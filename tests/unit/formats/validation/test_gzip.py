"""Compression: the members themselves, and one record for each."""

import gzip
import struct
import zlib

import pytest
import zstandard

from armarium.formats.gzip.header import parse_header
from armarium.formats.validation.gzip_members import check_gzip_header
from tests.unit.formats.validation.samples import codes, judged, record, warc, warcinfo, zipped

NAME = "made.warc.gz"
GOOD = zipped(warcinfo(), record())


def member(data: bytes, flags: int = 0, xfl: int = 0, system: int = 3, extra: bytes = b"") -> bytes:
    head = struct.pack("<2sBBIBB", b"\x1f\x8b", 8, flags, 0, xfl, system) + extra
    deflate = zlib.compressobj(wbits=-15)
    body = deflate.compress(data) + deflate.flush()
    return head + body + struct.pack("<II", zlib.crc32(data), len(data) & 0xFFFFFFFF)


def test_one_member_for_each_record_is_as_it_should_be() -> None:
    report = judged(GOOD, name=NAME)
    assert set(report.counts) == set()
    assert (report.compression, report.whole_file) == ("gzip", False)


def test_one_member_for_all_records_is_an_error() -> None:
    report = judged(zipped(warc(record())), name=NAME)
    assert set(report.counts) == {"gzip-not-per-record"}
    assert report.whole_file
    assert not report.valid


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (member(warcinfo(), xfl=1), "gzip-extra-flags-reserved"),
        (member(warcinfo(), xfl=6), "gzip-extra-flags-conflict"),
        (member(warcinfo(), system=19), "gzip-system-unknown"),
        (member(warcinfo(), flags=4, extra=struct.pack("<H2sH", 4, b"sl", 8)), "gzip-extra-invalid"),
        (member(warcinfo(), flags=4, extra=struct.pack("<H2s8s", 10, b"sl", b"12345678")), "gzip-extra-wget"),
        (member(warcinfo(), flags=8, extra=b"a\x01\0"), "gzip-name-encoding"),
        (member(warcinfo(), flags=16, extra=b"\x85\0"), "gzip-comment-encoding"),
        (member(warcinfo(), flags=2, extra=b"\0\0"), "gzip-header-crc"),
        (GOOD[:-8] + bytes(4) + GOOD[-4:], "gzip-crc32-mismatch"),
        (GOOD[:-4] + bytes(4), "gzip-isize-mismatch"),
        (GOOD[:-20], "gzip-truncated"),
        (GOOD + b"garbage at the end", "gzip-trailing-data"),
        (GOOD + bytes(40), "gzip-trailing-zeros"),
        (GOOD + b"\x1f\x8b\x07" + bytes(20), "gzip-method"),
    ],
)
def test_a_member_that_breaks_a_rule_gets_its_code(made: bytes, code: str) -> None:
    assert code in codes(made, name=NAME)


def test_reserved_flags_are_told() -> None:
    header = parse_header(b"\x1f\x8b\x08\xe0" + bytes(6))
    assert header is not None
    assert [code for code, _ in check_gzip_header(header)] == ["gzip-flags-reserved"]


def test_a_name_that_hides_the_compression_is_told() -> None:
    assert codes(GOOD, name="made.warc") == {"gzip-name-differs"}
    assert codes(warc(record()), name="made.warc.gz") == {"gzip-name-differs"}


def test_a_gzip_file_that_is_no_archive_is_judged_as_what_it_is() -> None:
    report = judged(gzip.compress(b"text"), name="notes.txt.gz")
    assert (report.format, set(report.counts), report.valid) == ("gzip", {"gzip-not-an-archive"}, True)
    assert codes(gzip.compress(b"text"), name="notes.warc.gz") == {"gzip-no-records"}


def test_a_bomb_does_not_eat_memory_or_time() -> None:
    report = judged(zipped(bytes(60_000_000)), name=NAME)
    assert not report.valid
    assert report.records == 0


# zstd -----------------------------------------------------------------------------------------------------

ZSTD_NAME = "made.warc.zst"


def framed(*records: bytes, checksum: bool = True, size: bool = True) -> bytes:
    compressor = zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=size)
    return b"".join(compressor.compress(one) for one in records)


def test_one_frame_for_each_record_is_as_it_should_be() -> None:
    report = judged(framed(warcinfo(), record()), name=ZSTD_NAME)
    assert set(report.counts) == set()
    assert report.compression == "zstd"


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (framed(warcinfo(), record(), checksum=False), "zstd-no-checksum"),
        (framed(warcinfo(), record(), size=False), "zstd-no-size"),
        (framed(warc(record())), "zstd-not-per-record"),
        (framed(warcinfo(), record())[:-30], "zstd-truncated"),
        (framed(warcinfo(), record()) + b"garbage at the end", "zstd-trailing-data"),
    ],
)
def test_a_frame_that_breaks_a_rule_gets_its_code(made: bytes, code: str) -> None:
    assert code in codes(made, name=ZSTD_NAME)


def test_members_that_hold_nothing_are_told_one_by_one() -> None:
    empty = gzip.compress(b"")
    report = judged(empty + GOOD + empty, name=NAME)
    assert report.counts["gzip-member-empty"] == 2
    assert [one.offset for one in report.problems] == [0, len(empty + GOOD)]
    assert report.valid
