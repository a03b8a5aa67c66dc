"""Responses as servers sent them and crawlers stored them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.http import Response, find_head_end, parse_response

FIELDS = b"Content-Type: text/html\r\nContent-Length: 4\r\n\r\n"


def codes(response: Response) -> list[str]:
    return [problem.code for problem in response.problems]


def test_a_regular_response_has_no_problems() -> None:
    response = parse_response(b"HTTP/1.1 200 OK\r\n" + FIELDS + b"body")
    assert (response.version, response.status, response.reason) == ("HTTP/1.1", 200, "OK")
    assert response.media_type == "text/html"
    assert response.content_length == 4
    assert response.length == len(response.raw) == len(b"HTTP/1.1 200 OK\r\n" + FIELDS)
    assert response.complete
    assert codes(response) == []


@pytest.mark.parametrize(
    ("line", "version", "status", "reason", "expected"),
    [
        (b"HTTP/1.1 200 ", "HTTP/1.1", 200, "", []),
        (b"HTTP/1.1 200", "HTTP/1.1", 200, "", ["http-reason-missing"]),
        (b"HTTP/1.0 404 Not Found", "HTTP/1.0", 404, "Not Found", []),
        (b"HTTP/1.1 200 Tr\xc3\xa8s bien", "HTTP/1.1", 200, "Très bien", []),
        (b"HTTP/1.1 200 Tr\xe8s bien", "HTTP/1.1", 200, "Très bien", []),
        (b"HTTP/2 200", "HTTP/2", 200, "", ["http-version-odd", "http-reason-missing"]),
        (b"HTTP/2 200 ", "HTTP/2", 200, "", ["http-version-odd"]),
        (b"HTTP/2.0 301 Moved", "HTTP/2.0", 301, "Moved", ["http-version-odd"]),
        (b"HTTP/1,1 200 OK", "HTTP/1,1", 200, "OK", ["http-version-odd"]),
        (b"HTTP/1.10 404 No", "HTTP/1.10", 404, "No", ["http-version-odd"]),
        (b"HTTP/11 200 OK", "HTTP/11", 200, "OK", ["http-version-odd"]),
        (b"HTTP/3 200 OK", "HTTP/3", 200, "OK", ["http-version-odd"]),
        (b"ICY 200 OK", "ICY", 200, "OK", ["http-version-odd"]),
        (b"HTTP 200 OK", "HTTP", 200, "OK", ["http-version-missing"]),
        (b"HTTP/ 200 OK", "HTTP", 200, "OK", ["http-version-missing", "http-status-line-malformed"]),
        (b"http/1.1 200 OK", "HTTP/1.1", 200, "OK", ["http-status-line-malformed"]),
        (b"HTTP1.1 200 OK", "HTTP/1.1", 200, "OK", ["http-status-line-malformed"]),
        (b"HTTP/1.1200 OK", "HTTP/1.1", 200, "OK", ["http-status-line-malformed"]),
        (b"HTTP/1.1  200  OK", "HTTP/1.1", 200, "OK", ["http-status-line-malformed"]),
        (b"HTTP/1.1\t200\tOK", "HTTP/1.1", 200, "OK", ["http-status-line-malformed"]),
        (b" HTTP/1.1 200 OK", "HTTP/1.1", 200, "OK", ["http-status-line-malformed"]),
        (b"HTTP/1.1 403.14 Forbidden", "HTTP/1.1", 403, ".14 Forbidden", ["http-status-line-malformed"]),
        (b"HTTP/1.1 OK", "HTTP/1.1", None, "OK", ["http-status-missing"]),
        (b"HTTP/1.1", "HTTP/1.1", None, "", ["http-status-missing"]),
        (b"HTTP/1.1 0 ", "HTTP/1.1", 0, "", ["http-status-invalid"]),
        (b"HTTP/1.1 0", "HTTP/1.1", 0, "", ["http-status-invalid", "http-reason-missing"]),
        (b"HTTP/1.1 999 Request denied", "HTTP/1.1", 999, "Request denied", ["http-status-invalid"]),
        (b"HTTP/1.1 20000 OK", "HTTP/1.1", None, "OK", ["http-status-invalid"]),
        (b"200 OK", "HTTP/0.9", 200, "OK", ["http-status-line-malformed"]),
        (b"@@@ what?", "HTTP/0.9", None, "", ["http-status-line-malformed"]),
    ],
)
def test_a_status_line_is_read_in_any_shape(
    line: bytes, version: str, status: int | None, reason: str, expected: list[str]
) -> None:
    head = line + b"\r\n" + FIELDS
    response = parse_response(head + b"body")
    assert (response.version, response.status, response.reason) == (version, status, reason)
    assert codes(response) == expected
    assert response.media_type == "text/html"
    assert bytes(response) == head


@pytest.mark.parametrize(
    "body",
    [
        b"<html><p>no head at all</p>\n\n</html>",
        b"",
        b"a:hover { color: red }\n\np { margin: 0 }",
        b"HTTP is a protocol.\n\nIt has heads.",
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b'{"a":\n\n1}',
    ],
)
def test_bytes_without_a_head_are_all_body(body: bytes) -> None:
    response = parse_response(body)
    assert (response.length, response.status, response.version) == (0, None, "HTTP/0.9")
    assert codes(response) == ["http-head-absent"]


def test_fields_without_status_line_are_read() -> None:
    response = parse_response(FIELDS + b"body")
    assert response.status is None
    assert response.media_type == "text/html"
    assert codes(response) == ["http-status-line-missing"]
    assert bytes(response) == FIELDS


@pytest.mark.parametrize(
    ("end", "expected"),
    [
        (b"\r\n", []),
        (b"\n", ["http-line-end-lf"]),
        (b"\r", ["http-line-end-cr"]),
        (b"\r\r\n", ["http-bare-cr"]),
    ],
)
def test_lines_may_end_in_any_way(end: bytes, expected: list[str]) -> None:
    head = end.join([b"HTTP/1.1 200 OK", b"Server: x", b"Content-Type: text/plain", b"", b""])
    response = parse_response(head + b"bo\n\ndy\r\n\r\n")
    assert response.fields.items() == [("Server", "x"), ("Content-Type", "text/plain")]
    assert response.fields.get("content-type") == "text/plain"
    assert response.status == 200
    assert bytes(response) == head
    assert codes(response) == expected


def test_empty_lines_before_the_status_line_are_skipped() -> None:
    response = parse_response(b"\r\n\r\nHTTP/1.1 200 OK\r\n" + FIELDS)
    assert response.status == 200
    assert codes(response) == ["http-leading-lines"]
    assert response.complete


def test_a_head_cut_short_is_read_as_far_as_it_goes() -> None:
    response = parse_response(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Coo")
    assert not response.complete
    assert response.media_type == "text/html"
    assert codes(response) == ["http-head-unterminated", "http-field-without-colon"]


@pytest.mark.parametrize("page", [b"<HTML>\r\n\r\nHello", b"<!DOCTYPE html>\n", b"<html></html>"])
def test_a_page_that_follows_without_an_empty_line_is_body(page: bytes) -> None:
    head = b"HTTP/1.0 200 Document follows\r\nContent-Type: text/html\r\n"
    response = parse_response(head + page)
    assert bytes(response) == head
    assert response.media_type == "text/html"
    assert codes(response) == ["http-head-unterminated"]


@pytest.mark.parametrize(
    ("lines", "length", "expected"),
    [
        (b"Content-Length: 4\r\nContent-Length: 4", 4, ["http-content-length-repeated"]),
        (b"Content-Length: 4, 4", 4, ["http-content-length-repeated"]),
        (b"Content-Length: 4\r\nContent-Length: 5", None, ["http-content-length-conflicting"]),
        (b"Content-Length: -4", None, ["http-content-length-invalid"]),
        (b"Content-Length: +4", None, ["http-content-length-invalid"]),
        (b"Content-Length: " + b"9" * 40, None, ["http-content-length-invalid"]),
        (b"Content-Length: \xd9\xa4", None, ["http-field-value-not-ascii", "http-content-length-invalid"]),
        (
            b"Content-Length: 4\r\nTransfer-Encoding: chunked",
            4,
            ["http-content-length-with-transfer-encoding"],
        ),
        (b"Transfer-Encoding: chunked, gzip", None, ["http-transfer-coding-order"]),
        (b"Transfer-Encoding: chunked, chunked", None, ["http-transfer-coding-order"]),
        (b"Transfer-Encoding: rot13", None, ["http-transfer-coding-unknown"]),
        (b"Transfer-Encoding: identity", None, []),
        (b"Transfer-Encoding: gzip\r\nTransfer-Encoding: CHUNKED", None, []),
    ],
)
def test_framing_fields_in_conflict_are_noted(lines: bytes, length: int | None, expected: list[str]) -> None:
    response = parse_response(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n\r\n")
    assert response.content_length == length
    assert codes(response) == expected


def test_a_flood_of_fields_is_bounded() -> None:
    response = parse_response(b"HTTP/1.1 200 OK\r\n" + b"a:\xff\r\n" * 200_000 + b"\r\n")
    assert len(response.fields) == 10_000
    assert codes(response) == ["http-field-value-not-ascii", "http-fields-too-many"]


@pytest.mark.parametrize(
    "filler", [b" ", b"\r", b"\t", b"\0", b":", b"\r\n ", b"\n\t", b"a", b"\r\r\n", b"\xff"]
)
def test_no_filler_makes_reading_slow(filler: bytes) -> None:
    flood = filler * (1_000_000 // len(filler))
    for data in (
        b"HTTP/1.1 200 OK\r\nA: " + flood,
        b"HTTP/1.1 " + flood,
        flood,
        b"HTTP/1.1 200 OK\r\n" + flood,
    ):
        response = parse_response(data)
        assert isinstance(response.problems, list)
        response.fields.items()


def test_the_end_of_the_head_is_the_first_empty_line_of_any_kind() -> None:
    assert find_head_end(b"A\r\n\r\nB\n\n") == 5
    assert find_head_end(b"A\n\nB\r\n\r\n") == 3
    assert find_head_end(b"A\r\n\nB") == 4
    assert find_head_end(b"A\n\r\nB") == 4
    assert find_head_end(b"A\r\rB") == 3
    assert find_head_end(b"A\r\n") == -1
    assert find_head_end(b"") == -1


HEAD_BYTES = st.lists(
    st.one_of(
        st.sampled_from(
            [b"\r", b"\n", b"\r\n", b" ", b"\t", b":", b"\0", b"HTTP/1.1 200 OK", b"Content-Type"]
        ),
        st.binary(max_size=5),
    )
).map(b"".join)


@given(HEAD_BYTES)
def test_any_bytes_are_a_response(data: bytes) -> None:
    response = parse_response(data)
    assert data.startswith(bytes(response))
    assert len({problem.code for problem in response.problems}) == len(response.problems)
    assert (response.content_length or 0) >= 0
    assert all(0 <= problem.offset <= len(data) for problem in response.problems)


@given(HEAD_BYTES)
def test_the_quick_look_up_finds_what_the_full_parse_finds(data: bytes) -> None:
    response = parse_response(b"HTTP/1.1 200 OK\r\nX: y\r\n" + data + b"\r\n\r\n")
    first = {
        name.lower(): value for name, value in reversed(response.fields.items()) if name.isascii() and name
    }
    for name, value in first.items():
        assert response.fields.get(name) == value
    assert (response.fields.get("content-type") is None) == ("content-type" not in first)


@given(HEAD_BYTES)
def test_a_head_and_its_fields_are_written_back_as_read(data: bytes) -> None:
    response = parse_response(b"HTTP/1.1 200 OK\r\n" + data + b"\r\n\r\nbody")
    lines = b"".join(field.raw for field in response.fields)
    assert lines.rstrip(b"\r\n") == response.fields.raw.rstrip(b"\r\n")
    assert bytes(response).endswith(bytes(response.fields))
