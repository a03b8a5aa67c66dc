"""Serves a web that was built, until SIGTERM."""

import asyncio
import json
import mmap
import os
import signal
import socket
import ssl
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from http import HTTPStatus
from pathlib import Path
from typing import cast

import uvloop

from bench.testweb.model import Entry
from bench.testweb.names import Names
from bench.testweb.requests import accepts_gzip, canonical, closes, host_of, is_fresh, trap_page, unchunked
from bench.testweb.web import Web

LONGEST_HEAD = 65_536
HANG_SECONDS = 120
OUTSIDE = (
    b"<html><head><title>Outside</title></head><body><p>Out of scope.</p>"
    b'<a href="/more/%d.html">more</a></body></html>'
)
STATUSES = (200, 301, 302, 304, 307, 308, 400, 403, 404, 405, 410, 500)
Paths = dict[bytes, Entry]


class Served:
    """What all connections share."""

    def __init__(self, folder: Path, log: Path | None, latency: float) -> None:
        self.web = Web.read(folder)
        index = json.loads((folder / "index.json").read_text())
        with (folder / "blob.bin").open("rb") as file:
            self.blob = memoryview(mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ))
        self.hosts: dict[bytes, tuple[str, Paths | None]] = {}  # as a Host header names them
        for host in range(self.web.requisites + 1):
            label = self.web.authority(host)
            found = index.get(label)
            paths = {path.encode(): Entry(*entry) for path, entry in found.items()} if found else None
            for name in (self.web.address(host), self.web.name(host)):
                for form in (name, f"{name}:{self.web.parameters.port}"):
                    self.hosts[form.encode()] = (label, paths)
        self.latency = latency / 1000
        self.log = log.open("w") if log else None
        self.lines: list[str] = []
        self.begun = time.time()
        self.requests = self.sent = self.connections = self.open = 0
        self.prefixes: dict[int, bytes] = {}
        self.tick()

    def tick(self) -> None:
        """Once a second: a new Date header, and the log goes to disk."""
        date = formatdate(usegmt=True)
        for status in STATUSES:
            line = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nDate: {date}\r\n"
            self.prefixes[status] = line.encode()
        self.flush()

    def flush(self) -> None:
        if self.log and self.lines:
            lines, self.lines = self.lines, []
            self.log.write("".join(lines))
            self.log.flush()

    def forget(self) -> None:
        if self.log:
            self.log.seek(0)
            self.log.truncate()
        self.requests = self.sent = self.connections = 0
        self.begun = time.time()

    def figures(self) -> dict[str, float]:
        return {
            "uptime": round(time.time() - self.begun, 3),
            "requests": self.requests,
            "bytes": self.sent,
            "connections": self.connections,
            "open": self.open,
        }


@dataclass(frozen=True)
class Asked:
    request: bytes
    method: bytes
    target: bytes
    version: bytes
    label: str  # the host, as the log names it
    close: bool


