"""What is inside an answer."""

import gzip
import zlib
from pathlib import Path

import pytest

from armarium.core import clock
from armarium.formats.http import parse_response
from armarium.harvest.fetch.exchange import IN_MEMORY, Exchange, Wire

TEXT = b"Some text that is long enough to be packed. " * 100


def exchange(folder: Path, message: bytes) -> Exchange:
    wire, head = Wire(folder), parse_response(message)
    for start in range(0, len(message), 100_000):
        wire.add(message[start : start + 100_000])
    wire.head_length = head.length
    return Exchange("http://a.example/", head.status or 0, clock.now(), wire, head=head)


def message(body: bytes, *fields: str) -> bytes:
    return ("\r\n".join(["HTTP/1.1 200 OK", *fields]) + "\r\n\r\n").encode() + body


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


@pytest.mark.parametrize(
    "whole",
    [
        message(TEXT),
        message(chunked(TEXT), "Transfer-Encoding: chunked"),
        message(gzip.compress(TEXT), "Content-Encoding: gzip"),
        message(chunked(gzip.compress(TEXT)), "Content-Encoding: gzip", "Transfer-Encoding: chunked"),
        message(zlib.compress(TEXT), "Content-Encoding: deflate"),
        message(gzip.compress(TEXT[:50]) + gzip.compress(TEXT[50:]), "Content-Encoding: gzip"),
        message(TEXT, "Content-Encoding: gzip"),
    ],
)
def test_the_content_is_what_a_reader_sees(tmp_path: Path, whole: bytes) -> None:
    one = exchange(tmp_path, whole)

    assert one.content(1_000_000) == TEXT
    assert one.content(100) == TEXT[:100]
    assert one.content(0) == b""
    assert one.response.data == whole


def test_the_entity_keeps_the_content_coding(tmp_path: Path) -> None:
    packed = gzip.compress(TEXT)
    one = exchange(tmp_path, message(chunked(packed), "Content-Encoding: gzip", "Transfer-Encoding: chunked"))

    assert one.entity() == packed


@pytest.mark.parametrize("size", [IN_MEMORY - 100, IN_MEMORY, IN_MEMORY + 1, 3 * IN_MEMORY])
def test_a_large_answer_reads_like_a_small_one(tmp_path: Path, size: int) -> None:
    body = bytes(range(256)) * (size // 256 + 1)
    one = exchange(tmp_path, message(body))

    assert (one.response.data is None) == (one.response.length > IN_MEMORY)
    assert b"".join(one.response.pieces()) == message(body)
    assert b"".join(one.response.pieces()) == message(body), "a second time"
    assert one.entity() == body
    assert one.content(1000) == body[:1000]
    one.response.close()


def test_a_large_entity_is_given_up_to_the_limit(tmp_path: Path) -> None:
    one = exchange(tmp_path, message(chunked(bytes(2 * IN_MEMORY)), "Transfer-Encoding: chunked"))
    one.decoded_limit = 1000

    assert one.entity() == bytes(1000)


def test_an_exchange_without_an_answer_has_no_content(tmp_path: Path) -> None:
    one = Exchange("http://a.example/", -2, clock.now(), Wire(tmp_path))

    assert (one.entity(), one.content(10)) == (b"", b"")
