"""Clients that do not keep to the rules, and the one thing that the proxy must never do."""

import contextlib
import select
import socket
import ssl
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.access.proxy.connection import Patience
from armarium.access.proxy.server import Limits
from tests.integration.access.proxy.world import Proxied, proxied
from tests.integration.access.world import Page, world_of
from tests.site import wait_until

LONG = bytes(range(256)) * 80_000
PAGES = [
    Page("http://example.org/", "A page"),
    Page("http://example.org/film", LONG, type="video/mp4"),
    Page("https://secure.example/", "A safe page"),
]
QUICK = Patience(idle=1.5, head=1.5, body=1.5, handshake=1.5, sending=1.5)
OUTWARD = {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"}
GET = b"GET http://example.org/ HTTP/1.1\r\nHost: example.org\r\n\r\n"


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    folder: Path = tmp_path_factory.mktemp("hostile")
    limits = Limits(connections=30, per_address=20)
    with proxied(world_of(folder, PAGES), folder, limits=limits, patience=QUICK) as running:
        yield running


def _status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


def test_it_opens_no_connection_and_looks_up_no_name(proxy: Proxied) -> None:
    """Whatever is asked for: the audit events of Python's own socket module tell of every attempt."""
    attempts: list[str] = []
    clients = {threading.get_ident()}

    def heard(event: str, arguments: tuple[Any, ...]) -> None:
        if event in OUTWARD and threading.get_ident() not in clients:
            attempts.append(f"{event} {arguments!r}")

    sys.addaudithook(heard)
    with proxy.client() as client:
        for url in (
            "http://example.org/",
            "https://secure.example/",
            "http://127.0.0.1:1/",
            "https://127.0.0.1:8443/",
            "http://localhost/",
            "http://169.254.169.254/latest/meta-data/",
            "http://armarium.invalid/",
            "http://viewerproxy.invalid/getStatus",
        ):
            client.get(url)
    assert attempts == []


@pytest.mark.parametrize(
    ("said", "status"),
    [
        (b"GET ftp://example.org/ HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"nonsense\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 50 + b"\r\n\r\n", 400),
        (b"GET http://example.org/ HTTP/1.1\r\n\r\n", 400),
        (b"CONNECT example.org:25 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"CONNECT example.org:80 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"CONNECT example.org HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"CONNECT [::1:443 HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"GET http://example.org/ HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 200_000 + b"\r\n\r\n", 431),
        (b"GET http://example.org/" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", 400),
        (b"POST http://example.org/ HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400),
        (
            b"POST http://example.org/ HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            400,
        ),
        (b"POST http://example.org/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
        (b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 200),
    ],
)
def test_what_cannot_be_understood_is_answered_with_a_page_and_not_with_silence(
    proxy: Proxied, said: bytes, status: int
) -> None:
    assert _status(proxy.says(said)) == status


def test_a_body_that_is_too_large_is_not_read_to_its_end(proxy: Proxied) -> None:
    head = b"POST http://example.org/ HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999\r\n\r\n"
    with proxy.socket() as opened:
        opened.sendall(head)
        assert _hears_no_more(opened, b"x" * 65_536, pause=0, times=10_000)


def test_a_request_with_both_a_length_and_chunks_is_answered_once(proxy: Proxied) -> None:
    post = b"POST http://example.org/ HTTP/1.1\r\nHost: x\r\n"
    head = post + b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n"
    with proxy.socket() as opened:
        opened.sendall(head % (5 + len(GET)) + b"0\r\n\r\n")
        said = opened.recv(65_536)  # by the length, its body has not ended
        with contextlib.suppress(OSError):
            opened.sendall(GET)
            said += b"".join(iter(lambda: opened.recv(65_536), b""))
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1


def test_pipelined_requests_are_not_answered(proxy: Proxied) -> None:
    answer = proxy.says(GET + GET + GET)
    assert answer.count(b"HTTP/1.1 200") == 1
    assert b"Connection: close" in answer


def test_requests_can_follow_each_other_over_one_connection(proxy: Proxied) -> None:
    with proxy.socket() as opened:
        for _ in range(3):
            opened.sendall(GET)
            assert opened.recv(65_536).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"GET http://exam",
        b"POST http://example.org/ HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nx",
        b"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n\x16\x03\x01\x02\x00",
    ],
)
def test_whoever_falls_silent_is_left(proxy: Proxied, said: bytes) -> None:
    with proxy.socket() as opened:
        opened.sendall(said)
        started = time.monotonic()
        while opened.recv(65_536):
            pass
        assert time.monotonic() - started < 30


def test_a_slow_drip_of_headers_is_not_borne_for_ever(proxy: Proxied) -> None:
    with proxy.socket() as opened:
        opened.sendall(b"GET http://example.org/ HTTP/1.1\r\n")
        assert _hears_no_more(opened, b"a: b\r\n", pause=0.1, times=60)


def test_whoever_takes_nothing_of_a_long_answer_is_left_and_others_are_served(proxy: Proxied) -> None:
    with proxy.socket() as opened:
        opened.sendall(GET.replace(b"org/", b"org/film", 1))
        time.sleep(2.5)  # longer than the proxy's patience
        with proxy.client() as client:
            assert client.get("http://example.org/film").content == LONG
        taken = b""
        with contextlib.suppress(OSError):
            while piece := opened.recv(65_536):
                taken += piece
    assert b"200 OK" in taken
    assert len(taken) < len(LONG)


def test_plain_http_inside_a_tunnel_ends_it(proxy: Proxied) -> None:
    answer = proxy.says(b"CONNECT example.org:443 HTTP/1.1\r\nHost: x\r\n\r\n" + GET)
    assert answer.startswith(b"HTTP/1.1 200")
    assert b"A page" not in answer


def test_what_comes_with_the_request_for_a_tunnel_is_not_lost(proxy: Proxied) -> None:
    """A client in a hurry sends its first TLS message before it has heard that the tunnel stands."""
    trusting = ssl.create_default_context(cafile=str(proxy.trust))
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = trusting.wrap_bio(incoming, outgoing, server_hostname="secure.example")
    with pytest.raises(ssl.SSLWantReadError):
        tls.do_handshake()
    with proxy.socket() as opened:
        opened.sendall(b"CONNECT secure.example:443 HTTP/1.1\r\nHost: x\r\n\r\n" + outgoing.read())
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += opened.recv(65_536)
        incoming.write(answer.partition(b"\r\n\r\n")[2])
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                opened.sendall(outgoing.read())
                incoming.write(opened.recv(65_536))
    assert tls.version() in {"TLSv1.2", "TLSv1.3"}


def test_too_many_connections_are_refused_and_places_become_free_again(proxy: Proxied) -> None:
    held = [proxy.socket() for _ in range(40)]
    try:
        wait_until(lambda: _closed(held) >= 20)
        assert _closed(held) == 20  # the others, before the proxy's patience with them is over
    finally:
        for one in held:
            one.close()
    once = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    wait_until(lambda: _status(proxy.says(once)) == 200)


def _hears_no_more(opened: socket.socket, data: bytes, *, pause: float, times: int) -> bool:
    for _ in range(times):
        try:
            opened.sendall(data)
        except OSError:
            return True
        time.sleep(pause)
    return False


def _closed(opened: list[socket.socket]) -> int:
    """How many of them the proxy has closed: it has nothing else to say."""
    return len(select.select(opened, [], [], 0)[0])
