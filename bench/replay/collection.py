"""What both programs serve: pages with links, pictures, and one file that is very long."""

import io
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

SITE = "http://bench.example"
LINKS = 90  # of a page of 30 kB, as pages of the web have them
DAYS = 5  # captures of each address
LONG = f"{SITE}/long.bin"
_WORDS = ("armarium", "liber", "codex", "charta", "pagina", "folium", "custos", "lector", "index", "titulus")


@dataclass(frozen=True)
class Collection:
    pages: Path
    long: Path
    addresses: list[str]
    timestamps: list[str]


def make(folder: Path, *, pages: int, long_bytes: int) -> Collection:
    addresses = [f"{SITE}/page-{number}.html" for number in range(pages)]
    timestamps = [f"2020010{day + 1}120000" for day in range(DAYS)]
    file = folder / "pages.warc.gz"
    with file.open("wb") as out:
        writer = WARCWriter(out, gzip=True)
        for timestamp in timestamps:
            for number, address in enumerate(addresses):
                _write(writer, address, timestamp, io.BytesIO(_page(number, timestamp)), "text/html")
    long = folder / "long.warc"
    with long.open("wb") as out:
        body = _Repeated(random.Random(1).randbytes(1 << 20), long_bytes)  # noqa: S311
        _write(WARCWriter(out, gzip=False), LONG, timestamps[0], body, "application/octet-stream")
    return Collection(file, long, addresses, timestamps)


def _write(writer: WARCWriter, url: str, timestamp: str, body: io.IOBase, kind: str) -> None:
    date = f"{timestamp[:4]}-{timestamp[4:6]}-{timestamp[6:8]}T12:00:00Z"
    http = StatusAndHeaders("200 OK", [("Content-Type", kind)], protocol="HTTP/1.1")
    record = writer.create_warc_record(
        url, "response", payload=body, http_headers=http, warc_headers_dict={"WARC-Date": date}
    )
    writer.write_record(record)


def _page(number: int, timestamp: str) -> bytes:
    random_words = random.Random(f"{number} {timestamp}")  # noqa: S311
    parts = [
        f'<!doctype html><html><head><title>{number}</title><link rel="stylesheet" href="/style.css">'
        '<script src="/script.js"></script></head><body>'
    ]
    for link in range(LINKS):
        text = " ".join(random_words.choices(_WORDS, k=35))
        parts.append(f'<p class="text">{text} <a href="/page-{number + link}.html">{link}</a></p>\n')
    return "".join([*parts, "</body></html>"]).encode()


class _Repeated(io.RawIOBase):
    """A body too long to be held."""

    def __init__(self, piece: bytes, length: int) -> None:
        self._pieces = self._all(piece, length)
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        while not self._rest:
            self._rest = next(self._pieces, b"")
            if not self._rest:
                return b""
        size = len(self._rest) if size < 0 else size
        given, self._rest = self._rest[:size], self._rest[size:]
        return given

    @staticmethod
    def _all(piece: bytes, length: int) -> Iterator[bytes]:
        for _ in range(length // len(piece)):
            yield piece
