"""ARC files of all versions, and what is wrong with them in the wild."""

import gzip
import io
from datetime import UTC, datetime

import pytest

from armarium.formats.arc import ArcRecord, ArcVersionBlock, parse_arc_date, parse_line
from armarium.formats.warc.grammar import ARC
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from tests.cost import processor_seconds
from tests.unit.formats.warc.samples import all_codes, codes, read

V1 = b"URL IP-address Archive-date Content-type Archive-length\n"
V2 = (
    b"URL IP-address Archive-date Content-type Result-code Checksum Location Offset Filename Archive-length\n"
)
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hello</p>"


def version_block(body: bytes = b"1 0 InternetArchive\n" + V1, length: int | None = None) -> bytes:
    size = len(body) if length is None else length
    return b"filedesc://a.arc 0.0.0.0 20260102030405 text/plain %d\n" % size + body


def capture(block: bytes = HTTP, url: bytes = b"http://example.org/", *, length: int | None = None) -> bytes:
    size = len(block) if length is None else length
    return url + b" 192.0.2.1 20260102030405 text/html %d\n" % size + block + b"\n"


def file(*captures: bytes, head: bytes | None = None) -> bytes:
    return (head if head is not None else version_block() + b"\n") + b"".join(captures)


def test_a_version_block_and_captures_are_read() -> None:
    data = file(capture(), capture(b"text", b"dns:example.org"))
    records, blocks, reader = read(data)
    assert [type(one) for one in records] == [ArcVersionBlock, ArcRecord, ArcRecord]
    assert blocks[1:] == [HTTP, b"text"]
    assert all_codes(records, reader) == set()
    assert (reader.format, reader.end) == ("ARC", len(data))


def test_a_capture_has_the_accessors_of_a_warc_record() -> None:
    one = read(file(capture()))[0][1]
    assert isinstance(one, ArcRecord)
    assert (one.version, one.target_uri, one.ip_address, one.content_type) == (
        "ARC/1.0",
        "http://example.org/",
        "192.0.2.1",
        "text/html",
    )
    assert one.date == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert one.content_length == len(HTTP)


def test_version_2_has_ten_fields() -> None:
    line = (
        b"http://example.org/ 192.0.2.1 20260102030405 text/html 200 abc - 123 a.arc %d\n" % len(HTTP)
        + HTTP
        + b"\n"
    )
    head = version_block(b"2 0 InternetArchive\n" + V2) + b"\n"
    records, _, reader = read(file(line, head=head))
    one = records[1]
    assert isinstance(one, ArcRecord)
    assert (one.version, one.result_code, one.checksum, one.location) == ("ARC/2.0", 200, "abc", None)
    assert (one.stated_offset, one.filename) == (123, "a.arc")
    assert all_codes(records, reader) == set()


def test_version_1_1_has_xml_in_its_version_block() -> None:
    head = version_block(b"1 1 InternetArchive\n" + V1 + b"<?xml version='1.0'?>\n<arcmetadata/>\n") + b"\n"
    records, _, _ = read(file(capture(), head=head))
    assert [one.version for one in records] == ["ARC/1.1", "ARC/1.1"]


@pytest.mark.parametrize("wrong", [-2, -1, 0, 1, 2, 3, -76])
@pytest.mark.parametrize("line_ends", [b"", b"\n", b"\n\n"])
def test_the_version_block_may_count_its_length_as_it_likes(wrong: int, line_ends: bytes) -> None:
    body = b"1 0 InternetArchive\n" + V1
    head = version_block(body, len(body) + wrong) + line_ends
    records, blocks, _ = read(file(capture(), capture(), head=head))
    assert [one.target_uri for one in records[1:]] == ["http://example.org/"] * 2
    assert blocks[1:] == [HTTP, HTTP]


def test_a_space_in_the_url_shifts_no_field() -> None:
    url = b"http://example.org/?title=Examples From The Web 10.0.0.1"
    records, blocks, _ = read(file(capture(url=url), capture()))
    assert records[1].target_uri == url.decode()
    assert records[1].content_type == "text/html"
    assert codes(records[1].problems) == ["arc-url-with-space"]
    assert blocks[1:] == [HTTP, HTTP]


def test_a_line_that_ends_in_cr_cr_lf_is_read_with_a_warning() -> None:
    odd = capture().replace(b"\n", b"\r\r\n", 1)
    records, blocks, _ = read(file(odd, capture()))
    assert [codes(one.problems) for one in records[1:]] == [["record-header-double-cr"], []]
    assert blocks[1:] == [HTTP, HTTP]


