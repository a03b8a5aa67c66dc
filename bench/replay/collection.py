"""What both programs serve: pages with links, pictures, and one file that is very long."""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.new_record import NewRecord, response
from armarium.formats.warc.writer import WarcWriter

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
        writer = WarcWriter(out)
        for timestamp in timestamps:
            for number, address in enumerate(addresses):
                body = _page(number, timestamp)
                writer.write(_captured(address, timestamp, [_head("text/html", len(body)), body]))
    long = folder / "long.warc"
    with long.open("wb") as out:
        writer = WarcWriter(out, compression=Compression.NONE)
        writer.write(_captured(LONG, timestamps[0], _repeated(long_bytes)))
    return Collection(file, long, addresses, timestamps)


def _captured(url: str, timestamp: str, block: Iterable[bytes]) -> NewRecord:
    date = datetime.strptime(timestamp, "%Y%m%d%H%M%S").replace(tzinfo=UTC)
    return response(url, date, block)


def _head(kind: str, length: int) -> bytes:
    return f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n".encode()


def _repeated(length: int) -> Iterator[bytes]:
    """A body too long to be held."""
    piece = random.Random(1).randbytes(1 << 20)  # noqa: S311
    yield _head("application/octet-stream", length)
    for _ in range(length // len(piece)):
        yield piece


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
