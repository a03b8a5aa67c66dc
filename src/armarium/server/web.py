"""`armarium web`: the staff site and API."""

import asyncio
import signal
import socket
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager

import structlog
import uvicorn
import uvloop
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from armarium.administration.overview import overview
from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.environment import PRODUCTION
from armarium.db.settings import DatabaseSettings
from armarium.planning.jobs.metrics import JobCounts
from armarium.processes.readiness import Check
from armarium.server.assembly import SITE_SECTIONS, TEMPLATE_PACKAGES, House
from armarium.server.doors import guarded, raise_file_limit
from armarium.server.frame import Frame, framed
from armarium.server.supervised import Supervised
from armarium.settings import Settings
from armarium.tasks.metrics import TaskCounts
from armarium.web.addresses import site_address
from armarium.web.app import Site, build
from armarium.web.settings import WebSettings

log = structlog.get_logger(__name__)

LONGEST_HEADERS = 65_536  # bytes
DRAIN_SECONDS = 5  # for requests that are under way when the process is asked to end


def run_web(settings: Settings, supervised: Supervised) -> None:
    raise_file_limit()
    chosen = settings[WebSettings]
    listening = listen(chosen)
    with listening, framed(settings, supervised, "web", address=site_address(chosen)) as frame:
        app = application(frame.house, frame.registry, frame.checks)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(app, listening, frame, chosen))


def application(house: House, registry: CollectorRegistry, checks: Mapping[str, Check]) -> FastAPI:
    registry.register(TaskCounts(house.database))
    registry.register(JobCounts(house.database))
    chosen = house.settings[DatabaseSettings].environment
    site = Site(
        settings=house.settings[WebSettings],
        services=Services(house.services()),
        sections=SITE_SECTIONS,
        template_packages=TEMPLATE_PACKAGES,
        overview=overview,
        checks=checks,
        registry=registry,
        database_url=house.database.url,
        environment="" if chosen == PRODUCTION else chosen,
    )
    return build(site)


def listen(settings: WebSettings) -> socket.socket:
    """Take the port first of all: if it is taken, say so before anything else is started."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    # The protocol is named because asyncio switches Nagle's delay off only for sockets that say TCP: without,
    # every answer takes 40 ms longer.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((settings.host, settings.port))
    except OSError as error:
        listening.close()
        raise Misconfigured(
            message(
                "The site cannot listen on %(host)s port %(port)s: %(reason)s. Stop the program that "
                "uses the port, or choose another one: web.port in the settings, or ARMARIUM_WEB_PORT=8080.",
                host=settings.host,
                port=settings.port,
                reason=error.strerror or str(error),
            )
        ) from error
    return listening


def configuration(app: FastAPI, settings: WebSettings) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        # Not httptools: uvicorn bounds the headers of a request only with h11, and a request whose headers
        # never end would take the machine's memory.
        http=guarded(settings.trusted_proxies),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=settings.trusted_proxies or None,
        timeout_graceful_shutdown=DRAIN_SECONDS,
        h11_max_incomplete_event_size=LONGEST_HEADERS,
    )


async def serve(app: FastAPI, listening: socket.socket, frame: Frame, settings: WebSettings) -> None:
    server = StoppableServer(configuration(app, settings))
    drain = server.drainer(app, frame)
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, drain)
    await server.serve(sockets=[listening])


class StoppableServer(uvicorn.Server):
    """uvicorn, with our own signals: open streams of events must end, or it would wait for them."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """uvicorn's handlers would take the place of ours."""
        yield

    def drainer(self, app: FastAPI, frame: Frame) -> Callable[[], None]:
        def drain() -> None:
            log.info("draining")
            frame.heartbeat.draining()
            app.state.hub.close()
            self.should_exit = True

        self._frame = frame
        return drain

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            address = site_address(self._frame.house.settings[WebSettings])
            self._frame.heartbeat.running()
            self._frame.supervised.ready(address)
            log.info("listening", address=address)
