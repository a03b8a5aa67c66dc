"""The logs of a crawl, together: opened, written and cut together."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from armarium.core.clock import now
from armarium.harvest.reports.crawl_log import crawl_log_line, milliseconds_time, seconds_time
from armarium.harvest.reports.line_file import LineFile
from armarium.harvest.reports.outcome import Outcome
from armarium.harvest.reports.progress import LEGEND, Progress, progress_line

CRAWL = "crawl.log"
PROGRESS = "progress-statistics.log"
NONFATAL = "nonfatal-errors.log"
RUNTIME = "runtime-errors.log"
URI = "uri-errors.log"
ALERTS = "alerts.log"
NAMES = (CRAWL, PROGRESS, NONFATAL, RUNTIME, URI, ALERTS)


class Logs:
    """What `positions()` says is remembered with each commit of the frontier. Given back when a crawl is
    resumed, it cuts off the lines of what will be done again: all, where nothing was ever committed.
    """

    def __init__(
        self, folder: Path, *, positions: Mapping[str, int] | None = None, extra: bool = True
    ) -> None:
        self._extra = extra
        # Only crawl.log says what a resumed crawl says again; what the others tell happened nevertheless.
        lengths = {} if positions is None else {CRAWL: positions.get(CRAWL, 0)}
        self._files = {name: LineFile(folder / name, length=lengths.get(name)) for name in NAMES}
        self._crawl = self._files[CRAWL]
        if self._files[PROGRESS].position == 0:
            self._files[PROGRESS].write(LEGEND)

    def finished(self, outcome: Outcome) -> None:
        """An address is done with."""
        self._crawl.write(crawl_log_line(outcome, extra=self._extra))

    def failed(self, outcome: Outcome, error: str) -> None:
        """Something went wrong that did not end the work on an address: nonfatal-errors.log."""
        self._files[NONFATAL].write(f"{crawl_log_line(outcome)} {_indented(error)}\n")

    def crashed(self, outcome: Outcome, trace: str) -> None:
        """A fault of ours ended the work on an address: runtime-errors.log."""
        self._files[RUNTIME].write(f"{crawl_log_line(outcome)} {_indented(trace)}\n")

    def bad_address(self, via: str, problem: str, text: str) -> None:
        """Something that was meant as an address is none: uri-errors.log."""
        line = f'{seconds_time(now())} {_flat(via) or "n/a"} "{_flat(problem)}" {_flat(text)[:2000]}\n'
        self._files[URI].write(line)

    def alert(self, level: str, text: str) -> None:
        """Something the operator should know: alerts.log."""
        self._tell(ALERTS, f"{milliseconds_time(now())} {level} {_indented(text)}\n")

    def progress(self, progress: Progress) -> None:
        self._tell(PROGRESS, progress_line(progress))

    def event(self, moment: datetime, state: str, text: str) -> None:
        """`CRAWL RUNNING - Running`; the states are RUNNING, WAITING, PAUSED, EMPTY, ENDING, ENDED."""
        self._tell(PROGRESS, f"{seconds_time(moment)} CRAWL {state} - {_flat(text)}\n")

    def checkpoint(self, moment: datetime, folder: str) -> None:
        self._tell(PROGRESS, f"{seconds_time(moment)} CRAWL CHECKPOINTING TO {_flat(folder)}\n")

    def _tell(self, name: str, line: str) -> None:
        """At once: somebody may be looking. Where the disk is full, as soon as it takes it."""
        self._files[name].write(line)
        with suppress(OSError):
            self._files[name].flush()

    def positions(self) -> dict[str, int]:
        """How far crawl.log goes. To be remembered after `flush`."""
        return {CRAWL: self._crawl.position}

    def flush(self) -> None:
        for file in self._files.values():
            file.flush()

    def close(self) -> None:
        for file in self._files.values():
            file.close()


def _flat(text: str) -> str:
    return " ".join(text.split())


def _indented(text: str) -> str:
    return "\n ".join(text.rstrip().splitlines())
