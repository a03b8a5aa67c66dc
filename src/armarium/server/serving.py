"""Serving an application on a socket until the process is asked to end."""

import asyncio
import signal
import socket
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import structlog
import uvicorn
from starlette.types import ASGIApp

from armarium.server.doors import LONGEST_HEADERS, guarded
from armarium.server.memory import keep_loaded

log = structlog.get_logger(__name__)

DRAIN_SECONDS = 5  # for requests that are under way when the process is asked to end


def configuration(app: ASGIApp, proxies: Sequence[str], *, swift: bool = False) -> uvicorn.Config:
    return uvicorn.Config(
        app,
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
        log.info("draining")
        drain()
        server.should_exit = True

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
