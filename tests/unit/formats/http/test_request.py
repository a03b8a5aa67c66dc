"""Requests as clients wrote them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.http import parse_request

HOST = b"\r\nHost: example.org\r\n\r\n"


@pytest.mark.parametrize(
    ("line", "method", "target", "version", "expected"),
    [
        (b"GET / HTTP/1.1", "GET", "/", "HTTP/1.1", []),
        (b"POST /a?b HTTP/1.0", "POST", "/a?b", "HTTP/1.0", []),
        (b"GET http://example.org/ HTTP/1.1", "GET", "http://example.org/", "HTTP/1.1", []),
        (b"CONNECT example.org:443 HTTP/1.1", "CONNECT", "example.org:443", "HTTP/1.1", []),
        (b"OPTIONS * HTTP/1.1", "OPTIONS", "*", "HTTP/1.1", []),
        (b"GET /caf\xc3\xa9 HTTP/1.1", "GET", "/café", "HTTP/1.1", []),
        (b"GET /a b c HTTP/1.1", "GET", "/a b c", "HTTP/1.1", ["http-request-target-space"]),
        (b"GET /HTTP/1.1 is HTTP/1.1", "GET", "/HTTP/1.1 is", "HTTP/1.1", ["http-request-target-space"]),
        (b"GET / HTTP/2", "GET", "/", "HTTP/2", ["http-version-odd"]),
        (b"GET / HTTP/2.0", "GET", "/", "HTTP/2.0", ["http-version-odd"]),
        (b"GET / HTTP/", "GET", "/", "HTTP/", ["http-version-missing"]),
        (b"GET /", "GET", "/", "HTTP/0.9", ["http-version-missing"]),
        (b"GET", "GET", "", "HTTP/0.9", ["http-version-missing", "http-request-line-malformed"]),
        (b"GET HTTP/1.1", "GET", "", "HTTP/1.1", ["http-request-line-malformed"]),
        (b"G(T / HTTP/1.1", "G(T", "/", "HTTP/1.1", ["http-method-invalid"]),
        (b"get  /  http/1.1", "get", "/", "HTTP/1.1", ["http-request-line-malformed"]),
    ],
)
def test_a_request_line_is_read_in_any_shape(
    line: bytes, method: str, target: str, version: str, expected: list[str]
) -> None:
    request = parse_request(line + HOST + b"body")
    assert (request.method, request.target, request.version) == (method, target, version)
    assert request.host == "example.org"
    assert bytes(request) == line + HOST
    assert [problem.code for problem in request.problems] == expected


def test_a_request_without_host_is_noted() -> None:
    request = parse_request(b"GET / HTTP/1.1\r\nAccept: */*\r\n\r\n")
    assert [problem.code for problem in request.problems] == ["http-host-missing"]


@pytest.mark.parametrize("filler", [b" ", b"\t", b"x ", b"\0", b"HTTP/1.1 "])
def test_no_request_line_makes_reading_slow(filler: bytes) -> None:
    flood = filler * (1_000_000 // len(filler))
    assert parse_request(flood + HOST).problems
    assert parse_request(b"GET / " + flood + HOST).problems


@given(st.binary())
def test_any_bytes_are_a_request(data: bytes) -> None:
    request = parse_request(data)
    assert data.startswith(bytes(request))
    assert all(problem.code.startswith("http-") for problem in request.problems)
