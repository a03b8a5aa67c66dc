"""Which records get a line: those with a date that there is, and with a place of their own."""

import calendar
import io
import zlib

import pytest

from armarium.formats.cdx.index import Index, index
from armarium.formats.warc.reader import ArchiveReader

HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello"


def record(date: str = "2020-01-02T03:04:05Z") -> bytes:
    return (
        b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: %b\r\nWARC-Target-URI: http://example.org/\r\n"
        b"WARC-Payload-Digest: sha1:X\r\nContent-Type: application/http\r\n"
        b"Content-Length: %d\r\n\r\n%b\r\n\r\n"
    ) % (date.encode(), len(HTTP), HTTP)


def member(data: bytes) -> bytes:
    return zlib.compress(data, wbits=31)


def indexed(data: bytes) -> tuple[list[str], Index]:
    """The timestamps of the lines, and the index with its problems."""
    found = index(ArchiveReader(io.BytesIO(data)), "f.warc.gz")
    return [line.timestamp for line in found], found


@pytest.mark.parametrize(
    "date",
    [
        "2020-13-45T99:99:99Z",
        "2020-00-01T00:00:00Z",
        "2020-01-00T00:00:00Z",
        "2020-02-30T00:00:00Z",
        "2021-02-29T00:00:00Z",
        "2020-04-31T00:00:00Z",
        "2020-01-01T24:00:00Z",
        "2020-01-01T00:60:00Z",
        "0000-01-01T00:00:00Z",
    ],
)
def test_a_record_under_a_date_that_there_is_not_is_left_out_and_named(date: str) -> None:
    timestamps, found = indexed(member(record(date)) + member(record()))
    assert timestamps == ["20200102030405"]
    assert [(problem.code, problem.offset) for problem in found.problems] == [("cdx-date", 0)]


def test_every_day_of_a_leap_year_is_a_date() -> None:
    days = [f"{month:02}-{day:02}" for month in range(1, 13) for day in range(1, _days(month) + 1)]
    timestamps, found = indexed(b"".join(member(record(f"2020-{day}T23:59:59.5Z")) for day in days))
    assert timestamps == [f"2020{day.replace('-', '')}235959" for day in days]
    assert found.problems == []


def _days(month: int) -> int:
    return calendar.monthrange(2020, month)[1]


def test_a_record_behind_a_byte_order_mark_has_a_member_of_its_own_and_so_a_line() -> None:
    timestamps, found = indexed(member(b"\xef\xbb\xbf" + record()))
    assert timestamps == ["20200102030405"]
    assert found.problems == []


def test_records_that_share_a_member_are_named_once() -> None:
    timestamps, found = indexed(member(record() + record() + record()))
    assert timestamps == []
    assert [problem.code for problem in found.problems] == ["cdx-unreachable"]
