"""Serving an application on a socket until the process is asked to end."""

import asyncio
import signal
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import structlog
import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from armarium.server.connections import LONGEST_HEADERS, guarded
from armarium.server.memory import keep_loaded

log = structlog.get_logger(__name__)

DRAIN_SECONDS = 5  # for requests that are under way when the process is asked to end


def configuration(app: ASGIApp, proxies: Sequence[str], *, swift: bool = False) -> uvicorn.Config:
    return uvicorn.Config(
        PlainCookies(Farewell(app)),
        http=guarded(proxies, swift=swift),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(proxies),
        forwarded_allow_ips=list(proxies) or None,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        h11_max_incomplete_event_size=LONGEST_HEADERS,
    )


class PlainCookies:
    """Cookies without backslashes, of which ours have none.

    Python's reader of quoted ones (before 3.11.10 and 3.12.6) takes ten seconds for 64 kB of them.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        fields = scope.get("headers", ())
        if any(name == b"cookie" and b"\\" in value for name, value in fields):
            plain = [
                (name, value.replace(b"\\", b"") if name == b"cookie" else value) for name, value in fields
            ]
            scope = {**scope, "headers": plain}
        await self.app(scope, receive, send)


class Farewell:
    """Whoever still waits when the process has to end is told to come again.

    uvicorn would say 500, and call it a fault of ours.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def note(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, note)
        except asyncio.CancelledError:
            if begun or scope["type"] != "http":
                raise
            log.warning("not answered before the end", method=scope["method"])
            await COME_AGAIN(scope, receive, send)


COME_AGAIN = PlainTextResponse(
    "Armarium is being restarted. Try again in a moment.\n", 503, {"Retry-After": "5", "Connection": "close"}
)


async def serve(
    app: ASGIApp,
    listening: socket.socket,
    *,
    proxies: Sequence[str],
    ready: Callable[[], None],
    drain: Callable[[], None],
    swift: bool = False,
) -> None:
    """`ready` is called when requests are answered, `drain` when the process is asked to end. `swift`: many
    small requests, see `SwiftConnection`."""
    server = StoppableServer(configuration(app, proxies, swift=swift), ready)

    def stop() -> None:
        server.should_exit = True  # first: a log that nobody reads any more may raise
        drain()
        log.info("draining")

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop)
    await server.serve(sockets=[listening])


class StoppableServer(uvicorn.Server):
    """uvicorn, with our own signals: open streams of events must end, or it would wait for them."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """uvicorn's handlers would take the place of ours."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            keep_loaded()
            self._ready()
