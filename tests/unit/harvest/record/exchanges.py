"""Exchanges as the fetcher makes them, without a network."""

from datetime import UTC, datetime
from pathlib import Path

from armarium.formats.http import parse_response
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.fetch.exchange import Exchange, TlsFacts, Wire

STARTED = datetime(2026, 11, 15, 7, 30, 1, 234567, tzinfo=UTC)
URL = "http://example.org/page"
REQUEST = b"GET /page HTTP/1.1\r\nHost: example.org\r\nUser-Agent: test\r\n\r\n"


def message(body: bytes, *, status: str = "200 OK", fields: str = "Content-Type: text/html\r\n") -> bytes:
    head = f"HTTP/1.1 {status}\r\n{fields}Content-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


def chunked(*chunks: bytes) -> bytes:
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head + b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b""))


def exchange(
    folder: Path,
    received: bytes,
    *,
    url: str = URL,
    request: bytes = REQUEST,
    started: datetime = STARTED,
    tls: TlsFacts | None = None,
    truncated: Truncation | None = None,
) -> Exchange:
    wire = Wire(folder)
    wire.add(received)
    head = parse_response(received)
    wire.head_length = head.length
    return Exchange(
        url=url,
        status=head.status or 0,
        started=started,
        response=wire,
        duration=0.0123,
        address="192.0.2.7",
        port=80,
        request=request,
        head=head,
        tls=tls,
        truncated=truncated,
    )
