"""`armarium web`: the staff site and API."""

import asyncio
import socket
from collections.abc import Mapping

import structlog
import uvloop
from fastapi import FastAPI
from prometheus_client import CollectorRegistry

from armarium.db.environment import PRODUCTION
from armarium.db.settings import DatabaseSettings
from armarium.planning.leasing.queries import counts_by_channel
from armarium.processes.model import Check
from armarium.selection.exchange.api import import_bodies
from armarium.selection.settings import SelectionSettings
from armarium.server.assembly import House, opened
from armarium.server.connections import raise_file_limit
from armarium.server.listening import content_hosts, listen
from armarium.server.runtime import Runtime, running
from armarium.server.serving import serve
from armarium.server.site_sections import SITE_SECTIONS, TEMPLATE_PACKAGES
from armarium.server.supervised import Supervised
from armarium.settings import Settings
from armarium.tasks.metrics import Counts, task_counts
from armarium.web.addresses import site_address
from armarium.web.app import Site, build
from armarium.web.settings import WebSettings

log = structlog.get_logger(__name__)


def run_web(settings: Settings, supervised: Supervised) -> None:
    raise_file_limit()
    chosen = settings[WebSettings]
    listening = listen(chosen.host, chosen.port, setting="web.port")
    with listening, running(opened, settings, supervised, "web", address=site_address(chosen)) as runtime:
        app = application(runtime.house, runtime.registry, runtime.checks)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(app, listening, runtime, chosen))


async def _serve(
    app: FastAPI, listening: socket.socket, runtime: Runtime[House], settings: WebSettings
) -> None:
    address = site_address(settings)

    def drain() -> None:
        runtime.heartbeat.draining()
        app.state.hub.close()

    def ready() -> None:
        runtime.heartbeat.running()
        runtime.supervised.ready(address)
        log.info("listening", address=address)

    await serve(app, listening, proxies=settings.trusted_proxies, ready=ready, drain=drain)


def application(house: House, registry: CollectorRegistry, checks: Mapping[str, Check]) -> FastAPI:
    registry.register(task_counts(house.database))
    jobs = "Jobs by channel and state: waiting, or running on a collector."
    registry.register(Counts(house.database, "armarium_jobs", jobs, ["channel", "state"], counts_by_channel))
    chosen = house.settings[DatabaseSettings].environment
    site = Site(
        settings=house.settings[WebSettings],
        services=house.services(),
        sections=SITE_SECTIONS,
        template_packages=TEMPLATE_PACKAGES,
        checks=checks,
        registry=registry,
        database_url=house.database.url,
        environment="" if chosen == PRODUCTION else chosen,
        other_hosts=content_hosts(house.settings),
        bodies=import_bodies(house.settings[SelectionSettings]),
    )
    return build(site)
