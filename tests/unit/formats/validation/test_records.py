"""What each type of record asks for, and how its HTTP message fits."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.unit.formats.validation.samples import (
    HTTP_RESPONSE,
    REQUEST,
    RESPONSE,
    codes,
    record,
    record_id,
    sha1,
    warc,
    warcinfo,
)

IDENTICAL = "http://netpreserve.org/warc/{}/revisit/identical-payload-digest"
ORIGINAL: dict[str, Any] = {
    "Refers_To": record_id(0),
    "Refers_To_Target_URI": "http://example.org/",
    "Refers_To_Date": "2026-01-01T00:00:00Z",
}


def revisit(**fields: Any) -> bytes:
    values: dict[str, Any] = {
        "Profile": IDENTICAL.format("1.1"),
        "Payload_Digest": sha1(b"hello"),
        **ORIGINAL,
        **fields,
    }
    return record("revisit", b"", **values)


def test_a_good_revisit_has_no_findings() -> None:
    assert codes(warc(revisit())) == set()


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"Profile": None}, "warc-field-required"),
        ({"Profile": "http://example.org/mine"}, "warc-profile-unknown"),
        ({"Profile": IDENTICAL.format("1.0")}, "warc-profile-version"),
        ({"Payload_Digest": None}, "warc-revisit-digest-missing"),
        ({"Refers_To_Date": None}, "warc-revisit-refers-to-missing"),
    ],
)
def test_a_revisit_that_breaks_a_rule_gets_its_code(fields: dict[str, str | None], code: str) -> None:
    assert codes(warc(revisit(**fields))) == {code}


def test_a_revisit_with_its_head_should_say_that_it_is_cut() -> None:
    head = RESPONSE.removesuffix(b"hello")
    block = record(
        "revisit",
        head,
        Content_Type=HTTP_RESPONSE,
        Profile=IDENTICAL.format("1.1"),
        Payload_Digest=sha1(b"hello"),
        **ORIGINAL,
    )
    assert codes(warc(block)) == {"warc-revisit-not-truncated"}


def test_the_file_should_begin_with_a_warcinfo() -> None:
    assert codes(record()) == {"warc-warcinfo-not-first"}


def test_the_name_in_the_warcinfo_should_be_that_of_the_file() -> None:
    assert codes(warcinfo(Filename="made.warc.gz"), name="folder/made.warc") == set()
    assert codes(warcinfo(Filename="other.warc"), name="made.warc") == {"warc-filename-differs"}


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (record(Content_Type=None), "warc-content-type-missing"),
        (record("warcinfo", b"x: y\r\n", Content_Type="text/plain"), "warc-warcinfo-type"),
        (record("warcinfo", b"no field\r\n"), "warc-fields-block"),
        (record(Content_Type="text/html"), "warc-http-type"),
        (record(Content_Type="application/http"), "warc-http-msgtype"),
        (record(Content_Type="application/http;msgtype=request"), "warc-http-msgtype-wrong"),
        (record(IP_Address=None), "warc-ip-missing"),
        (record("resource", b"x", Target_URI="dns:example.org", Content_Type="text/plain"), "warc-dns-type"),
        (record("conversion", b"x", Content_Type="text/plain"), "warc-conversion-refers-to-missing"),
        (record("warcinfo", b"x: y\r\n", Warcinfo_ID=record_id(0)), "warc-field-undesired"),
        (record("continuation", b"x", Content_Type="text/plain"), "warc-field-forbidden"),
    ],
)
def test_a_record_that_breaks_a_rule_of_its_type_gets_its_code(made: bytes, code: str) -> None:
    assert code in codes(warc(made))


def test_dates_are_compared_with_the_time_and_the_harvest_where_these_are_known() -> None:
    made = warc(record(Date="2026-06-01T00:00:00Z"))
    assert codes(made) == set()
    assert codes(made, now=datetime(2026, 5, 1, tzinfo=UTC)) == {"warc-date-implausible"}
    assert codes(made, begin=datetime(2026, 5, 1, tzinfo=UTC)) == {"warc-date-outside"}  # the warcinfo
    assert codes(made, end=datetime(2026, 5, 1, tzinfo=UTC)) == {"warc-date-outside"}


# HTTP -----------------------------------------------------------------------------------------------------


def response(fields: bytes, body: bytes, status: bytes = b"200 OK", **warc_fields: Any) -> bytes:
    return warc(record(block=b"HTTP/1.1 " + status + b"\r\n" + fields + b"\r\n" + body, **warc_fields))


@pytest.mark.parametrize(
    ("fields", "body", "code"),
    [
        (b"Content-Length: 10\r\n", b"short", "http-body-shorter"),
        (b"Content-Length: 3\r\n", b"longer", "http-body-longer"),
        (b"Content-Length: three\r\n", b"abc", "http-content-length-invalid"),
        (b"Content-Encoding: gzip\r\n", b"plain", "http-coding-mislabelled"),
        (b"Content-Type: text/html\r\n", b"\x89PNG\r\n\x1a\n", "http-type-differs"),
        (b"Content-Type: image/png\r\n", b"<!DOCTYPE html><p>", "http-type-differs"),
        (b"Transfer-Encoding: chunked\r\n", b"5\r\nhel", "http-chunk-truncated"),
        (b"Transfer-Encoding: chunked\r\n", b"5\r\nhello\r\n", "http-chunk-last-missing"),
        (b"Transfer-Encoding: chunked\r\n", b"5\r\nhello\r\nzz\r\n", "http-chunk-size-invalid"),
        (b"no colon\r\n", b"", "http-field-without-colon"),
    ],
)
def test_a_body_that_does_not_fit_its_head_gets_its_code(fields: bytes, body: bytes, code: str) -> None:
    assert codes(response(fields, body)) == {code}


def test_a_capture_that_says_it_was_cut_is_excused() -> None:
    cut = response(b"Content-Length: 10\r\n", b"short", Truncated="length")
    assert codes(cut) == {"http-body-truncated"}
    assert codes(response(b"Transfer-Encoding: chunked\r\n", b"5\r\nhel", Truncated="time")) == set()


def test_answers_that_never_have_a_body_are_not_misjudged() -> None:
    assert codes(response(b"Content-Length: 10\r\n", b"", b"304 Not Modified")) == set()
    assert codes(response(b"", b"what", b"204 No Content")) == {"http-body-unexpected"}


def test_a_block_that_is_no_http_message_is_told() -> None:
    assert "http-head-absent" in codes(warc(record(block=b"\x00\x01\x02")))


def test_a_payload_type_copied_from_the_server_is_told() -> None:
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=x\r\n\r\n"
    assert codes(warc(record(block=block, Identified_Payload_Type="text/html; charset=x"))) == {
        "warc-identified-type-copied"
    }
    assert codes(warc(record(block=block, Identified_Payload_Type="text/html"))) == set()


def test_no_finding_about_http_makes_an_archive_invalid() -> None:
    assert codes(
        warc(
            record(
                "request",
                REQUEST.replace(b"Host: example.org\r\n", b""),
                Content_Type="application/http;msgtype=request",
            )
        )
    ) == {
        "http-host-missing",
        "warc-request-alone",
    }
