"""Compressed files that are not one sound member for each record."""

import io

import pytest

from armarium.formats.warc.reader import ArchiveReader
from tests.unit.formats.warc.samples import all_codes, codes, member, read, record, stored_member

A = record(b"a" * 3000, uri="http://example.org/a", content_type="text/plain")
B = record(b"b" * 3000, uri="http://example.org/b", content_type="text/plain")
C = record(b"c" * 3000, uri="http://example.org/c", content_type="text/plain")


def test_one_member_for_the_whole_file_gives_all_records() -> None:
    records, blocks, reader = read(member(A + B + C))
    assert [block[:1] for block in blocks] == [b"a", b"b", b"c"]
    assert reader.whole_file
    assert [(one.offset, one.inner_offset, one.length) for one in records] == [
        (0, 0, 0),
        (0, len(A), 0),
        (0, len(A + B), 0),
    ]
    assert codes(reader.problems) == ["archive-not-record-at-a-time"]


def test_two_records_in_one_of_several_members() -> None:
    records, _, reader = read(member(A) + member(B + C) + member(A))
    assert [one.length > 0 for one in records] == [True, False, False, True]
    assert not reader.whole_file
    assert reader.shared == 1


def test_a_record_over_several_members_is_put_together() -> None:
    data = member(A[:1000]) + member(A[1000:2000]) + member(A[2000:]) + member(B)
    records, blocks, reader = read(data)
    assert [len(block) for block in blocks] == [3000, 3000]
    assert codes(records[0].problems) == ["record-over-several-members"]
    assert records[0].length == records[1].offset
    assert codes(reader.problems) == []


def test_a_header_over_two_members_is_put_together() -> None:
    records, blocks, _ = read(member(A[:50]) + member(A[50:]) + member(B))
    assert [len(block) for block in blocks] == [3000, 3000]
    assert records[0].target_uri == "http://example.org/a"


def test_empty_members_are_passed_over_and_told() -> None:
    records, _, reader = read(member(b"") + member(A) + member(b"") + member(b"") + member(B) + member(b""))
    assert len(records) == 2
    assert all_codes(records, reader) == {"gzip-member-empty"}
    size = len(member(b""))
    assert [one.offset for one in reader.problems] == [
        0,
        size + len(member(A)),
        2 * size + len(member(A)),
        3 * size + len(member(A)) + len(member(B)),
    ]


def test_zeros_behind_the_end_are_named() -> None:
    data = member(A)
    records, _, reader = read(data + b"\0" * 5000)
    assert len(records) == 1
    assert [(p.code, p.offset) for p in reader.problems] == [("gzip-trailing-zeros", len(data))]


def test_garbage_behind_the_end_is_named() -> None:
    data = member(A)
    records, _, reader = read(data + b"CORRUPT")
    assert len(records) == 1
    assert [(p.code, p.offset) for p in reader.problems] == [("gzip-trailing-data", len(data))]


def test_garbage_between_members_is_passed_over() -> None:
    data = member(A) + b"garbage \x1f\x8b\x08 more" + member(B)
    records, _, reader = read(data)
    assert len(records) == 2
    assert [(p.code, p.offset) for p in reader.problems] == [("gzip-lost-range", len(member(A)))]


@pytest.mark.parametrize("first", [b"\x1e", b"\x1f\x8a", bytes(8), b"text\r\n"])
def test_a_spoilt_beginning_costs_no_record_behind_it(first: bytes) -> None:
    data = first + member(A)[len(first) :] + member(B)
    records, _, reader = read(data)
    assert [one.offset for one in records] == [data.index(member(B))]
    assert [(p.code, p.offset) for p in reader.problems] == [("gzip-lost-range", 0)]
    assert list(ArchiveReader(io.BytesIO(data), offset=1)) == []  # whoever asks for one gets no other


@pytest.mark.parametrize("first", [b"\xef\xbb\xbf", b"\r\n", b"garbage\n"])
def test_a_file_in_a_record_behind_a_spoilt_beginning_is_not_taken_for_records(first: bytes) -> None:
    records, blocks, _ = read(first + record(member(A), content_type="application/gzip"))
    assert (len(records), blocks) == (1, [member(A)])


@pytest.mark.parametrize("where", [10, 11, 20, 40, 60])
def test_a_member_damaged_in_the_middle_costs_no_other_record(where: int) -> None:
    damaged = bytearray(member(B))
    damaged[where : where + 6] = b"\xff\x00\xff\x00\xff\x00"
    data = member(A) + bytes(damaged) + member(C)
    records, _, reader = read(data)
    assert records[0].target_uri == "http://example.org/a"
    assert records[-1].target_uri == "http://example.org/c"
    assert records[-1].offset == len(member(A)) + len(damaged)
    assert any(code.startswith("gzip-") for code in all_codes(records, reader))


def test_bytes_lost_from_a_member_cost_no_other_record() -> None:
    whole = member(B)
    data = member(A) + whole[: len(whole) // 2] + member(C) + member(A)
    records, _, _ = read(data)
    uris = [one.target_uri for one in records]
    assert uris[0] == "http://example.org/a"
    assert uris[-2:] == ["http://example.org/c", "http://example.org/a"]


def test_what_inflates_of_a_damaged_member_is_given() -> None:
    noise = bytes(range(256)) * 400
    damaged = bytearray(stored_member(record(noise, content_type="text/plain")))
    second_block = damaged.index(bytes(range(256)) * 3) + 60_000
    second_block = next(
        at for at in range(second_block, len(damaged)) if damaged[at : at + 5] != damaged[at - 256 : at - 251]
    )
    damaged[second_block : second_block + 8] = b"\xff" * 8
    records, blocks, _ = read(bytes(damaged) + member(C))
    assert not records[0].complete
    assert noise.startswith(blocks[0][:-8])
    assert len(blocks[0]) > 30_000
    assert records[-1].target_uri == "http://example.org/c"


def test_a_gzip_file_captured_in_a_cut_record_is_not_taken_for_records() -> None:
    captured = member(A) + member(B)
    data = member(C) + stored_member(record(captured + b"." * 5000, content_type="application/gzip"))[:-3000]
    records, _, _ = read(data)
    assert [one.target_uri for one in records] == ["http://example.org/c", "http://example.org/"]


def test_a_wrong_checksum_is_told_from_a_wrong_size() -> None:
    data = bytearray(member(A))
    data[-8] ^= 1
    records, blocks, _ = read(bytes(data) + member(B))
    assert codes(records[0].problems) == ["gzip-crc32-mismatch"]
    assert (len(blocks[0]), len(records)) == (3000, 2)
    data = bytearray(member(A))
    data[-1] ^= 1
    records, _, _ = read(bytes(data) + member(B))
    assert codes(records[0].problems) == ["gzip-isize-mismatch"]


def test_a_block_shorter_than_its_length_ends_with_its_member() -> None:
    first = record(b"x" * 100, length=120, content_type="text/plain")
    records, _, _ = read(member(first) + member(B))
    assert (len(records), records[1].offset) == (2, len(member(first)))
    assert codes(records[0].problems) == ["record-length-too-large"]


def test_blank_lines_at_the_start_of_a_member_share_nothing() -> None:
    records, _, reader = read(member(A) + member(b"\r\n\r\n" + B))
    assert (records[1].offset, records[1].length) == (len(member(A)), len(member(b"\r\n\r\n" + B)))
    assert reader.shared == 0
