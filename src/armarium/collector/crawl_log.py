"""Looking into crawl.log while it grows: its last lines, and those that an expression finds.

With several processes each has a log of its own; their lines are put together by the time they begin with.
"""

import heapq
import os
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import re2  # type: ignore[import-untyped]

from armarium.core.errors import Refused
from armarium.harvest.reports.logs import CRAWL

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
