"""Damage met in the wild: reading goes on, and says what it found."""

import io

import pytest

from armarium.formats.problem import Severity
from armarium.formats.warc import boundary
from armarium.formats.warc.reader import ArchiveReader
from tests.unit.formats.warc.samples import HTTP, all_codes, codes, read, record

NEXT = record(b"next", uri="http://example.org/next", content_type="text/plain")


def both(first: bytes) -> tuple[list[str], bytes]:
    """Read a damaged record with a good one behind it: the codes found, and the good one's block."""
    records, blocks, reader = read(first + NEXT)
    assert records[-1].target_uri == "http://example.org/next"
    assert records[-1].offset == len(first)
    assert len(records) == 2
    return sorted(all_codes(records, reader)), blocks[-1]


@pytest.mark.parametrize(
    ("first", "code"),
    [
        (record(separator=b""), "record-separator-wrong"),
        (record(separator=b"\r\n"), "record-separator-wrong"),
        (record(separator=b"\n\n"), "record-separator-wrong"),
        (record(separator=b"\r\n\r\n\r\n\r\n"), "record-separator-wrong"),
        (record(b"x" * 100, length=99), "record-length-too-small"),
        (record(b"x" * 100, length=10), "record-length-too-small"),
        (record(b"x" * 100, length=101), "record-separator-wrong"),
        (record(b"x" * 100, length=103), "record-separator-wrong"),
        (record(b"x" * 100, length=105), "record-length-too-large"),
        (record(b"x" * 100, length=150), "record-length-too-large"),
        (record(b"x" * 100, length=10_000_000), "record-length-too-large"),
        (record(b"", length="very lengthy"), "record-length-invalid"),
        (record(b"", length="-5"), "record-length-invalid"),
        (record(b"", length="9" * 40), "record-length-invalid"),
        (record(b"").replace(b"Content-Length: 0\r\n", b""), "record-length-missing"),
        (record(b"lost").replace(b"Content-Length: 4\r\n", b""), "record-length-too-small"),
        (record(line=b"\n"), "record-header-line-feed"),
        (record(line=b"\r\r\n"), "record-header-double-cr"),
        (record(line=b"\r\r\n", separator=b"\r\r\n\r\r\n"), "record-header-double-cr"),
        (record(line=b"\r\r\r\n", fields=b"X: folded\r\r\r\n line"), "record-header-double-cr"),
        (record(b"x" * 100, line=b"\r\r\n", length=10), "record-length-too-small"),
        (record(version="WARC/2.7"), "record-version-unknown"),
        (record(version="WARC/one"), "record-version-unknown"),
    ],
)
def test_the_record_behind_is_found(first: bytes, code: str) -> None:
    found, block = both(first)
    assert block == b"next"
    assert code in found


def test_lines_that_end_in_cr_cr_lf_are_read_with_no_more_than_a_warning() -> None:
    records, blocks, reader = read(record(line=b"\r\r\n") + NEXT)
    assert [codes(one.problems) for one in records] == [["record-header-double-cr"], []]
    assert records[0].problems[0].severity is Severity.WARNING
    assert (records[0].record_type, records[0].target_uri) == ("response", "http://example.org/")
    assert blocks[0] == HTTP
    assert not reader.problems


def test_a_record_is_found_again_behind_damage_though_its_lines_end_in_cr_cr_lf() -> None:
    records, _, _ = read(b"garbage\n" + record(line=b"\r\r\n"))
    assert [one.record_type for one in records] == ["response"]


def test_a_length_one_too_large_is_found_where_the_block_is_larger_than_any_buffer() -> None:
    first = record(b"x" * 700_000, length=700_010)
    found, block = both(first)
    assert (found, block) == (["record-length-too-large"], b"next")


def test_records_that_a_wrong_length_ran_over_are_all_found_again() -> None:
    inner = b"".join(record(b"y" * 2000, uri=f"http://example.org/{number}") for number in range(100))
    data = record(b"x", length=1 + len(inner) - 50) + inner
    records, _, _ = read(data)
    assert len(records) == 101


def test_bytes_before_the_first_record_are_named() -> None:
    records, _, reader = read(b"this is no record\r\n" + NEXT)
    assert len(records) == 1
    (problem,) = reader.problems
    assert (problem.code, problem.offset, problem.message) == (
        "archive-garbage",
        0,
        "19 bytes belong to no record.",
    )