def test_a_space_in_the_content_type_shifts_no_field() -> None:
    fields = dict(parse_line(b"http://example.org/ 192.0.2.1 20260102030405 text/html; charset=utf-8 12\n"))
    assert fields["URL"] == "http://example.org/"
    assert fields["Content-type"] == "text/html; charset=utf-8"
    assert fields["Archive-length"] == "12"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("202601020304", datetime(2026, 1, 2, 3, 4, tzinfo=UTC)),
        ("20260102030405", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        ("20260102030405678", datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)),
        ("20261302030405", None),
        ("-", None),
        ("2026", None),
    ],
)
def test_dates_have_twelve_to_eighteen_digits(text: str, expected: datetime | None) -> None:
    assert parse_arc_date(text) == expected


def test_a_missing_line_end_between_captures_is_noted() -> None:
    data = file(capture()[:-1], capture())
    records, blocks, _ = read(data)
    assert blocks[1:] == [HTTP, HTTP]
    assert codes(records[1].problems) == ["arc-separator-wrong"]


@pytest.mark.parametrize("wrong", [-30, -1, 1, 2, 5, 40])
def test_a_wrong_length_costs_no_other_capture(wrong: int) -> None:
    first = capture(length=len(HTTP) + wrong)
    records, blocks, _ = read(file(first, capture(url=b"http://example.org/next")))
    assert [one.target_uri for one in records[1:]] == ["http://example.org/", "http://example.org/next"]
    assert blocks[2] == HTTP


def test_a_capture_without_http_head_runs_not_into_the_next() -> None:
    records, blocks, _ = read(file(capture(b"no head at all"), capture()))
    assert blocks[1:] == [b"no head at all", HTTP]
    assert len(records) == 3


@pytest.mark.parametrize(
    ("line", "is_http"),
    [
        (b"http://example.org/ 192.0.2.1 20260102030405 text/html %d\n", True),
        (b"http://example.org/ 192.0.2.1 20260102030405 alexa/dat %d\n", False),
        (b"dns:example.org 192.0.2.1 20260102030405 text/dns %d\n", False),
    ],
)
def test_only_http_messages_have_an_http_head(line: bytes, is_http: bool) -> None:
    data = file(line % len(HTTP) + HTTP + b"\n")
    one = _first(data, read(data)[0][1].offset)
    assert (one.http is not None) is is_http


def _first(data: bytes, offset: int) -> Record:
    return next(iter(ArchiveReader(io.BytesIO(data), offset=offset)))


def test_a_file_without_version_block_is_read_and_named() -> None:
    records, _, reader = read(file(capture(), capture(), head=b""))
    assert len(records) == 2
    assert codes(reader.problems) == ["arc-version-block-missing"]


def test_members_of_an_arc_gz_are_records() -> None:
    pieces = [version_block() + b"\n", capture(), capture()]
    data = b"".join(gzip.compress(piece, mtime=0) for piece in pieces)
    records, _, reader = read(data)
    assert [one.offset + one.length for one in records] == [*[one.offset for one in records[1:]], len(data)]
    assert all_codes(records, reader) == set()


def test_a_cut_arc_gives_what_is_there() -> None:
    data = file(capture(), capture(b"x" * 5000))[:-1000]
    records, blocks, reader = read(data)
    assert (len(blocks[2]), records[2].complete) == (4001, False)
    assert reader.end == records[2].offset


def test_a_length_that_is_none_is_named() -> None:
    bad = b"http://example.org/ 192.0.2.1 20260102030405 text/html -1\n\n"
    records, _, _ = read(file(bad, capture()))
    assert "record-length-invalid" in codes(records[1].problems)
    assert records[2].target_uri == "http://example.org/"


def test_lines_of_a_cdx_file_inside_a_record_are_no_records() -> None:
    cdx = b"http://example.org/ 192.0.2.1 20260102030405 text/html 471\n" * 20
    records, blocks, _ = read(file(capture(cdx, b"metadata://example.org/cdx"), capture()))
    assert len(records) == 3
    assert blocks[1] == cdx


HOSTILE = b"http:" + b" 1 202001010000 x" * 3300


@pytest.mark.parametrize("end", [b"", b" ", b" \t"])
def test_a_line_full_of_addresses_and_dates_is_parsed_in_linear_time(end: bytes) -> None:
    with processor_seconds(1):
        parse_line(HOSTILE + end + b"\n")


@pytest.mark.parametrize("end", [b"", b"\n", b" \n", b" x\n"])
def test_lines_full_of_addresses_and_dates_are_searched_in_linear_time(end: bytes) -> None:
    data = b"\n" + (HOSTILE + end) * 10
    with processor_seconds(1):
        assert ARC.search.search(data) is None
        ARC.start.match(data, 1)


def test_a_tab_is_part_of_the_last_field() -> None:
    line = b"http://example.org/a b 192.0.2.1 20260102030405 text/html; a=b 12\t\n"
    assert ARC.start.match(line) is not None
    assert dict(parse_line(line)) == {
        "URL": "http://example.org/a b",
        "IP-address": "192.0.2.1",
        "Archive-date": "20260102030405",
        "Content-type": "text/html; a=b",
        "Archive-length": "12\t",
    }
