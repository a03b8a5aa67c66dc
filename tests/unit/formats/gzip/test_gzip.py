"""gzip members: headers in full, exact offsets, checks."""

import gzip
import io
import random
import zlib

import pytest

from armarium.formats.gzip.header import FCOMMENT, FEXTRA, FHCRC, FNAME, parse_header
from armarium.formats.gzip.member import Member
from armarium.formats.gzip.members import Members
from armarium.formats.source import Source


def header(flags: int = 0, tail: bytes = b"") -> bytes:
    return b"\x1f\x8b\x08" + bytes([flags]) + b"\x01\x02\x03\x04" + b"\x02\x03" + tail


def deflated(data: bytes) -> bytes:
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    return (
        deflate.compress(data)
        + deflate.flush()
        + zlib.crc32(data).to_bytes(4, "little")
        + len(data).to_bytes(4, "little")
    )


def members(data: bytes) -> tuple[list[Member], list[bytes], Members]:
    coding = Members(Source(io.BytesIO(data)))
    found, contents = [], []
    while (one := coding.next()) is not None:
        contents.append(b"".join(iter(one.read, b"")))
        found.append(one)
    return found, contents, coding


def test_all_fields_of_a_header_are_read() -> None:
    extra = b"sl\x08\x00" + (100).to_bytes(4, "little") + (200).to_bytes(4, "little") + b"LX\x00\x00"
    tail = len(extra).to_bytes(2, "little") + extra + b"name.txt\0" + b"a comment\0"
    raw = header(FEXTRA | FNAME | FCOMMENT | FHCRC, tail)
    raw += (zlib.crc32(raw) & 0xFFFF).to_bytes(2, "little")
    found = parse_header(raw + b"more")
    assert found is not None
    assert (found.mtime, found.extra_flags, found.system) == (0x04030201, 2, 3)
    assert (found.name, found.comment, found.crc16_matches) == (b"name.txt", b"a comment", True)
    assert found.subfields() == [(b"sl", extra[4:12]), (b"LX", b"")]
    assert found.raw == raw


def test_a_wrong_header_checksum_is_seen() -> None:
    found = parse_header(header(FHCRC, b"\x00\x00"))
    assert found is not None
    assert not found.crc16_matches


def test_subfields_that_do_not_fill_the_extra_field_are_none() -> None:
    found = parse_header(header(FEXTRA, b"\x06\x00sl\x08\x00\x01\x02"))
    assert found is not None
    assert found.subfields() is None


@pytest.mark.parametrize("size", range(2, 25))
def test_a_header_cut_anywhere_asks_for_more(size: int) -> None:
    raw = header(FEXTRA | FNAME | FHCRC, b"\x02\x00ab" + b"name12345\0" + b"\x00\x00")
    assert parse_header(raw[:size]) is None


def test_a_name_without_end_is_refused() -> None:
    with pytest.raises(ValueError, match="without end"):
        parse_header(header(FNAME, b"x" * 70_000))


@pytest.mark.parametrize("flags", [0, FEXTRA, FNAME, FCOMMENT, FHCRC, FEXTRA | FNAME | FCOMMENT | FHCRC])
def test_members_with_any_header_are_inflated(flags: int) -> None:
    tail = (
        (b"\x04\x00sl\x00\x00" if flags & FEXTRA else b"")
        + (b"n\0" if flags & FNAME else b"")
        + (b"c\0" if flags & FCOMMENT else b"")
        + (b"\0\0" if flags & FHCRC else b"")
    )
    one = header(flags, tail) + deflated(b"content")
    found, contents, coding = members(one + one)
    assert contents == [b"content", b"content"]
    assert [(each.offset, each.end) for each in found] == [(0, len(one)), (len(one), 2 * len(one))]
    assert found[0].header.flags == flags
    assert coding.problems == []


def test_offsets_are_exact_whatever_the_sizes() -> None:
    chance = random.Random(3)
    contents = []
    for _ in range(300):
        size = int(chance.lognormvariate(6, 2.5)) % 600_000
        contents.append(chance.randbytes(size) if chance.random() < 0.5 else b"word " * (size // 5))
    packed = [gzip.compress(content, chance.randint(0, 9), mtime=0) for content in contents]
    found, inflated, coding = members(b"".join(packed))
    assert inflated == contents
    assert [one.length for one in found] == [len(piece) for piece in packed]
    assert coding.problems == []
    assert all(not one.problems for one in found)


def test_an_empty_file_has_no_member_and_no_problem() -> None:
    assert members(b"")[0] == []


def test_reserved_flags_do_not_stop_reading() -> None:
    found, contents, _ = members(header(0x80) + deflated(b"content"))
    assert contents == [b"content"]
    assert found[0].header.flags == 0x80


def test_a_bomb_is_inflated_in_bounded_pieces() -> None:
    one = gzip.compress(bytes(50_000_000), 9)
    coding = Members(Source(io.BytesIO(one)))
    bomb = coding.next()
    assert bomb is not None
    sizes = [len(piece) for piece in iter(bomb.read, b"")]
    assert (sum(sizes), max(sizes) <= 1024 * 1024) == (50_000_000, True)
