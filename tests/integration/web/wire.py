"""Bytes on a socket, where httpx is too well-behaved."""

import socket
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.site import RunningSite

PATIENCE = 60.0


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: str
    rest: bytes  # what came after the first answer


def host_of(site: RunningSite) -> str:
    return urlsplit(site.address).netloc


def connect(site: RunningSite) -> socket.socket:
    parts = urlsplit(site.address)
    assert parts.hostname
    assert parts.port
    return socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE)


def exchange(site: RunningSite, *pieces: bytes) -> Answer:
    """Send these bytes, and read what comes until the server closes or falls silent."""
    with connect(site) as connection:
        with suppress(BrokenPipeError, ConnectionResetError):  # an answer may come before the end
            for piece in pieces:
                connection.sendall(piece)
        return read_answer(connection)


def read_answer(connection: socket.socket) -> Answer:
    received = b""
    with suppress(ConnectionResetError):
        while not _is_whole(received) and (piece := connection.recv(65_536)):
            received += piece
    assert received, "the server closed without a word"
    return _parsed(received)


def request(
    site: RunningSite,
    method: bytes,
    target: bytes,
    headers: Iterable[tuple[bytes, bytes]] = (),
    body: bytes = b"",
) -> Answer:
    """A request with any bytes in any place; Host and Content-Length are added when they are missing."""
    given = list(headers)
    names = {name.lower() for name, _ in given}
    if b"host" not in names:
        given.insert(0, (b"Host", host_of(site).encode()))
    if body and not names & {b"content-length", b"transfer-encoding"}:
        given.append((b"Content-Length", str(len(body)).encode()))
    head = b"".join(name + b": " + value + b"\r\n" for name, value in given)
    return exchange(
        site, method + b" " + target + b" HTTP/1.1\r\n" + head + b"Connection: close\r\n\r\n" + body
    )


def _split(received: bytes) -> tuple[bytes, dict[str, str], bytes] | None:
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        return None
    line, *fields = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)}
    return line.encode(), headers, body


def _is_whole(received: bytes) -> bool:
    parts = _split(received)
    if parts is None or "content-length" not in parts[1]:
        return False
    return len(parts[2]) >= int(parts[1]["content-length"])


def _parsed(received: bytes) -> Answer:
    parts = _split(received)
    assert parts, received[:200]
    line, headers, body = parts
    length = int(headers.get("content-length", len(body)))
    return Answer(int(line.split()[1]), headers, body[:length].decode("utf-8", "replace"), body[length:])
