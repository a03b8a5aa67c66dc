"""Body, entity and payload, and the length that the head announces."""

import gzip

import pytest

from armarium.formats.http import Entity, Outcome, Payload, Request, Response, check_length, has_body
from armarium.formats.http import parse_request as request_of
from armarium.formats.http import parse_response as response_of

PAGE = b"<p>Hello</p>"


def response(*fields: bytes, status: int = 200) -> Response:
    return response_of(
        b"HTTP/1.1 %d OK\r\n" % status + b"".join(field + b"\r\n" for field in fields) + b"\r\n"
    )


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(data), data)


def test_the_entity_keeps_the_content_coding_and_the_payload_does_not() -> None:
    head = response(b"Transfer-Encoding: chunked", b"Content-Encoding: gzip")
    body = chunked(gzip.compress(PAGE))
    assert gzip.decompress(b"".join(Entity(head, [body]))) == PAGE
    assert b"".join(Payload(head, [body])) == PAGE


def test_without_codings_body_entity_and_payload_are_the_same() -> None:
    assert b"".join(Entity(response(), [PAGE])) == PAGE
    assert b"".join(Payload(response(), [PAGE])) == PAGE


def test_compression_as_a_transfer_coding_belongs_to_the_entity() -> None:
    head = response(b"Transfer-Encoding: gzip, chunked")
    assert b"".join(Entity(head, [chunked(gzip.compress(PAGE))])) == PAGE


def test_an_entity_says_that_it_was_decoded_before() -> None:
    entity = Entity(response(b"Transfer-Encoding: chunked"), [PAGE])
    assert b"".join(entity) == PAGE
    assert entity.already_decoded
    assert [problem.code for problem in entity.problems] == ["http-chunked-already-decoded"]


def test_a_payload_has_the_problems_of_all_its_layers() -> None:
    head = response(b"Transfer-Encoding: chunked", b"Content-Encoding: gzip")
    payload = Payload(head, [b"%x\r\n%b\r\n" % (len(PAGE), PAGE)])
    assert b"".join(payload) == PAGE
    assert [problem.code for problem in payload.problems] == [
        "http-chunk-last-missing",
        "http-coding-mislabelled",
    ]
    assert payload.outcome is Outcome.MISLABELLED


def test_a_payload_stops_at_its_limit() -> None:
    payload = Payload(response(b"Content-Encoding: gzip"), [gzip.compress(bytes(10_000))], limit=100)
    assert len(b"".join(payload)) == 100
    assert payload.outcome is Outcome.TOO_LARGE


@pytest.mark.parametrize(
    ("fields", "length", "truncated", "expected"),
    [
        ([b"Content-Length: 5"], 5, None, []),
        ([b"Content-Length: 5"], 4, None, ["http-body-shorter"]),
        ([b"Content-Length: 5"], 4, "length", ["http-body-truncated"]),
        ([b"Content-Length: 5"], 6, None, ["http-body-longer"]),
        ([b"Content-Length: 5"], 6, "length", ["http-body-longer"]),
        ([b"Content-Length: 5", b"Transfer-Encoding: chunked"], 99, None, []),
        ([b"Content-Length: five"], 99, None, []),
        ([], 99, None, []),
    ],
)
def test_the_length_is_compared_with_what_the_head_announces(
    fields: list[bytes], length: int, truncated: str | None, expected: list[str]
) -> None:
    found = check_length(response(*fields), length, truncated=truncated)
    assert [problem.code for problem in found] == expected


@pytest.mark.parametrize(
    ("status", "method"), [(304, "GET"), (204, "GET"), (100, "GET"), (200, "HEAD"), (200, "CONNECT")]
)
def test_some_responses_have_no_body_whatever_they_announce(status: int, method: str) -> None:
    head = response(b"Content-Length: 5", status=status)
    assert not has_body(head, method)
    assert check_length(head, 0, method=method) == []
    assert [problem.code for problem in check_length(head, 5, method=method)] == ["http-body-unexpected"]


def test_a_request_has_a_body_only_where_it_says_so() -> None:
    def post(fields: bytes) -> Request:
        return request_of(b"POST / HTTP/1.1\r\nHost: x\r\n" + fields + b"\r\n")

    assert has_body(post(b"Content-Length: 3\r\n"))
    assert has_body(post(b"Transfer-Encoding: chunked\r\n"))
    assert not has_body(post(b""))
    assert [problem.code for problem in check_length(post(b""), 3)] == ["http-body-unexpected"]
    assert check_length(post(b"Content-Length: 3\r\n"), 3) == []
