"""A web archive made up for measuring: the same bytes on every machine."""

import random
import zlib
from collections.abc import Iterator
from typing import NamedTuple

SEED = 20261115
POOL = 4 * 1024 * 1024
TYPICAL_BYTES = 16_000  # median size of a body; the sizes are log-normal, as on the web
SPREAD = 1.2
LARGEST = 2_000_000
IMAGES = 0.25  # share of bodies that do not compress
LEVEL = 6  # of zlib: what most crawlers write


class Capture(NamedTuple):
    """One response and the request for it."""

    url: str
    date: str
    request: bytes
    response: bytes
    ids: tuple[str, str]


def captures(count: int, seed: int = SEED) -> Iterator[Capture]:
    """Made-up captures, HTML-like text and image-like noise."""
    chance = random.Random(seed)  # noqa: S311  (repeatable, not secret)
    text, noise = _text_pool(chance), chance.randbytes(POOL)
    for number in range(count):
        host = f"www.site-{chance.randrange(500)}.example"
        image = chance.random() < IMAGES
        path = f"/section-{chance.randrange(40)}/page-{number}.{'jpg' if image else 'html'}"
        body = _body(chance, noise if image else text)
        yield Capture(
            f"http://{host}{path}",
            f"2026-01-{number % 28 + 1:02d}T{number % 24:02d}:{number % 60:02d}:00Z",
            _request(host, path),
            _response("image/jpeg" if image else "text/html; charset=utf-8", body),
            (_uuid(chance), _uuid(chance)),
        )


def warc_records(count: int) -> Iterator[bytes]:
    """The captures as WARC records, not compressed, written out by hand: no tool measured here makes them."""
    yield _record("warcinfo", "", "2026-01-01T00:00:00Z", _uuid(random.Random(SEED)), b"software: bench\r\n")  # noqa: S311
    for capture in captures(count):
        request_id, response_id = capture.ids
        yield _record("response", capture.url, capture.date, response_id, capture.response)
        yield _record("request", capture.url, capture.date, request_id, capture.request)


def gzip_members(count: int) -> Iterator[bytes]:
    """The same, one gzip member for each record."""
    for record in warc_records(count):
        yield zlib.compress(record, LEVEL, wbits=31)


def _record(kind: str, url: str, date: str, uuid: str, block: bytes) -> bytes:
    types = {"warcinfo": "application/warc-fields"}
    lines = [
        "WARC/1.1",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: <urn:uuid:{uuid}>",
        f"WARC-Date: {date}",
        *([f"WARC-Target-URI: {url}", "WARC-IP-Address: 192.0.2.7"] if url else []),
        f"Content-Type: {types.get(kind) or f'application/http; msgtype={kind}'}",
        *(["WARC-Payload-Digest: sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"] if kind == "response" else []),
        "WARC-Block-Digest: sha1:UZY6ND6CCHXETFVJD2MSS7ZENMWF7KQ2",
        f"Content-Length: {len(block)}",
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def _text_pool(chance: random.Random) -> bytes:
    """Lines of markup and words of which few are frequent: they compress as pages do, about 4.5 to 1."""
    words = ["".join(chance.choices("etaoinshrdlcumwfgypbvk", k=chance.randint(2, 9))) for _ in range(3000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    parts: list[str] = []
    size = 0
    while size < POOL:
        link, title, *text = chance.choices(words, weights, k=20)
        line = (
            f'    <li class="menu-item level-2"><a href="/section/{link}/{title}.html" title="{title}">{link}</a>'  # noqa: E501
            f'</li>\n    <p class="paragraph">{" ".join(text)}</p>\n'
        )
        parts.append(line)
        size += len(line)
    return "".join(parts).encode()[:POOL]


def _body(chance: random.Random, pool: bytes) -> bytes:
    size = int(min(chance.lognormvariate(0, SPREAD) * TYPICAL_BYTES, LARGEST))
    begin = chance.randrange(POOL - LARGEST)
    return pool[begin : begin + size]


def _request(host: str, path: str) -> bytes:
    head = (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: Mozilla/5.0 (compatible; bench/1)\r\n"
        f"Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\nAccept-Language: en,fr;q=0.5\r\n"
        f"Accept-Encoding: identity\r\nReferer: http://{host}/\r\nConnection: close\r\n\r\n"
    )
    return head.encode()


def _response(content_type: str, body: bytes) -> bytes:
    head = (
        "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nServer: Apache/2.4.62 (Debian)\r\n"
        'Last-Modified: Wed, 31 Dec 2025 23:00:00 GMT\r\nETag: "5f-62b4abc"\r\nAccept-Ranges: bytes\r\n'
        "Cache-Control: max-age=3600, public\r\nExpires: Thu, 01 Jan 2026 01:00:00 GMT\r\n"
        "Vary: Accept-Encoding\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: SAMEORIGIN\r\n"
        f"Strict-Transport-Security: max-age=31536000\r\nContent-Length: {len(body)}\r\n"
        f"Connection: close\r\nContent-Type: {content_type}\r\n\r\n"
    )
    return head.encode() + body


def _uuid(chance: random.Random) -> str:
    digits = f"{chance.getrandbits(128):032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