def test_a_byte_order_mark_is_named() -> None:
    records, _, reader = read(b"\xef\xbb\xbf" + NEXT)
    assert len(records) == 1
    assert codes(reader.problems) == ["archive-byte-order-mark"]


def test_garbage_behind_a_record_is_named() -> None:
    records, _, reader = read(NEXT + b"garbage that is no record")
    assert len(records) == 1
    assert (reader.problems[0].code, reader.problems[0].offset) == ("archive-garbage", len(NEXT))


def test_lower_case_versions_and_names_are_understood() -> None:
    data = record().replace(b"WARC/1.1", b"warc/1.1").replace(b"WARC-Type", b"warc-type")
    (one,), _, _ = read(data)
    assert (one.version, one.record_type) == ("WARC/1.1", "response")


def test_continuation_lines_are_joined() -> None:
    (one,), blocks, _ = read(record(fields=b"X-Folded: one\r\n\ttwo\r\n  three"))
    assert one.fields.get("x-folded") == "one two three"
    assert len(blocks[0])


def test_a_line_without_colon_is_kept_but_is_no_field() -> None:
    (one,), _, _ = read(record(fields=b"nonsense"))
    assert one.fields.malformed == [b"nonsense"]
    assert one.content_length == len(HTTP)


def test_text_that_is_not_utf_8_is_read_as_latin_1() -> None:
    (one,), _, _ = read(record(fields=b"X-Name: caf\xe9"))
    assert one.fields.get("X-Name") == "café"


def test_angle_brackets_around_the_target_are_removed() -> None:
    (one,), _, _ = read(record(uri="<http://example.org/wget>"))
    assert one.target_uri == "http://example.org/wget"
    assert one.fields.get("WARC-Target-URI") == "<http://example.org/wget>"


def test_a_block_that_is_cut_is_given_as_far_as_it_goes() -> None:
    data = NEXT + record(b"x" * 1000)[:-504]
    records, blocks, reader = read(data)
    assert (len(blocks[1]), records[1].complete) == (500, False)
    assert codes(records[1].problems) == ["record-truncated"]
    assert reader.end == len(NEXT)


def test_a_header_that_is_cut_is_a_record_that_is_not_complete() -> None:
    records, _, reader = read(NEXT + record()[:80])
    assert (len(records), records[1].complete, records[1].record_type) == (2, False, "response")
    assert "record-header-truncated" in codes(records[1].problems)
    assert reader.end == len(NEXT)


def test_an_unknown_version_line_alone_is_no_record() -> None:
    records, _, reader = read(NEXT + b"WARC/7.1\r\n")
    assert len(records) == 1
    assert codes(reader.problems) == ["record-header-truncated"]


def test_a_header_without_end_is_given_up() -> None:
    records, _, reader = read(b"WARC/1.1\r\n" + b"X: y\r\n" * 300_000 + NEXT)
    assert "record-header-too-long" in codes(reader.problems)
    assert records[-1].target_uri == "http://example.org/next"


def test_a_file_compressed_in_another_way_is_named() -> None:
    records, _, reader = read(b"BZh91AY&SY" + b"\x00" * 50)
    assert records == []
    assert "archive-unknown-compression" in codes(reader.problems)


def test_problems_are_not_listed_without_end() -> None:
    data = (NEXT + b"!") * 30_000
    reader = ArchiveReader(io.BytesIO(data))
    assert sum(1 for _ in reader) == 30_000
    assert len(reader.problems) <= 10_001


def test_lengths_made_to_be_wrong_cost_no_more_than_a_moment() -> None:
    data = b"".join(
        record(b"", length=50_007, uri=f"http://example.org/{number:04d}") for number in range(3000)
    )
    records, _, _ = read(data)
    assert len(records) == 3000


def test_records_behind_one_wrong_length_are_found_however_many_bytes_follow(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(boundary, "PATIENCE", 100_000)
    wrong = record(b"x", length=9_000_000_000)
    records, _, _ = read(wrong + record(b"y" * 300_000) + NEXT + wrong + record(b"z" * 300_000) + NEXT)
    assert [one.block.length for one in records] == [
        9_000_000_000,
        300_000,
        4,
        9_000_000_000,
        300_000,
        4,
    ]


def test_lengths_that_are_wrong_again_and_again_use_up_the_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary, "PATIENCE", 100_000)
    records, _, _ = read(record(b"x" * 1000, length=9_000_000_000) * 100)
    assert len(records) == 3
