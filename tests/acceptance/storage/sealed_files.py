"""W/ARC files as a crawl leaves them: all alike in shape, none alike in bytes."""

import gzip
import random
from collections.abc import Iterator
from uuid import UUID

LARGE = 17 * 1024 * 1024  # more than goes to S3 in one request
FILES_PER_LARGE = 1000
KINDS = ("warc.gz", "warc.gz", "warc.gz", "warc", "arc")


def made(chance: random.Random, count: int) -> Iterator[tuple[str, bytes]]:
    """Names and contents; the first is large, and one in a thousand after it."""
    for number in range(count):
        size = LARGE if number % FILES_PER_LARGE == 0 else chance.randrange(200, 20_000)
        kind = "warc" if size == LARGE else chance.choice(KINDS)
        yield f"{number // 10 + 1}-{number:05}-storage.{kind}", _content(chance, kind, size)


def _content(chance: random.Random, kind: str, size: int) -> bytes:
    body = chance.randbytes(size)
    url = f"http://host{chance.randrange(100)}.example/{chance.randrange(10**9)}"
    if kind == "arc":
        return _arc(url, body)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n"
    records = (
        _record(chance, "warcinfo", b"software: somebody/1\r\n", "Content-Type: application/warc-fields"),
        _record(
            chance,
            "response",
            head + body,
            f"WARC-Target-URI: {url}",
            "Content-Type: application/http; msgtype=response",
        ),
    )
    return b"".join(gzip.compress(one, mtime=0) if kind == "warc.gz" else one for one in records)


def _record(chance: random.Random, kind: str, block: bytes, *fields: str) -> bytes:
    lines = (
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{UUID(int=chance.getrandbits(128), version=4)}>",
        "WARC-Date: 2026-01-02T03:04:05Z",
        *fields,
        f"Content-Length: {len(block)}",
    )
    return "".join(f"{line}\r\n" for line in lines).encode() + b"\r\n" + block + b"\r\n\r\n"


def _arc(url: str, body: bytes) -> bytes:
    about = b"1 0 somebody\nURL IP-address Archive-date Content-type Archive-length\n"
    first = f"filedesc://one.arc 0.0.0.0 20260102030405 text/plain {len(about)}\n".encode()
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n" + body
    second = f"{url} 192.0.2.1 20260102030405 text/plain {len(block)}\n".encode()
    return first + about + b"\n" + second + block + b"\n"
