"""`armarium up`: everything on one machine."""

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import NoReturn, TypeVar

import structlog

from armarium.access.settings import AccessSettings
from armarium.accounts.service import NewLink
from armarium.core import clock
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.notify.model import Notification, Severity
from armarium.planning.collectors.service import Collectors
from armarium.processes import lifeline
from armarium.server.child import ChildSpec, Timing
from armarium.server.claim import Claim, claimed
from armarium.server.collecting import COMMAND as COLLECTOR
from armarium.server.collecting import collector_children
from armarium.server.forkserver import Forks, serve
from armarium.server.listening import listen
from armarium.server.runtime import Runtime, running
from armarium.server.services.base import BaseServices, base_services
from armarium.server.settings import ServerSettings
from armarium.server.supervised import Supervised
from armarium.server.supervisor import Supervisor
from armarium.settings import Settings
from armarium.settings.section import FILE, HOME
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings

log = structlog.get_logger(__name__)

PATIENCE = 300.0  # seconds that a message waits for the database
PAUSE = 1.0
T = TypeVar("T")


@dataclass(frozen=True)
class Crew:
    """Who is started besides the house's own processes, or in place of some: the demonstration's."""

    collector: tuple[str, ...] = COLLECTOR
    more: tuple[ChildSpec, ...] = ()
    lifeline: int | None = None  # descriptor of a line to hold; when its other end is gone, all ends


USUAL = Crew()
#: What the supervisor needs, and all others: imported before the first fork, it is in memory once. croniter,
#: behind the tasks, runs a program when it is imported; later the fork server would take that for its child.
SHARED = (
    "armarium.administration.upkeep",
    "armarium.notify.tasks",
    "armarium.planning.collectors.service",
    "armarium.server.schema",
    "armarium.tasks.app",
)


def children_of(settings: Settings, collectors: Collectors, crew: Crew = USUAL) -> list[ChildSpec]:
    # What was said on the command line holds for the children too.
    place = {HOME: str(settings.home), **({FILE: str(settings.file)} if settings.file else {})}
    workers = [f"worker-{number}" for number in range(1, settings[ServerSettings].workers + 1)]
    return [
        ChildSpec("web", ("web",), environment=place),
        # A process less, and whoever loses the lead has the others to follow.
        *(ChildSpec(name, ("worker", "--schedule"), environment=place) for name in workers),
        *([] if workers else [ChildSpec("scheduler", ("scheduler",), environment=place)]),
        *([ChildSpec("access", ("access",), environment=place)] if settings[ServerSettings].access else []),
        *collector_children(settings, place, collectors, crew.collector),
        *crew.more,
    ]


def check_ports(settings: Settings) -> None:
    """A taken port is better said now than by a child later."""
    staff, readers = settings[WebSettings], settings[AccessSettings]
    listen(staff.host, staff.port, setting="web.port").close()
    if settings[ServerSettings].access:
        listen(readers.host, readers.port, setting="access.port").close()


def run_up(settings: Settings, crew: Crew = USUAL) -> NoReturn:
    """Everything on this machine, until a signal comes; exits as its supervisor does."""
    for module in SHARED:
        import_module(module)
    serve(lambda server: supervise(settings, crew, Forks(server)))


def supervise(settings: Settings, crew: Crew, forks: Forks) -> None:
    if crew.lifeline is not None:
        lifeline.hold(crew.lifeline)
    # The claim first: to whoever starts twice, "already runs" says more than "the port is taken".
    with claimed(settings.home) as claim:
        check_ports(settings)
        with running(base_services, settings, Supervised(), "supervisor") as runtime, runtime.house.watch():
            up = Up(settings, runtime, claim, crew, forks)
            runtime.heartbeat.running()
            up.run()


class Up:
    def __init__(
        self, settings: Settings, runtime: Runtime[BaseServices], claim: Claim, crew: Crew, forks: Forks
    ) -> None:
        self.settings = settings
        self.crew = crew
        self.house = runtime.house
        self.heartbeat = runtime.heartbeat
        self.claim = claim
        self.forks = forks
        self._welcomed = threading.Event()

    def run(self) -> None:
        supervisor = Supervisor(
            children_of(self.settings, self.house.collectors, self.crew),
            claim=self.claim,
            on_ready=self.on_ready,
            on_crash=self.on_crash,
            timing=Timing(hung=self.settings[ServerSettings].hung_after_seconds),
            forks=self.forks,
        )
        supervisor.run()

    def on_ready(self, name: str, address: str) -> None:
        if name == "web" and not self._welcomed.is_set():
            self._welcomed.set()
            first = patiently(self.house.accounts.first_link)
            sys.stdout.write(welcome_text(self.settings, address, first))
            sys.stdout.flush()

    def on_crash(self, name: str, code: int, restarts: int) -> None:
        self.heartbeat.say(f"{name} ended with {code} at {clock.now():%Y-%m-%d %H:%M:%S} UTC; restarted.")
        notification = Notification(
            severity=Severity.ERROR,
            subject=message("Process %(name)s ended unexpectedly", name=name),
            text=message(
                "The process %(name)s ended with the code %(code)s and is being restarted. "
                "Restarts so far: %(restarts)s. The log of the process says more.",
                name=name,
                code=code,
                restarts=restarts,
            ),
            key=f"crash {name}",
        )
        patiently(lambda: self._notify(notification))

    def _notify(self, notification: Notification) -> None:
        with self.house.database.transaction() as connection:
            self.house.notifier.notify(connection, notification)


def patiently(call: Callable[[], T], *, patience: float = PATIENCE, pause: float = PAUSE) -> T:
    """What ended may be the database itself, which is back soon: whatever is to be said is said then."""
    until = time.monotonic() + patience
    while True:
        try:
            return call()
        except Unavailable:
            if time.monotonic() > until:
                raise
            time.sleep(pause)


def welcome_text(settings: Settings, address: str, first: NewLink | None) -> str:
    """What a newcomer sees when everything runs; the only place that ever prints a one-time link."""
    readers = settings[AccessSettings].reading if settings[ServerSettings].access else None
    lines = [
        "",
        "  Armarium is ready.",
        "",
        f"    Staff site   {address}",
        *([f"    Readers      {readers}"] if readers else []),
        f"    Data folder  {settings.home}",
    ]
    if first:
        link = f"{site_address(settings[WebSettings])}/welcome/{first.key}"
        lines += [
            "",
            "  Nobody can sign in yet. Make the first administrator with this one-time link",
        ]
        lines += [f"  (good until {first.expires_at:%Y-%m-%d %H:%M} UTC):", "", f"    {link}"]
    lines += ["", "  Stop with Ctrl-C.", "", ""]
    return "\n".join(lines)
