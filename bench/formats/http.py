"""HTTP messages, side by side: reading heads against warcio and the standard library, and undoing codings.

    python -m bench.formats.http

Times are of this process's CPU, the best of several rounds; each side sees the same bytes.
"""

import gzip
import http.client
import time
from collections.abc import Callable
from io import BytesIO
from typing import NamedTuple

import brotli  # type: ignore[import-untyped]
import zstandard
from warcio.bufferedreaders import ChunkedDataReader  # type: ignore[import-untyped]
from warcio.statusandheaders import StatusAndHeadersParser  # type: ignore[import-untyped]

from armarium.formats.http import Dechunker, decode_content, parse_response
from bench.formats.corpus import captures

ROUNDS = 5
HEADS = 2000
PIECE = 1 << 16
# What real servers send with a page; shorter heads make every reader faster alike.
HEAD = b"""HTTP/1.1 200 OK
Date: Thu, 01 Jan 2026 00:00:00 GMT
Server: Apache/2.4.62 (Debian)
X-Powered-By: PHP/8.3
Set-Cookie: session=%d; path=/; expires=Fri, 01 Jan 2027 00:00:00 GMT; HttpOnly
Cache-Control: no-store, no-cache, must-revalidate
Expires: Thu, 19 Nov 1981 08:52:00 GMT
Vary: Accept-Encoding
Content-Encoding: gzip
Link: <https://www.example.org/wp-json/>; rel="https://api.w.org/"
Strict-Transport-Security: max-age=31536000
Transfer-Encoding: chunked
Connection: close
Content-Type: text/html; charset=UTF-8

""".replace(b"\n", b"\r\n")


class Result(NamedTuple):
    task: str
    tool: str
    amount: float
    unit: str


def results() -> list[Result]:
    return [*_heads(), *_bodies()]


def _heads() -> list[Result]:
    heads = [HEAD % number for number in range(HEADS)]
    parser = StatusAndHeadersParser(["HTTP/1.0", "HTTP/1.1"])

    def index(head: bytes) -> object:
        response = parse_response(head)
        fields = response.fields
        return response.status, response.media_type, fields.get("location"), fields.get("content-encoding")

    def warcio_index(head: bytes) -> object:
        read = parser.parse(BytesIO(head))
        get = read.get_header
        return read.get_statuscode(), get("content-type"), get("location"), get("content-encoding")

    def library_index(head: bytes) -> object:
        stream = BytesIO(head)
        status = stream.readline().split(None, 2)[1]
        fields = http.client.parse_headers(stream)
        return status, fields.get_content_type(), fields["location"], fields["content-encoding"]

    tasks: list[tuple[str, str, Callable[[bytes], object]]] = [
        ("status and three fields", "armarium", index),
        ("status and three fields", "warcio", warcio_index),
        ("status and three fields", "http.client", library_index),
        ("all fields", "armarium", lambda head: parse_response(head).fields.items()),
        ("all fields", "warcio", lambda head: parser.parse(BytesIO(head)).headers),
        ("all malformations", "armarium", lambda head: parse_response(head).problems),
    ]
    return [
        Result(task, tool, _best(lambda read=read: [read(head) for head in heads]) / HEADS * 1e6, "µs a head")  # type: ignore[misc]
        for task, tool, read in tasks
    ]


def _bodies() -> list[Result]:
    page = b"".join(capture.response for capture in captures(400) if capture.url.endswith("html"))
    chunks = [page[at : at + 8000] for at in range(0, len(page), 8000)]
    chunked = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    coded = {
        "gzip": gzip.compress(page),
        "br": brotli.compress(page, quality=5),
        "zstd": zstandard.compress(page),
    }

    def dechunk() -> None:
        dechunker = Dechunker()
        for at in range(0, len(chunked), PIECE):
            dechunker.feed(chunked[at : at + PIECE])
        dechunker.finish()

    def warcio_dechunk() -> None:
        reader = ChunkedDataReader(BytesIO(chunked))
        while reader.read(PIECE):
            pass

    found = [
        Result("chunked", "armarium", len(page) / _best(dechunk) / 1e6, "MB/s"),
        Result("chunked", "warcio", len(page) / _best(warcio_dechunk) / 1e6, "MB/s"),
    ]
    for coding, data in coded.items():
        seconds = _best(lambda coding=coding, data=data: sum(map(len, decode_content([coding], [data]))))  # type: ignore[misc]
        found.append(Result(coding, "armarium", len(page) / seconds / 1e6, "MB/s of payload"))
    seconds = _best(lambda: gzip.decompress(coded["gzip"]))
    found.append(Result("gzip", "zlib of Python", len(page) / seconds / 1e6, "MB/s of payload"))
    return found


def _best(work: Callable[[], object]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    for result in results():
        print(f"{result.task:26} {result.tool:16} {result.amount:10.2f} {result.unit}")  # noqa: T201


if __name__ == "__main__":
    main()
