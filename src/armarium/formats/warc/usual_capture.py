"""The three records of a usual capture, made at once: what their headers have in common is made once.

They are, byte for byte, what `response`, `request` and `metadata` become with `header_lines`. A crawl makes
hardly any others, and so saves a tenth of the time of recording; whatever is unusual takes the longer way.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from armarium.formats.warc.digest import digest_of
from armarium.formats.warc.new_record import (
    HTTP_REQUEST,
    HTTP_RESPONSE,
    WARC_FIELDS,
    new_record_id,
    warc_date,
)


class UsualCapture(NamedTuple):
    """A whole response that is at hand, the request for it, which has no body, and what is known of both."""

    url: str
    date: datetime
    address: str  # of the server
    response: bytes
    payload_digest: str  # of the response, labelled; "": it is not to be told
    packed_from: int | None  # from this byte on, the response is compressed already
    request: bytes
    metadata: bytes  # fields
    extra: Sequence[tuple[str, str]]  # further fields of response and request


class UsualHeaders(NamedTuple):
    """The headers of the three records."""

    response_id: str
    response_digest: str  # of the block
    response: bytes
    request: bytes
    metadata: bytes


def usual_headers(capture: UsualCapture, algorithm: str, warcinfo_id: str | None) -> UsualHeaders:
    """Raises ValueError where a value would break the headers."""
    first = new_record_id()
    digest = digest_of(algorithm, capture.response)
    where = f"WARC-Date: {warc_date(capture.date)}\r\nWARC-Target-URI: {capture.url}\r\n"
    address = f"WARC-IP-Address: {capture.address}\r\n"
    group = f"WARC-Warcinfo-ID: {warcinfo_id}\r\n" if warcinfo_id is not None else ""
    extra = "".join([f"{name}: {value}\r\n" for name, value in capture.extra])
    _check(f"{where}{address}{group}{extra}", 3 + (warcinfo_id is not None) + len(capture.extra))
    payload = f"WARC-Payload-Digest: {capture.payload_digest}\r\n" if capture.payload_digest else ""
    response = (
        f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: {first}\r\n{where}{address}{group}{payload}"
        f"WARC-Block-Digest: {digest}\r\n{extra}Content-Type: {HTTP_RESPONSE}\r\n"
        f"Content-Length: {len(capture.response)}\r\n\r\n"
    )
    request = (
        f"WARC/1.1\r\nWARC-Type: request\r\nWARC-Record-ID: {new_record_id()}\r\n{where}{address}{group}"
        f"WARC-Concurrent-To: {first}\r\nWARC-Block-Digest: {digest_of(algorithm, capture.request)}\r\n"
        f"{extra}Content-Type: {HTTP_REQUEST}\r\nContent-Length: {len(capture.request)}\r\n\r\n"
    )
    metadata = (
        f"WARC/1.1\r\nWARC-Type: metadata\r\nWARC-Record-ID: {new_record_id()}\r\n{where}{group}"
        f"WARC-Concurrent-To: {first}\r\nWARC-Block-Digest: {digest_of(algorithm, capture.metadata)}\r\n"
        f"Content-Type: {WARC_FIELDS}\r\nContent-Length: {len(capture.metadata)}\r\n\r\n"
    )
    return UsualHeaders(first, digest, response.encode(), request.encode(), metadata.encode())


def _check(fields: str, number: int) -> None:
    # A line end inside a value would begin a field of its own, or the block: the URL of a page may hold one.
    if fields.count("\n") != number or fields.count("\r") != number:
        raise ValueError(f"A field of a capture holds a line end: {fields[:500]!r}.")
