"""The payload of a message: its bytes, its digests, and whether it is worth compressing."""

from typing import NamedTuple

from armarium.formats.http import Response
from armarium.formats.warc.hashing import ALGORITHMS, PayloadHash, digest_of, labelled
from armarium.harvest.fetch.chunks import joined
from armarium.harvest.fetch.exchange import Exchange

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
