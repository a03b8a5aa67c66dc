"""The engine, as the collector holds it: a process in a session of its own, tied by a line."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

from armarium.collector.job_folder import JobFolder, Moment
from armarium.harvest.folder import CrawlFolder
from armarium.settings.section import FOR_TESTS, PREFIX

MODULE = "armarium.collector.engine"  # that crawls; the demonstration has one of its own
REFUSED = 65  # sysexits.h, EX_DATAERR: the order cannot be crawled; the last line of the log says why
TRY_AGAIN = 75  # EX_TEMPFAIL
LONGEST_REASON = 2000  # bytes of the end of its log


def paused_file(folder: CrawlFolder) -> Path:
    """It is there while people want the crawl to be paused."""
    return folder.state / "paused"


class EngineProcess:
    """One life of the engine of a job."""

    def __init__(self, process: asyncio.subprocess.Process, log: Path) -> None:
        self._process = process
        self._log = log

    @classmethod
    async def start(
        cls, folder: JobFolder, processes: int, until: Moment, module: str = MODULE
    ) -> "EngineProcess":
        with folder.engine_log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                module,
                str(folder.root),
                str(processes),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=log,
                env=_environment(),
                start_new_session=True,  # its members can be killed with it
            )
        engine = cls(process, folder.engine_log)
        engine.extend(until)
        return engine

    @property
    def pid(self) -> int:
        return self._process.pid

    def extend(self, until: Moment) -> None:
        """Tell until when the lease holds now."""
        assert self._process.stdin is not None
        with suppress(ConnectionError, RuntimeError):  # it has just ended
            self._process.stdin.write(until.line())

    async def wait(self) -> int:
        return await self._process.wait()

    def interrupt(self) -> None:
        """End in order."""
        with suppress(ProcessLookupError):
            self._process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """At once, with all that it started."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def last_words(self) -> str:
        """The last line that it said."""
        try:
            with self._log.open("rb") as log:
                log.seek(max(self._log.stat().st_size - LONGEST_REASON, 0))
                lines = log.read().decode(errors="replace").strip().splitlines()
        except OSError:
            return ""
        return lines[-1].removeprefix("armarium: ") if lines else ""


def _environment() -> dict[str, str]:
    """Without our settings, among which are secrets that the engine has no use for."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(PREFIX) or name.startswith(FOR_TESTS)
    }
