"""Connections for archived pages: as quick as httptools, and no less careful."""

import asyncio
import socket
import threading
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from armarium.server import connections
from armarium.server.serving import configuration
from tests.site import wait_until


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        return
    body = scope["raw_path"] + b"?" + scope["query_string"]
    await send(
        {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]}
    )
    await send({"type": "http.response.body", "body": body})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(configuration(echo, (), swift=True))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        yield listening.getsockname()[1]
        server.should_exit = True
        thread.join(60)


def asked(port: int, *pieces: bytes) -> bytes:
    """What is answered until the server hangs up. Hanging up first would cut off what it has not read yet."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
        try:
            for piece in pieces:
                wire.sendall(piece)
            return b"".join(iter(lambda: wire.recv(65536), b""))
        except (BrokenPipeError, ConnectionResetError):
            return wire.recv(65536)


@pytest.mark.parametrize(
    "path",
    [
        "/all/20200101000000mp_/http://example.org/a?b=1&c=%7B",
        "/all/*/http://example.org/",
        "/all/2020mp_/http://example.org//x//y/../z;p=1",
        '/all/2020mp_/http://example.org/?q={"a":[1]}|^`',
        "/all/2020mp_/https://user:pass@example.org:8080/%E9t%C3%A9",
        "/" + "x" * 30_000,
    ],
)
def test_addresses_inside_addresses_come_through_as_they_are(port: int, path: str) -> None:
    answer = asked(port, f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode())
    expected = path if "?" in path else f"{path}?"
    assert answer.endswith(b"\r\n\r\n" + expected.encode())


def test_headers_without_end_are_refused_under_a_policy(port: int) -> None:
    line = b"X-Long: " + b"x" * 1000 + b"\r\n"
    # The last one is too much: what the server left unread would take the answer away with the connection.
    answer = asked(
        port, b"GET / HTTP/1.1\r\nHost: a\r\n", *([line] * (connections.LONGEST_HEADERS // len(line) + 1))
    )
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b"Content-Security-Policy: default-src 'none'" in answer


def test_what_is_no_http_is_refused(port: int) -> None:
    assert asked(port, b"hello\r\n\r\n").startswith(b"HTTP/1.1 400 ")


def test_several_requests_come_over_one_connection(port: int) -> None:
    one = b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n"
    last = b"GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    answer = asked(port, one % 1, one % 2, last)
    assert answer.count(b"HTTP/1.1 200 OK") == 3


def test_a_request_that_says_in_two_ways_where_it_ends_gets_one_answer(port: int) -> None:
    body = b"0\r\n\r\nGET /second HTTP/1.1\r\nHost: a\r\n\r\n"
    head = b"POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n"
    said = asked(port, head % len(body) + body)
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1
