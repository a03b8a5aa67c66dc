"""Periodic tasks that look after the house itself."""

import threading
from datetime import timedelta
from types import TracebackType
from typing import Self

import structlog

from armarium.accounts.directory.service import DirectoryAccounts
from armarium.accounts.service import Accounts
from armarium.core.errors import ArmariumError, Unavailable
from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.processes.model import Process, ProcessState
from armarium.processes.service import Processes
from armarium.processes.settings import ProcessSettings
from armarium.settings import Settings
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

log = structlog.get_logger(__name__)


# --- Tells the operators when a disk fills up, before it is full and nothing can be written any more.


LITTLE = 10  # per cent of a disk
GIGABYTE = 1_000_000_000


def look_at_disks(context: TaskContext) -> None:
    """Tell the operators of machines with little room where the data folder is."""
    for process in short_of_room(context.service(Processes).current()):
        about, notifier = little_room(process), context.service(Notifier)
        with context.service(Database).transaction() as connection:
            if not notifier.is_quiet(connection, about.key):  # another look at the same disk is no repetition
                notifier.notify(connection, about)


def short_of_room(processes: list[Process]) -> list[Process]:
    """For each machine with little room, the process that last looked at its disk."""
    latest: dict[str, Process] = {}
    for process in processes:
        if process.disk_total and process.state not in {ProcessState.ENDED, ProcessState.SILENT}:
            known = latest.setdefault(process.machine, process)
            latest[process.machine] = max(known, process, key=lambda either: either.heartbeat)
    return [
        process
        for process in latest.values()
        if 100 * (process.disk_free or 0) < LITTLE * (process.disk_total or 0)
    ]


def little_room(process: Process) -> Notification:
    return Notification(
        severity=Severity.WARNING,
        subject=message("Disk of %(machine)s is almost full", machine=process.machine),
        text=message(
            "On %(machine)s, the disk with the data folder has %(free)s of %(total)s GB free. When "
            "it is full, Armarium can no longer write. Free some space, or move the data folder to a "
            "larger disk.",
            machine=process.machine,
            free=f"{(process.disk_free or 0) / GIGABYTE:.1f}",
            total=f"{(process.disk_total or 0) / GIGABYTE:.1f}",
        ),
        key=f"disk {process.machine}",
    )


# --- Watches over the processes, and tells the operators of one that fell silent.
#
# Not a task: it lives in the scheduler, because a worker that hangs can neither report itself nor carry the
# notification. The line in the log is written here and at once; the channels follow when a worker is back.


WATCH_SECONDS = 10.0
PATIENCE = 2.0  # seconds that ending may take: the database may be away


class Watch:
    """Looks every few seconds, in a thread, until the end of the `with` block; several may at once."""

    def __init__(
        self, database: Database, processes: Processes, notifier: Notifier, *, every: float = WATCH_SECONDS
    ) -> None:
        self._database = database
        self._processes = processes
        self._notifier = notifier
        self._every = every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(PATIENCE)

    def _watch(self) -> None:
        while not self._over.wait(self._every):
            try:
                self.look()
            except ArmariumError as error:
                log.debug("cannot watch over the processes now", reason=str(error))  # others say so loudly
            except Exception:
                # The outermost loop of this thread: whoever watches over others must not end unnoticed.
                log.exception("watching over the processes failed unexpectedly")

    def look(self) -> None:
        for process in self._processes.newly_silent():
            log.error(
                "process is silent",
                process=process.name,
                machine=process.machine,
                process_pid=process.pid,
                last_heard=process.heartbeat,
            )
            with self._database.transaction() as connection:
                self._notifier.notify(connection, silence_of(process))


def silence_of(process: Process) -> Notification:
    return Notification(
        severity=Severity.ERROR,
        subject=message(
            "Process %(name)s on %(machine)s is silent", name=process.name, machine=process.machine
        ),
        text=message(
            "The last heartbeat of process %(name)s (pid %(pid)s) on %(machine)s was at %(moment)s "
            "UTC. Check its log, and restart it if it does not recover.",
            name=process.name,
            pid=process.pid,
            machine=process.machine,
            moment=process.heartbeat.strftime("%Y-%m-%d %H:%M:%S"),
        ),
        key=f"silent {process.machine} {process.name}",
    )


# --- The tasks.


def clear(context: TaskContext) -> None:
    """Clear away expired sessions, links and sign-in failures, and processes that ended long ago."""
    cleared = context.service(Accounts).forget_expired()
    days = context.service(Settings)[ProcessSettings].keep_days
    forgotten = context.service(Processes).forget(timedelta(days=days))
    log.info("expired things cleared away", access=cleared, processes=forgotten)


def review(context: TaskContext) -> None:
    """Let those go whom the directory no longer has."""
    try:
        gone = context.service(DirectoryAccounts).review()
    except Unavailable as away:  # whoever signs in is told; in an hour it is asked again
        log.warning("directory cannot be asked about those who are signed in", reason=str(away))
        return
    log.info("directory asked about those who are signed in", gone=[account.name for account in gone])


TASKS = (
    TaskKind("administration.clear", clear, retry=NEVER_AGAIN, priority=-5, cron="23 * * * *"),
    TaskKind("administration.directory", review, retry=NEVER_AGAIN, cron="41 * * * *"),
    TaskKind("administration.disks", look_at_disks, retry=NEVER_AGAIN, priority=5, cron="*/10 * * * *"),
)
