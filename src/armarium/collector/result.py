"""What a job came to, in the words of the server.

The summary may have been written by an older version: the collector was upgraded between the end of the crawl
and the moment when the server accepts it. What such a summary lacks is not told.
"""

import heapq
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import re2  # type: ignore[import-untyped]

from armarium.core.collecting import DomainResult, EndKind, JobEnd, SeedFault, SeedVerdict, SourceResult
from armarium.core.crawl_order import CrawlOrder
from armarium.core.errors import Refused
from armarium.harvest.reports.logs import CRAWL

MOST_OTHERS = 1000  # domains that the job did not ask for; the largest are told
LONGEST_ERROR = 2000


def end_of(
    attempt: int,
    summary: Mapping[str, Any] | None,
    error: str,
    order: CrawlOrder,
    files: Sequence[str],
    *,
    final: bool = False,
) -> JobEnd:
    """The end of a job with its summary, or, where there is none, with the error."""
    if summary is None:
        return JobEnd(
            attempt=attempt,
            kind=EndKind.FAILED,
            final=final,
            error=error[:LONGEST_ERROR],
            files=tuple(files),
        )
    objects = sum(row["objects"] for row in summary["domains"])  # name look-ups are in no domain
    volume = sum(row["bytes"] for row in summary["domains"])
    return JobEnd(
        attempt=attempt,
        kind=EndKind.DONE,
        outcome=str(summary["status"]),
        objects=objects,
        bytes=volume,
        report=_report(summary),
        domains=tuple(_domains(summary["domains"], order)),
        sources=tuple(_sources(summary)),
        files=tuple(files),
    )


def _report(summary: Mapping[str, Any]) -> dict[str, Any]:
    counts, volumes = summary["counts"], summary["bytes"]
    unchanged = [counts[name] for name in ("duplicate", "not_modified") if name in counts]
    told = {
        "seconds": summary.get("seconds"),
        "discovered": counts.get("discovered"),
        "queued": counts.get("queued"),
        "finished": counts.get("processed"),
        "failed": counts.get("failed"),
        "disregarded": counts.get("disregarded"),
        "written_bytes": volumes.get("written"),
        "mimes": summary.get("types"),
        "statuses": summary.get("statuses"),
        "duplicates": sum(unchanged) if unchanged else None,
        "duplicate_bytes": volumes.get("duplicate"),
    }
    return {name: figure for name, figure in told.items() if figure is not None}


def _sources(summary: Mapping[str, Any]) -> Iterator[SourceResult]:
    """What came from the seeds of each domain, and which of them are not as they should be."""
    faults: dict[str, list[SeedFault]] = {}
    for seed in summary.get("seeds", ()):
        if seed.get("verdict", SeedVerdict.FINE) != SeedVerdict.FINE:
            fault = SeedFault(
                url=seed["url"],
                verdict=seed["verdict"],
                status=seed["final_status"],
                redirect=seed["redirect"] or "",
            )
            faults.setdefault(seed["tag"], []).append(fault)
    for row in summary.get("sources", ()):
        if "reason" not in row:
            continue  # the server takes the domains in its place
        yield SourceResult(
            source=row["tag"],
            objects=row["objects"],
            bytes=row["bytes"],
            reason=row["reason"],
            seeds=tuple(faults.get(row["tag"], ())),
        )


def _domains(rows: Sequence[Mapping[str, Any]], order: CrawlOrder) -> Iterator[DomainResult]:
    """In the order of the summary, the largest first: all that the job asked for, and some of the others."""
    asked = {seed.tag for seed in order.seeds}
    others = 0
    for row in rows:
        if row["domain"] not in asked:
            others += 1
            if others > MOST_OTHERS:
                continue
        yield DomainResult(
            domain=row["domain"], objects=row["objects"], bytes=row["bytes"], reason=row["reason"]
        )


# --- Looking into crawl.log while it grows: its last lines, and those that an expression finds.
#
# With several processes each has a log of its own; their lines are put together by the time they begin with.


BLOCK = 1024 * 1024
TAIL_LINES = 20
LONGEST_LINE = 2000  # characters that are shown
LONGEST_PATTERN = 1000
MOST_LINES = 500
SEARCH_SECONDS = 10.0
TIME = 24  # letters: all lines begin with the time


def tail(logs: Path, most: int = TAIL_LINES) -> tuple[str, ...]:
    """The last lines, the newest last."""
    return tuple(reversed([_shown(line) for line in islice(_newest_first(logs), most)]))


def search(logs: Path, pattern: str, most: int, *, seconds: float = SEARCH_SECONDS) -> dict[str, Any]:
    """Lines that the expression (RE2) finds, the newest first; `complete` if all of the log was searched."""
    expression = _compiled(pattern)
    most = min(max(most, 1), MOST_LINES)
    until = time.monotonic() + seconds
    found: list[str] = []
    searched = 0
    for line in _newest_first(logs):
        if searched % 1000 == 0 and time.monotonic() > until:
            return {"lines": found, "searched": searched, "complete": False}
        searched += 1
        if expression.search(line):
            if len(found) == most:
                return {"lines": found, "searched": searched, "complete": False}
            found.append(_shown(line))
    return {"lines": found, "searched": searched, "complete": True}


def _compiled(pattern: str) -> Any:
    if len(pattern) > LONGEST_PATTERN:
        raise Refused(f"The expression has more than {LONGEST_PATTERN} characters.")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.encoding = re2.Options.Encoding.LATIN1  # bytes: lines need not be UTF-8
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error as error:
        raise Refused(f"This is no regular expression (RE2): {error}") from None


def _newest_first(logs: Path) -> Iterator[bytes]:
    paths = [*logs.glob(f"part-*/{CRAWL}")] or [logs / CRAWL]
    lines = [_backwards(path) for path in paths if path.exists()]
    return lines[0] if len(lines) == 1 else heapq.merge(*lines, key=lambda line: line[:TIME], reverse=True)


def _backwards(path: Path) -> Iterator[bytes]:
    """The whole lines of a file, the last one first."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        rest = b""
        first = True  # what stands behind the last line end is not a whole line
        while end:
            begin = max(end - BLOCK, 0)
            file.seek(begin)
            rest, *lines = (file.read(end - begin) + rest).split(b"\n")
            end = begin
            if first and lines:
                lines.pop()
                first = False
            yield from reversed(lines)
        if rest and not first:
            yield rest


def _shown(line: bytes) -> str:
    return line.decode(errors="replace")[:LONGEST_LINE]
