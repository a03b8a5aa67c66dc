"""How far long work is: a bar on a terminal, a line now and then in a log, nothing for programs."""

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from armarium.core.late import late
from armarium.terminal.output import complain
from armarium.terminal.tables import on_terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar
else:  # only who looks on at a terminal needs it
    Console, Bar = late("rich.console:Console"), late("rich.progress:Progress")
    BarColumn, TextColumn = late("rich.progress:BarColumn"), late("rich.progress:TextColumn")
    MofNCompleteColumn = late("rich.progress:MofNCompleteColumn")
    TimeElapsedColumn = late("rich.progress:TimeElapsedColumn")
    TimeRemainingColumn = late("rich.progress:TimeRemainingColumn")

T = TypeVar("T")
LINE_SECONDS = 10.0  # between two lines of a log
LOOK_SECONDS = 0.5
EVERY = 1000  # lines of a file


class Told(Protocol):
    def __call__(self, done: int, total: int | None = None, text: str = "") -> None: ...


@contextmanager
def progress(title: str, *, quiet: bool = False) -> Iterator[Told]:
    """Say how far it is with what this gives; `quiet`: a program reads, and nobody looks on."""
    if quiet:
        yield _silent
    elif not on_terminal(sys.stderr):
        yield _Lines(title)
    else:
        columns = (
            *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()),
            *(TimeElapsedColumn(), TimeRemainingColumn(), TextColumn("{task.fields[told]}")),
        )
        with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task(title, total=None, told="")

            def show(done: int, total: int | None = None, text: str = "") -> None:
                bar.update(task, completed=done, total=total, told=text)

            yield show


def _silent(done: int, total: int | None = None, text: str = "") -> None:
    """Nobody looks on."""


class _Lines:
    def __init__(self, title: str) -> None:
        self._title, self._next = title, time.monotonic() + LINE_SECONDS

    def __call__(self, done: int, total: int | None = None, text: str = "") -> None:
        if time.monotonic() < self._next:
            return
        self._next = time.monotonic() + LINE_SECONDS
        of = f" of {total:,}" if total else ""
        complain(f"{self._title}: {done:,}{of}{f', {text}' if text else ''}")


def counted(items: Iterable[T], told: Told) -> Iterator[T]:
    """The same things, told while they pass."""
    for number, item in enumerate(items, 1):
        if number % EVERY == 0:
            told(number)
        yield item


def look_again() -> None:
    """Wait a moment before what a worker does is looked at again."""
    time.sleep(LOOK_SECONDS)
