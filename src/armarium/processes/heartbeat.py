"""The thread that says, every few seconds, that this process is alive."""

import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil
import structlog

from armarium.core.errors import ArmariumError
from armarium.processes.model import Introduction, ProcessState, Pulse, storable_message
from armarium.processes.service import Processes

log = structlog.get_logger(__name__)

PATIENCE = 2.0  # seconds that leaving may take: the database may be away, and the process wants to end


class Heartbeat:
    """Registers the process, beats, and says goodbye at the end of the `with` block.

    The database may be away at any moment, also at the first: the thread then tries again at the next beat.
    """

    def __init__(self, processes: Processes, introduction: Introduction, home: Path) -> None:
        self._processes = processes
        self._introduction = introduction
        self._home = home
        self._identity: int | None = None
        self._state = ProcessState.STARTING
        self._message = ""
        self._away = False  # the database, at the last beat
        self._soon = threading.Event()  # beat now, do not wait for the next turn
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._live, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None and not isinstance(error, SystemExit | KeyboardInterrupt):
            self._message = str(error)
        self._over.set()
        self._soon.set()
        self._thread.join(PATIENCE)

    def say(self, message: str) -> None:
        """Replace the message; the next beat carries it."""
        self._message = message

    def running(self, message: str = "") -> None:
        self._become(ProcessState.RUNNING, message)

    def draining(self, message: str = "") -> None:
        self._become(ProcessState.DRAINING, message)

    def _become(self, state: ProcessState, message: str) -> None:
        self._state = state
        self._message = message
        self._soon.set()

    def _live(self) -> None:
        while not self._over.is_set():
            self._guarded(self._beat)
            self._soon.wait(self._introduction.interval.total_seconds())
            self._soon.clear()
        self._guarded(self._leave)

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except ArmariumError as error:
            self._note_away(str(error))
        except Exception as error:
            # The outermost loop of this thread: a process that lives must not be taken for dead.
            log.exception("heartbeat failed unexpectedly")
            self._note_away(str(error))
        else:
            if self._away:
                self._away = False
                log.info("heartbeat goes on")

    def _note_away(self, reason: str) -> None:
        if not self._away:  # once, not every five seconds
            self._away = True
            log.warning("heartbeat cannot be written; trying again at every beat", reason=reason)

    def _beat(self) -> None:
        if self._identity is None:
            self._identity = self._processes.register(self._introduction)
        if not self._processes.beat(self._identity, self._pulse()):
            self._identity = None
            self._soon.set()

    def _leave(self) -> None:
        if self._identity is not None:
            self._processes.leave(self._identity, storable_message(self._message))

    def _pulse(self) -> Pulse:
        free, total = disk_of(self._home)
        return Pulse(
            state=self._state,
            message=storable_message(self._message),
            memory=psutil.Process().memory_info().rss,
            disk_free=free,
            disk_total=total,
        )


def disk_of(folder: Path) -> tuple[int | None, int | None]:
    """Free and total bytes where the folder is; nothing if the disk does not answer."""
    try:
        usage = shutil.disk_usage(folder)
    except OSError:
        return None, None
    return usage.free, usage.total
