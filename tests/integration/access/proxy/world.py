"""The real proxy on a free port of the loopback, over captures that the test has written."""

import asyncio
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from armarium.access.model import Reader
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.commands import Recordings
from armarium.access.proxy.connection import Patience
from armarium.access.proxy.identity import Words
from armarium.access.proxy.server import Limits, Proxy
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import Caller, Guest
from tests.integration.access.world import World
from tests.sites.serving import loop_in_a_thread

PATIENCE = 60.0


class Strangers:
    """Nobody is known by their address."""

    def of(self, asking: Caller) -> Guest:
        return Guest(Reader())


class OneWord:
    """Written with care: the house's own words have tests with the house."""

    def guest(self, user: str, word: str, address: str) -> Guest | None:
        return Guest(Reader(account=7), "Lea Librarian") if word == "right" else None


@dataclass(frozen=True)
class Proxied:
    port: int
    authority: Authority
    trust: Path  # the authority's certificate in a file

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self, user: str = "", word: str = "") -> httpx.Client:
        """A client that uses the proxy for everything and trusts its authority alone."""
        credentials = (user, word) if user or word else None
        return httpx.Client(
            proxy=httpx.Proxy(self.address, auth=credentials),
            verify=ssl.create_default_context(cafile=str(self.trust)),
            timeout=PATIENCE,
        )

    def socket(self) -> socket.socket:
        """For those who do not keep to the rules."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def says(self, data: bytes) -> bytes:
        """Send this, and read until the proxy hangs up."""
        with self.socket() as opened:
            opened.sendall(data)
            opened.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: opened.recv(65536), b""))


@contextmanager
def proxied(
    world: World,
    folder: Path,
    *,
    words: Words | None = None,
    recordings: Recordings | None = None,
    limits: Limits | None = None,
    patience: Patience | None = None,
) -> Iterator[Proxied]:
    proxy = Proxy(
        world.site,
        Replay(world.site),
        Authority.fresh(),
        words=words,
        recordings=recordings,
        limits=limits,
        patience=patience,
    )
    with serving(proxy, folder) as running:
        yield running


@contextmanager
def serving(proxy: Proxy, folder: Path) -> Iterator[Proxied]:
    trust = folder / "authority.pem"
    trust.write_bytes(proxy.authority.pem)
    listening = socket.create_server(("127.0.0.1", 0))

    async def begin() -> asyncio.Task[None]:
        return asyncio.create_task(proxy.serve(listening))

    async def end(task: asyncio.Task[None]) -> None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    with loop_in_a_thread() as run:
        task = run(begin())
        yield Proxied(listening.getsockname()[1], proxy.authority, trust)
        run(end(task))
