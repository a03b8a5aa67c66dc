"""What every process has around its work: supervision, logs, database, heartbeat, monitoring."""

import os
import socket
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Generic, Protocol, TypeVar

import structlog
from prometheus_client import CollectorRegistry

import armarium
from armarium import logs
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.db.database import Database
from armarium.db.migrate import is_current
from armarium.processes.heartbeat import Heartbeat
from armarium.processes.model import Check, Introduction
from armarium.processes.monitor import Monitor, registry_for
from armarium.processes.service import Processes
from armarium.processes.settings import MonitoringSettings, ProcessSettings
from armarium.server.supervised import Supervised
from armarium.settings import Settings
from armarium.settings.load import exposure_warning

log = structlog.get_logger(__name__)

FIRST_PAUSE = 1.0  # seconds between two attempts to reach the database; each further pause is twice as long
LONGEST_PAUSE = 30.0


class HasDatabase(Protocol):
    """The services of a process, all or some, as far as its runtime must know them."""

    @property
    def database(self) -> Database: ...


H = TypeVar("H", bound=HasDatabase)
H_co = TypeVar("H_co", bound=HasDatabase, covariant=True)


class OpenServices(Protocol[H_co]):
    """How a process opens the services that it needs."""

    def __call__(self, settings: Settings, *, application: str) -> AbstractContextManager[H_co]: ...


@dataclass(frozen=True)
class Runtime(Generic[H]):
    name: str
    house: H
    heartbeat: Heartbeat
    registry: CollectorRegistry
    checks: dict[str, Check]
    supervised: Supervised


def checks_of(house: HasDatabase) -> dict[str, Check]:
    def schema() -> None:
        if not is_current(house.database):
            raise Unavailable(message("The schema of the database is not that of this version."))

    return {"database": house.database.check, "schema": schema}


def _opened_patiently(
    opened: OpenServices[H], stack: ExitStack, settings: Settings, *, application: str
) -> H:
    """The services; a database that is away is waited for, as one that goes away later is."""
    pause = FIRST_PAUSE
    while True:
        try:
            return stack.enter_context(opened(settings, application=application))
        except Unavailable as error:
            log.warning("not started yet; trying again", pause_seconds=pause, reason=str(error))
            time.sleep(pause)
            pause = min(2 * pause, LONGEST_PAUSE)


@contextmanager
def running(
    opened: OpenServices[H],
    settings: Settings,
    supervised: Supervised,
    kind: str,
    *,
    address: str | None = None,
) -> Iterator[Runtime[H]]:
    """All that a process needs around its work. `address`: where it answers itself; None: a monitor does."""
    name = supervised.name or kind
    logs.configure(settings, process=name)
    if warning := exposure_warning(settings):
        log.warning("settings file shows secrets", reason=warning)
    with ExitStack() as stack:
        house = _opened_patiently(opened, stack, settings, application=f"armarium {name}")
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
        heartbeat = stack.enter_context(Heartbeat(Processes(house.database), introduction, settings.home))
        yield Runtime(name, house, heartbeat, registry, checks, supervised)
