"""An answer is the same, and ends at the same byte, however it is cut into portions."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.formats.warc.new_record import Truncation
from armarium.harvest.fetch.answer import Answer
from armarium.harvest.fetch.exchange import Wire
from tests.cost import processor_seconds

FOLDER = Path("/nonexistent")  # nothing here is large enough for a file
LENGTH = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nHello\r\n0\r\n\r\n"
CLOSING = b"HTTP/1.1 200 OK\r\n\r\nHello"
NOT_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n<p>Hello"
NOT_CHUNKED_LENGTH = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 8\r\n\r\n<p>Hello"
EMPTY = b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n"
INTERIM = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"


def answer(method: str = "GET", limit: int | None = None, max_head: int = 65_536) -> Answer:
    return Answer(method, Wire(FOLDER), max_head, limit)


def fed(data: bytes, portion: int, **settings: object) -> Answer:
    """An answer that was fed in portions until it wanted no more, and closed if it never did."""
    one = answer(**settings)  # type: ignore[arg-type]
    for start in range(0, len(data), portion):
        if one.feed(data[start : start + portion]):
            return one
    one.close()
    return one


@pytest.mark.parametrize("portion", [1, 2, 5, 1000])
@pytest.mark.parametrize("message", [LENGTH, CHUNKED, CLOSING, EMPTY, NOT_CHUNKED_LENGTH])
@pytest.mark.parametrize("before", [b"", INTERIM])
def test_the_bytes_of_the_answer_are_kept_and_no_others(portion: int, message: bytes, before: bytes) -> None:
    one = fed(before + message, portion)

    assert one.wire.data == message
    assert one.head is not None
    assert one.wire.head_length == one.head.length
    assert one.truncated is None


@pytest.mark.parametrize("portion", [1, 5, 1000])
@pytest.mark.parametrize(
    "message",
    [
        NOT_CHUNKED,
        CHUNKED.replace(b"5\r\n", b"zz\r\n"),
        CHUNKED.replace(b"5\r\n", b"-5\r\n"),
        CHUNKED.replace(b"5\r\n", b"\r\n"),
        CHUNKED.replace(b"5\r\n", b"5" * 20 + b"\r\n"),
        CHUNKED.replace(b"0\r\n\r\n", b"<p>no size\r\nmore"),
    ],
)
def test_chunks_whose_sizes_make_no_sense_are_kept_and_said_not_to_be_whole(
    message: bytes, portion: int
) -> None:
    one = fed(message, portion)

    assert one.wire.data == message
    assert one.truncated is Truncation.UNSPECIFIED


@pytest.mark.parametrize("message", [LENGTH, CHUNKED, EMPTY])
def test_what_comes_behind_is_counted_and_not_kept(message: bytes) -> None:
    one = fed(message + LENGTH, 1000)

    assert one.wire.data == message
    assert one.surplus == len(LENGTH)
    assert not one.allows_another


def test_the_answer_to_head_has_no_body() -> None:
    one = fed(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", 1000, method="HEAD")

    assert one.done
    assert one.truncated is None
    assert one.allows_another


@pytest.mark.parametrize(
    ("head", "allowed"),
    [
        (b"HTTP/1.1 200 OK\r\n", True),
        (b"HTTP/1.1 200 OK\r\nConnection: close\r\n", False),
        (b"HTTP/1.1 200 OK\r\nconnection: Keep-Alive, CLOSE\r\n", False),
        (b"HTTP/1.0 200 OK\r\n", False),
        (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n", True),
        (b"ICY 200 OK\r\n", False),
    ],
)
def test_a_connection_is_kept_as_the_head_says(head: bytes, allowed: bool) -> None:
    assert fed(head + b"Content-Length: 0\r\n\r\n", 1000).allows_another is allowed


def test_a_connection_whose_protocol_changed_is_not_kept() -> None:
    assert not fed(b"HTTP/1.1 101 Switching Protocols\r\n\r\n", 1000).allows_another


@pytest.mark.parametrize("portion", [1, 3, 1000])
@pytest.mark.parametrize("message", [LENGTH, CHUNKED, CLOSING])
@pytest.mark.parametrize("limit", [0, 1, 4])
def test_a_body_is_cut_at_the_limit(portion: int, message: bytes, limit: int) -> None:
    one = fed(message, portion, limit=limit)

    assert one.truncated is Truncation.LENGTH
    assert one.wire.length == one.wire.head_length + limit
    assert message.startswith(one.wire.data or b"")


def test_a_body_of_exactly_the_limit_is_whole() -> None:
    assert fed(LENGTH, 1000, limit=5).truncated is None


@pytest.mark.parametrize(
    "data", [b"", b"\r\n\r\n", b"SSH-2.0-OpenSSH_9.2\r\n", b"\x15\x03\x01\x00\x02\x02\x46"]
)
def test_what_is_no_answer_has_no_head(data: bytes) -> None:
    one = fed(data, 1000)

    assert one.head is None
    assert one.wire.length == 0


def test_a_head_that_drips_for_long_costs_little() -> None:
    one, fields = answer(max_head=262_144), b"".join(b"X%d: y\r\n" % number for number in range(20_000))
    with processor_seconds(4):
        one.feed(b"HTTP/1.1 200 OK\r\n")
        for start in range(0, len(fields), 3):
            one.feed(fields[start : start + 3])
        one.feed(b"\r\n")
        one.expire()

    assert one.head is not None
    assert one.head.status == 200


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300), st.integers(1, 40), st.sampled_from([b"", LENGTH, CHUNKED[:45], INTERIM]))
def test_no_bytes_make_it_fail_and_the_portions_do_not_matter(
    data: bytes, portion: int, before: bytes
) -> None:
    whole, parts = fed(before + data, 10_000), fed(before + data, portion)

    assert whole.wire.length <= len(before + data)
    if whole.head is not None and whole.head.version.startswith("HTTP/1."):
        assert parts.wire.data == whole.wire.data


def test_a_drip_of_empty_lines_costs_little() -> None:
    one = answer(max_head=100_000)
    with processor_seconds(4):
        over = any(one.feed(b"\r\n") for _ in range(60_000))

    assert over
    assert one.head is None


def test_the_end_of_a_head_is_seen_at_once_though_it_came_byte_by_byte() -> None:
    head = b"HTTP/1.1 200 OK\r\nX: " + b"y" * 1000 + b"\r\nContent-Length: 0\r\n\r\n"
    one = answer()

    assert [one.feed(head[at : at + 1]) for at in range(len(head))] == [False] * (len(head) - 1) + [True]
