"""The digest of a payload, made while the message passes by."""

import base64
import gzip
import hashlib
import zlib

import pytest

from armarium.formats.http import Entity, parse_response
from armarium.formats.warc.digest import PayloadHash

TEXT = b"Hello, world. " * 5000


def chunked(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n0\r\n\r\n" % (len(data), data)


BODIES = {
    "chunked": chunked(TEXT),
    "gzip": gzip.compress(TEXT),
    "gzip, chunked": chunked(gzip.compress(TEXT)),
    "deflate, chunked": chunked(zlib.compress(TEXT)),
}


@pytest.mark.parametrize("step", [7, 1000, 10**6])
@pytest.mark.parametrize("coding", BODIES)
def test_the_payload_is_the_entity_without_any_transfer_coding(coding: str, step: int) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: %s\r\n\r\n" % coding.encode()
    block = head + BODIES[coding]
    running = PayloadHash("sha1")
    for at in range(0, len(block), step):
        running.update(block[at : at + step])
    assert running.length  # a writer asks before the end whether there is a payload
    assert running.finish() == "sha1:" + base64.b32encode(hashlib.sha1(TEXT).digest()).decode()
    assert running.length == len(TEXT)
    assert b"".join(Entity(parse_response(head), [BODIES[coding]])) == TEXT
