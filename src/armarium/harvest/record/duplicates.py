"""What makes a capture a repeated one, as the order asks."""

import errno
import os
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from armarium.core.crawl_order import Recording
from armarium.formats.cdx import CdxLine, parse_line
from armarium.formats.http import Response
from armarium.formats.warc.digest import ALGORITHMS, PayloadHash, digest_of, labelled
from armarium.formats.warc.new_record import warc_date
from armarium.harvest.fetch.chunks import joined
from armarium.harvest.fetch.exchange import Exchange
from armarium.harvest.record.digest_index import (
    DigestIndex,
    HashTable,
    Key,
    Original,
    is_payload_of,
    original,
    url_key,
)

# --- The captures of this very crawl, so that a later one with the same payload can refer to them.
#
# `captures.cdxj` in the folder of the crawl's state, and a table that leads to its lines. A capture is
# written there only after its records are safe on disk: nothing may ever refer to a capture that a crash took
# away. Until then it is kept in memory.


MOST_CAPTURES = 10_000_000  # about 2.5 GB on disk; what comes later is recorded whole
_LONGEST_LINE = 64 * 1024


class CrawlCaptures:
    def __init__(self, folder: Path, *, with_url: bool, most: int = MOST_CAPTURES) -> None:
        self._key = Key(with_url=with_url)
        self._most = most
        self._path = folder / "captures.cdxj"
        self._file = self._path.open("a+b", buffering=0)
        self._end = self._file.seek(0, os.SEEK_END)
        fingerprint = f"captures {'url' if with_url else 'digest'}".encode()
        self._table = HashTable(folder / "captures.table", fingerprint=fingerprint)
        self._fresh: dict[int, tuple[bytes, str, Original]] = {}
        if self._table.fresh:
            self._build()

    def find(self, url_key: bytes, digest: str) -> Original | None:
        key = self._key.of_payload(url_key, digest.encode())
        fresh = self._fresh.get(key)
        if fresh is not None:
            return fresh[2]
        position = self._table.get(key)
        if position is None or position >= self._end:
            return None
        line = parse_line(self._read(position))
        if not isinstance(line, CdxLine) or not is_payload_of(line, digest):
            return None
        return None if self._key.with_url and line.key.encode() != url_key else original(line)

    def add(self, url_key: bytes, digest: str, url: str, date: datetime) -> None:
        if len(self._table) + len(self._fresh) < self._most:
            key = self._key.of_payload(url_key, digest.encode())
            self._fresh[key] = (url_key, digest, Original(url, date))

    def write(self) -> None:
        """Keep what was added. To be called when the records are safe, and not before."""
        lines = [_line(*fresh) for fresh in self._fresh.values()]
        data = b"".join(lines)
        os.ftruncate(self._file.fileno(), self._end)  # what a full disk took at an earlier attempt
        if self._file.write(data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        for key, line in zip(self._fresh, lines, strict=True):
            self._table.put(key, self._end)
            self._end += len(line)
        self._fresh.clear()

    def close(self) -> None:
        self._table.close()
        self._file.close()

    def _read(self, position: int) -> bytes:
        return os.pread(self._file.fileno(), _LONGEST_LINE, position).partition(b"\n")[0]

    def _build(self) -> None:
        """The table was lost, or never finished: make it from the lines."""
        position = 0
        with self._path.open("rb") as file:
            for raw in file:
                line = parse_line(raw)
                if isinstance(line, CdxLine) and (digest := line.text("digest")):
                    self._table.put(self._key.of_payload(line.key.encode(), digest.encode()), position)
                position += len(raw)
        self._table.finish()


def _line(url_key: bytes, digest: str, known: Original) -> bytes:
    fields = {"url": known.url, "digest": digest, "warc-date": warc_date(known.date)}
    timestamp = known.date.strftime("%Y%m%d%H%M%S")
    return CdxLine(url_key.decode(errors="surrogateescape"), timestamp, fields).to_cdxj() + b"\n"


# --- Captures against those before them.


class Duplicates:
    """Finds the capture that another one repeats: in earlier harvests, or in this crawl."""

    def __init__(self, order: Recording, folder: Path) -> None:
        self._order = order
        self._with_url = order.duplicates == "url"
        self._earlier: DigestIndex | None = None
        self._crawl: CrawlCaptures | None = None
        if order.digest_index and (order.duplicates != "none" or order.conditional_requests):
            self._earlier = DigestIndex(
                [Path(source) for source in order.digest_index],
                folder / "digest-index.table",
                with_url=self._with_url,
                addresses=order.conditional_requests,
            )
        if order.duplicates_within and order.duplicates != "none":
            self._crawl = CrawlCaptures(folder, with_url=self._with_url)

    def find(self, exchange: Exchange, digest: str, size: int) -> Original | None:
        """The capture with the same payload, if the order wants it to be referred to."""
        if not digest or not self._counts(exchange, size):
            return None
        key = url_key(exchange.url) if self._with_url else b""
        known = self._crawl.find(key, digest) if self._crawl is not None else None
        if known is None and self._earlier is not None:
            known = self._earlier.find(key, digest)
        return known

    def recorded(self, exchange: Exchange, digest: str, size: int) -> None:
        """The capture was written whole. Not before: what the disk did not take must not be referred to."""
        if digest and self._counts(exchange, size):
            self.add(exchange.url, digest, exchange.started)

    def add(self, url: str, digest: str, date: datetime) -> None:
        """From now on, this capture can be repeated."""
        if self._crawl is not None:
            self._crawl.add(url_key(url), digest, url, date)

    def latest(self, url: str) -> Original | None:
        """The newest capture of an address in earlier harvests: what a conditional request asks about."""
        if self._earlier is None or not self._order.conditional_requests:
            return None
        return self._earlier.latest(url_key(url))

    def write(self) -> None:
        """Keep what was added; only to be called when the records are safe, and will not be cut off."""
        if self._crawl is not None:
            self._crawl.write()

    def close(self) -> None:
        for part in (self._earlier, self._crawl):
            if part is not None:
                part.close()

    def _counts(self, exchange: Exchange, size: int) -> bool:
        order = self._order
        # Only whole answers to plain questions: what is half of a page is not the page, and the answer to a
        # form belongs to what was sent. Nothing is not worth a reference.
        if order.duplicates == "none" or exchange.status != 200 or exchange.truncated is not None:
            return False
        if size <= 0 or size < order.min_duplicate_bytes or not exchange.request.startswith(b"GET "):
            return False
        if not order.duplicates_skip_text:
            return True
        media_type = exchange.head.media_type if exchange.head is not None else None
        return not (media_type or "").startswith("text/")


# --- The payload of a message: its bytes, its digests, and whether it is worth compressing.


_PLAIN = ((), ("chunked",))  # transfer codings that leave the bytes of the payload as they are
INDEXED = "sha1"  # how an index digests what has no digest in its record
WORTH_A_THOUGHT = 512  # bytes of a body
PACKED_TYPES = (
    "image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "video/", "audio/mp", "audio/ogg",
    "font/woff", "application/font-woff", "application/zip", "application/gzip", "application/x-gzip",
    "application/vnd.openxmlformats", "application/x-7z", "application/x-bzip", "application/x-xz",
)  # fmt: skip


class Digests(NamedTuple):
    """What was made of the bytes of an answer."""

    payload: str  # labelled; "" where there is no payload
    size: int  # of the payload
    block: str | None = None  # where that was read from disk
    indexed: str = ""  # what an index says of the record; "" where it has to be read from the file


def digests(exchange: Exchange, algorithm: str) -> Digests:
    wire, head = exchange.response, exchange.head
    data = wire.data
    known = algorithm == INDEXED or not is_transfer_coded(exchange)
    body = plain_payload(head, data) if data is not None and head is not None else None
    if body is not None:
        digest = digest_of(algorithm, body)
        return Digests(digest, len(body), None, digest if known else digest_of(INDEXED, body))
    payload = PayloadHash(algorithm)
    if data is not None:
        payload.update(data)
        digest = payload.finish() or ""
        return Digests(digest, payload.length, None, digest if known else "")
    block = ALGORITHMS[algorithm]()
    for piece in wire.pieces():
        block.update(piece)
        payload.update(piece)
    digest = payload.finish() or ""
    return Digests(digest, payload.length, labelled(algorithm, block.digest()), digest if known else "")


def plain_payload(head: Response, data: bytes) -> bytes | memoryview | None:
    """The payload of a message that is as the standard has it; None for one that takes more thought."""
    codings = head.transfer_codings
    if not head.complete or codings not in _PLAIN:
        return None
    return joined(data[head.length :]) if codings else memoryview(data)[head.length :]


def packed_from(exchange: Exchange) -> int | None:
    """Where a body begins that does not become smaller by compressing it once more; None if it does."""
    head = exchange.head
    if head is None or exchange.response.length - head.length < WORTH_A_THOUGHT:
        return None
    if head.transfer_codings not in _PLAIN:
        return None
    if head.content_codings or (head.media_type or "").startswith(PACKED_TYPES):
        return head.length
    return None


def is_transfer_coded(exchange: Exchange) -> bool:
    """Whether tools disagree about what the payload is: see docs/decisions/payload-digests.md."""
    return exchange.head is not None and bool(exchange.head.transfer_codings)
