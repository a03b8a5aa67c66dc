"""Records against each other: ids, references, captures, segments, and the archive around the file."""

from collections.abc import Mapping
from typing import Any

import pytest

from armarium.formats.validation import Original
from armarium.formats.validation import relations as relations_module
from tests.unit.formats.validation.samples import (
    REQUEST,
    codes,
    judged,
    record,
    record_id,
    sha1,
    warc,
    warcinfo,
)

HTTP_REQUEST = "application/http;msgtype=request"


def request(number: int, **fields: Any) -> bytes:
    return record("request", REQUEST, number=number, Content_Type=HTTP_REQUEST, **fields)


def test_an_id_that_stands_twice_is_an_error() -> None:
    assert codes(warc(record(number=1), record(number=1))) == {"warc-id-repeated"}


def test_ids_that_are_no_uuids_are_compared_too() -> None:
    one = record(Record_ID="<http://example.org/1>")
    assert codes(warc(one, one)) == {"warc-id-repeated"}


def test_references_are_followed_in_both_directions() -> None:
    first = record(number=1, Concurrent_To=record_id(2), Warcinfo_ID=record_id(0))
    second = request(2, Concurrent_To=record_id(1))
    assert codes(warc(first, second)) == codes(warc(second, first)) == set()


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("Concurrent_To", "warc-concurrent-to-dangling"),
        ("Warcinfo_ID", "warc-warcinfo-id-dangling"),
    ],
)
def test_a_reference_that_leads_nowhere_is_told(field: str, code: str) -> None:
    changed: dict[str, Any] = {field: record_id(99)}
    assert codes(warc(record(**changed))) == {code}


def test_a_warcinfo_id_must_lead_to_a_warcinfo() -> None:
    assert codes(warc(record(number=1), record(number=2, Warcinfo_ID=record_id(1)))) == {
        "warc-warcinfo-id-dangling"
    }


def test_a_request_finds_its_response_by_reference_or_by_address_and_date() -> None:
    assert codes(warc(request(1))) == {"warc-request-alone"}
    assert codes(warc(request(1), record(number=2))) == set()
    assert codes(warc(record(number=2), request(1))) == set()
    elsewhere = record(number=2, Target_URI="http://example.org/other", Concurrent_To=record_id(1))
    assert codes(warc(request(1), elsewhere)) == set()
    assert codes(warc(elsewhere, request(1))) == set()


def test_records_of_one_capture_have_one_date() -> None:
    other = record(number=2, Date="2026-01-02T03:04:06Z", Concurrent_To=record_id(1))
    assert codes(warc(record(number=1), other)) == {"warc-concurrent-date"}


def test_memory_for_ids_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relations_module, "MOST_RECORDS", 3)
    report = judged(warc(*(record(number=number) for number in range(1, 9))))
    assert report.counts == {"warc-relations-not-checked": 1}


# Segments -------------------------------------------------------------------------------------------------


def segment(number: int, block: bytes, **fields: Any) -> bytes:
    values: dict[str, Any] = {
        "Segment_Number": str(number),
        "Segment_Origin_ID": record_id(1),
        **fields,
    }
    return record("continuation", block, number=number, **values)


FIRST = record("resource", b"abc", number=1, Content_Type="text/plain", Segment_Number="1")


def test_a_whole_chain_of_segments_has_no_findings() -> None:
    assert codes(warc(FIRST, segment(2, b"def"), segment(3, b"g", Segment_Total_Length="7"))) == set()


@pytest.mark.parametrize(
    ("segments", "code"),
    [
        ([segment(3, b"def", Segment_Total_Length="6")], "warc-segment-gap"),
        ([segment(2, b"def", Segment_Total_Length="7")], "warc-segment-total"),
        ([segment(2, b"def")], "warc-segment-unfinished"),
        ([segment(2, b"d", Target_URI="http://x.org/", Segment_Total_Length="4")], "warc-segment-uri"),
        ([segment(2, b"d", Segment_Total_Length="4"), segment(3, b"e")], "warc-segment-after-last"),
        ([segment(1, b"d", Segment_Total_Length="4", Record_ID=record_id(9))], "warc-segment-continuation"),
    ],
)
def test_a_broken_chain_gets_its_code(segments: list[bytes], code: str) -> None:
    assert code in codes(warc(FIRST, *segments))


def test_an_origin_in_another_file_is_only_a_note() -> None:
    report = judged(warc(segment(2, b"def", Segment_Total_Length="6")))
    assert set(report.counts) == {"warc-segment-origin-absent"}
    assert report.valid


def test_an_origin_that_does_not_say_it_is_one_is_told() -> None:
    origin = record("resource", b"abc", number=1, Content_Type="text/plain")
    assert codes(warc(origin, segment(2, b"d", Segment_Total_Length="4"))) == {
        "warc-segment-origin-not-first"
    }


# The archive ----------------------------------------------------------------------------------------------


class Archive:
    """An archive of one other file, with one capture."""

    def __init__(self, ids: tuple[str, ...], original: Original | None) -> None:
        self._ids = ids
        self._original = original

    def has(self, record_id: str) -> bool:
        return record_id in self._ids

    def original(self, revisit: Mapping[str, str]) -> Original | None:
        return self._original


def revisit() -> bytes:
    return record(
        "revisit",
        b"",
        Profile="http://netpreserve.org/warc/1.1/revisit/identical-payload-digest",
        Payload_Digest=sha1(b"hello"),
        Refers_To=record_id(50),
        Refers_To_Target_URI="http://example.org/",
        Refers_To_Date="2026-01-01T00:00:00Z",
    )


def test_a_revisit_is_compared_with_its_original() -> None:
    good = Original(sha1(b"hello"), "http://example.org/", "2026-01-01T00:00:00Z")
    ids = (record_id(50),)
    assert codes(warc(revisit())) == {"warc-refers-to-dangling"}
    assert codes(warc(revisit()), archive=Archive(ids, good)) == set()
    other = good._replace(payload_digest=sha1(b"other"))
    assert codes(warc(revisit()), archive=Archive(ids, other)) == {"warc-refers-to-differs"}
    assert codes(warc(revisit()), archive=Archive((), None)) == {"warc-refers-to-absent"}


def test_an_id_that_another_file_has_is_an_error() -> None:
    assert codes(warcinfo(), archive=Archive((record_id(0),), None)) == {"warc-id-in-archive"}
