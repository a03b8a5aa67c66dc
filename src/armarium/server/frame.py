"""The frame around every process: supervision, logs, database, heartbeat, monitoring."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta

import structlog
from prometheus_client import CollectorRegistry

import armarium
from armarium import logs
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.db.migrate import is_current
from armarium.processes.heartbeat import Heartbeat
from armarium.processes.metrics import registry_for
from armarium.processes.model import Introduction
from armarium.processes.monitor import Monitor
from armarium.processes.readiness import Check
from armarium.processes.settings import MonitoringSettings, ProcessSettings
from armarium.server.assembly import House, opened
from armarium.server.supervised import Supervised
from armarium.settings import Settings, exposure

log = structlog.get_logger(__name__)

FIRST_PAUSE = 1.0  # seconds between two attempts to reach the database; each further pause is twice as long
LONGEST_PAUSE = 30.0


@dataclass(frozen=True)
class Frame:
    name: str
    house: House
    heartbeat: Heartbeat
    registry: CollectorRegistry
    checks: dict[str, Check]
    supervised: Supervised


def checks_of(house: House) -> dict[str, Check]:
    def schema() -> None:
        if not is_current(house.database):
            raise Unavailable(message("The schema of the database is not that of this version."))

    return {"database": house.database.check, "schema": schema}


def _opened_patiently(stack: ExitStack, settings: Settings, *, application: str) -> House:
    """The house; a database that is away is waited for, as one that goes away later is."""
    pause = FIRST_PAUSE
    while True:
        try:
            return stack.enter_context(opened(settings, application=application))
        except Unavailable as error:
            log.warning("not started yet; trying again", pause_seconds=pause, reason=str(error))
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


@contextmanager
def framed(
    settings: Settings, supervised: Supervised, kind: str, *, address: str | None = None
) -> Iterator[Frame]:
    """All that a process needs around its work. `address`: where it answers itself; None: a monitor does."""
    name = supervised.name or kind
    logs.configure(settings, process=name)
    if warning := exposure.warning(settings):
        log.warning("settings file shows secrets", reason=warning)
    with ExitStack() as stack:
        house = _opened_patiently(stack, settings, application=f"armarium {name}")
        registry = registry_for(kind=kind, name=name, version=armarium.__version__)
        checks = checks_of(house)
        if address is None:
            monitor = Monitor(settings[MonitoringSettings], checks=checks, registry=registry)
            address = stack.enter_context(monitor).address
        introduction = Introduction(
            kind=kind,
            name=name,
            machine=socket.gethostname(),
            pid=os.getpid(),
            version=armarium.__version__,
            interval=timedelta(seconds=settings[ProcessSettings].heartbeat_seconds),
            restarts=supervised.restarts,
            monitoring=address,
        )
        heartbeat = stack.enter_context(Heartbeat(house.processes, introduction, settings.home))
        yield Frame(name, house, heartbeat, registry, checks, supervised)
