"""What makes a capture a repeated one, as the order asks."""

from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from armarium.core.crawl_order import Recording
from armarium.formats.http import Response
from armarium.formats.warc.digest import ALGORITHMS, PayloadHash, digest_of, labelled
from armarium.harvest.fetch.chunks import joined
from armarium.harvest.fetch.exchange import Exchange
from armarium.harvest.record.crawl_captures import CrawlCaptures
from armarium.harvest.record.digest_index import DigestIndex, Original, url_key


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