class Connection(asyncio.Protocol):
    def __init__(self, served: Served, loop: asyncio.AbstractEventLoop) -> None:
        self.served = served
        self.loop = loop
        self.transport: asyncio.Transport | None = None
        self.buffer = b""
        self.busy = False
        self.number = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's is one without saying so
        self.served.connections += 1
        self.served.open += 1
        self.number = self.served.connections

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (asyncio gives it)
        self.served.open -= 1
        self.transport = None

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        while not self.busy and self.transport is not None and not self.transport.is_closing():
            end = self.buffer.find(b"\r\n\r\n")
            if end < 0:
                if len(self.buffer) > LONGEST_HEAD:
                    self.transport.abort()
                return
            request, self.buffer = self.buffer[: end + 2], self.buffer[end + 4 :]
            if self.served.latency:
                self._later(self.served.latency, lambda request=request: self._answer(request))  # type: ignore[misc]
            else:
                self._answer(request)

    def _later(self, seconds: float, then: Callable[[], None]) -> None:
        """Requests that arrive meanwhile wait for their turn."""
        self.busy = True

        def resume() -> None:
            self.busy = False
            if self.transport is not None:
                then()
                self.data_received(b"")

        self.loop.call_later(seconds, resume)

    def _answer(self, request: bytes) -> None:
        try:
            method, target, version = request[: request.index(b"\r\n")].split(b" ", 2)
        except ValueError:
            return self._say(400, b"", Asked(request, b"", b"?", b"", "?", close=True))
        host = host_of(request)
        if target[:7].lower() == b"http://":  # sent to us as to a proxy
            host, slash, target = target[7:].partition(b"/")
            target = slash + target or b"/"
        known = self.served.hosts.get(host) or self.served.hosts.get(host.lower()) or self._by_address()
        if known is None:
            return self._control(target)
        label, paths = known
        asked = Asked(request, method, target.partition(b"#")[0], version, label, closes(request, version))
        if method not in (b"GET", b"HEAD"):
            return self._say(405, b"", Asked(request, method, target, version, label, close=True))
        if paths is None:
            return self._say(200, OUTSIDE % (len(asked.target) * 7), asked)
        entry = paths.get(asked.target) or paths.get(canonical(asked.target))
        if entry is None:
            page = trap_page(asked.target)
            return self._say(200 if page else 404, page or b"<h1>Not found</h1>", asked)
        if entry.delay:
            return self._later(entry.delay / 1000, lambda: self._send(asked, entry))
        return self._send(asked, entry)

    def _by_address(self) -> tuple[str, Paths | None] | None:
        """The site at the address to which a request with an unknown name came."""
        assert self.transport is not None
        return self.served.hosts.get(self.transport.get_extra_info("sockname")[0].encode())

    def _send(self, asked: Asked, entry: Entry) -> None:
        assert self.transport is not None
        served, request, close = self.served, asked.request, asked.close
        if entry.etag and b"\r\nIf-" in request and is_fresh(request, entry):
            return self._finish(304, b"ETag: " + entry.etag.encode() + b"\r\n\r\n", asked, close=close)
        offset, head, length = entry.offset, entry.head, entry.length
        if entry.gzip_offset >= 0 and b"gzip" in request and accepts_gzip(request):
            offset, head, length = entry.gzip_offset, entry.gzip_head, entry.gzip_length
        if entry.special == "hang":
            served.requests += 1
            self.busy = True
            self.loop.call_later(HANG_SECONDS, self.transport.abort)
            return None
        if entry.special == "reset":
            self._finish(200, served.blob[offset : offset + length // 2], asked, close=False)
            self.loop.call_later(0.05, self.transport.abort)
            return None
        body: memoryview | bytes = served.blob[offset : offset + length]
        if asked.method == b"HEAD":
            body = served.blob[offset : offset + head]
        elif asked.version == b"HTTP/1.0" and b"chunked" in bytes(served.blob[offset : offset + head]):
            body, close = unchunked(bytes(body), head), True
        close = close or entry.special in ("truncated", "closedelimited")
        return self._finish(entry.status, body, asked, close=close)

    def _say(self, status: int, body: bytes, asked: Asked) -> None:
        head = b"Server: testweb\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body)
        self._finish(status, head + body, asked, close=asked.close)

    def _finish(self, status: int, rest: bytes | memoryview, asked: Asked, *, close: bool) -> None:
        assert self.transport is not None
        served = self.served
        self.transport.writelines(
            (served.prefixes[status] + (b"Connection: close\r\n" if close else b""), rest)
        )
        served.requests += 1
        served.sent += len(rest)
        if served.log:
            target = asked.target.decode("latin-1")
            facts = (f"{time.time():.6f}", self.number, asked.label, target, status, len(rest))
            served.lines.append("\t".join(map(str, facts)) + "\n")
        if close:
            self.transport.close()

    def _control(self, target: bytes) -> None:
        """127.0.0.1 itself: /stats, /flush, /reset."""
        assert self.transport is not None
        self.served.flush()
        body = json.dumps(self.served.figures()).encode()
        if target == b"/reset":
            self.served.forget()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        self.transport.write(head % len(body) + body)


@dataclass(frozen=True)
class Serving:
    folder: Path
    log: Path | None = None
    latency: float = 0.0  # milliseconds
    dns: str = ""
    workers: int = 1
    certificate: str | None = None
    key: str | None = None
    quiet: bool = False


def serve(wanted: Serving) -> None:
    log, first = wanted.log, True
    for number in range(1, wanted.workers):
        if os.fork() == 0:
            first, log = False, Path(f"{log}.{number}") if log else None
            break
    served = Served(wanted.folder, log, wanted.latency)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_serve(served, wanted, first=first))
    served.flush()
    if not wanted.quiet:
        sys.stderr.write(json.dumps(served.figures()) + "\n")


async def _serve(served: Served, wanted: Serving, *, first: bool) -> None:
    loop, web, over = asyncio.get_running_loop(), served.web, asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    secure = None
    if web.parameters.scheme == "https":
        secure = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        secure.load_cert_chain(wanted.certificate or "", wanted.key)
    listening = _listening(web.parameters.port, several=wanted.workers > 1)
    await loop.create_server(lambda: Connection(served, loop), sock=listening, backlog=4096, ssl=secure)
    if wanted.dns and first:
        host, _, port = wanted.dns.rpartition(":")
        await loop.create_datagram_endpoint(lambda: Names(web), local_addr=(host, int(port)))
    if first and not wanted.quiet:
        sys.stdout.write(f"serving {web.sites} sites, for example {web.origin(0)}/\n")
        sys.stdout.flush()
    while not over.is_set():
        served.tick()
        try:
            await asyncio.wait_for(over.wait(), 1)
        except TimeoutError:
            continue


def _listening(port: int, *, several: bool) -> socket.socket:
    """On all of 127/8, and on nothing else."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if several:  # only then: two servers must not share a port unawares
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"lo")
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    listening.bind(("0.0.0.0", port))  # noqa: S104  (of the device lo)
    return listening
