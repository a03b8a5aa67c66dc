"""The logs of a crawl, together: opened, written and cut together."""

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, NamedTuple

from armarium.core.clock import now
from armarium.formats.cdx import CDX11
from armarium.formats.url import surt
from armarium.harvest.reports.crawl_log import (
    BY_HASH,
    DNS_HOST,
    NOT_MODIFIED,
    Outcome,
    bare_mime,
    crawl_log_line,
    digits17,
    milliseconds_time,
    parse_crawl_log_line,
    seconds_time,
)

# --- progress-statistics.log: how fast it goes, a line every twenty seconds.


# Heritrix's columns, and where each ends.
COLUMNS = (
    ("timestamp", 20),
    ("discovered", 32),
    ("queued", 44),
    ("downloaded", 57),
    ("doc/s(avg)", 74),
    ("KB/s(avg)", 85),
    ("dl-failures", 99),
    ("busy-thread", 113),
    ("mem-use-KB", 126),
    ("heap-size-KB", 140),
    ("congestion", 153),
    ("max-depth", 165),
    ("avg-depth", 177),
)


class Progress(NamedTuple):
    moment: datetime
    discovered: int
    queued: int
    downloaded: int
    documents_per_second: float
    documents_per_second_average: float
    kilobytes_per_second: float
    kilobytes_per_second_average: float
    failures: int
    busy: int  # downloads at this moment
    memory: int  # KB in use
    heap: int  # KB the process has
    congestion: float  # queues that could be used at once, for each download that is possible
    max_depth: int  # of the queues
    average_depth: int


def progress_line(progress: Progress) -> str:
    documents = f"{number(progress.documents_per_second)}({number(progress.documents_per_second_average)})"
    kilobytes = f"{progress.kilobytes_per_second:.0f}({progress.kilobytes_per_second_average:.0f})"
    return _aligned(
        seconds_time(progress.moment),
        progress.discovered,
        progress.queued,
        progress.downloaded,
        documents,
        kilobytes,
        progress.failures,
        progress.busy,
        progress.memory,
        progress.heap,
        number(progress.congestion),
        progress.max_depth,
        progress.average_depth,
    )


def number(value: float) -> str:
    """At most two digits behind the point, and none that say nothing."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _aligned(*values: object) -> str:
    line = ""
    for (_, end), value in zip(COLUMNS, values, strict=True):
        text = str(value)
        # A number too wide for its column still must not touch the one before.
        line += text.rjust(max(end - len(line), len(text) + bool(line)))
    return line + "\n"


LEGEND = _aligned(*(name for name, _ in COLUMNS))


# --- A file of lines that only grows, and survives the death of its writer.


_BUFFER = 256 * 1024


class LineFile:
    """Lines are kept in memory until `flush`, or until there are many.

    What a killed process left half written is cut off. With `length`, so is all behind it: lines that a
    resumed crawl will write again.
    """

    def __init__(self, path: Path, *, length: int | None = None) -> None:
        self.path = path
        self._file = path.open("r+b" if path.exists() else "w+b", buffering=0)
        size = self._file.seek(0, os.SEEK_END)
        keep = self._last_line_end(size if length is None else min(size, length))
        if keep < size:
            self._file.truncate(keep)
        self.position = self._file.seek(keep)  # where the next line will stand
        self._held = bytearray()

    def write(self, line: str) -> None:
        """Add a line; its end is part of it. A disk that is full keeps it waiting, and is told by `flush`."""
        data = line.encode(errors="backslashreplace")
        self._held += data
        self.position += len(data)
        if len(self._held) >= _BUFFER:
            with suppress(OSError):
                self.flush()

    def flush(self) -> None:
        """Hand over to the system: a killed process loses nothing of it."""
        held = self._held
        while held:
            del held[: self._file.write(held)]  # a disk that is nearly full takes a part

    def close(self) -> None:
        self.flush()
        self._file.close()

    def _last_line_end(self, size: int) -> int:
        while size:
            begin = max(size - 4096, 0)
            self._file.seek(begin)
            found = self._file.read(size - begin).rfind(b"\n")
            if found >= 0:
                return begin + found + 1
            size = begin
        return 0


# --- All logs of a crawl.


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


# --- The index of a crawl's WARC files, made of its log.
#
# Every line of crawl.log says where its capture stands. So the index needs no reading of the files, which may
# have terabytes; whoever doubts it makes it from the files: `armarium warc index --format cdx11`.


LOG_INDEX_LEGEND = CDX11.legend().encode() + b"\n"
_MOST_OPEN = 200  # files at the same time


def indexes(crawl_log: Path, folder: Path) -> Iterator[tuple[str, bytes]]:
    """Each WARC file with its index, sorted. Lines are kept in the folder meanwhile, a file for each."""
    if not crawl_log.exists():
        return
    names: dict[str, Path] = {}
    with ExitStack() as opened, crawl_log.open("rb") as log:
        files: dict[str, IO[bytes]] = {}
        for raw in log:
            outcome = parse_crawl_log_line(raw.decode(errors="replace").rstrip("\n"))
            if outcome is None or not outcome.filename:
                continue
            file = files.get(outcome.filename)
            if file is None:
                if len(files) >= _MOST_OPEN:
                    opened.close()
                    files.clear()
                path = names.setdefault(outcome.filename, folder / f"index-{len(names)}.cdx")
                file = files[outcome.filename] = opened.enter_context(path.open("ab"))
            file.write(_line(outcome))
    for name, path in sorted(names.items()):
        yield name, LOG_INDEX_LEGEND + b"".join(sorted(path.read_bytes().splitlines(keepends=True)))
        path.unlink()


def _line(outcome: Outcome) -> bytes:
    """In the columns N b a m s k r M S V g."""
    revisit = BY_HASH in outcome.annotations or NOT_MODIFIED in outcome.annotations
    mime = "warc/revisit" if revisit else bare_mime(outcome.mime).lower()
    status = "-" if outcome.url.startswith(DNS_HOST) else outcome.status
    digest = outcome.digest.rpartition(":")[2] or "-"
    date = digits17(outcome.started)[:14] if outcome.started else "-"
    length = outcome.record_length if outcome.record_length >= 0 else "-"
    columns = (surt(outcome.url), date, outcome.url, mime, status, digest, "-", "-", length, outcome.offset)
    return f"{' '.join(map(str, columns))} {outcome.filename}\n".encode()
