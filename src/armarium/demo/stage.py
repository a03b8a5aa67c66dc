"""What somebody sees while the demonstration is built: a line for each step, with a bar while it runs.

Where output is no terminal there are plain lines, one for each step when it has ended.
"""

import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn
from rich.text import Text

from armarium.terminal.output import say

TITLE = 18  # columns
BAR = 20
WIDTH = 80


class Step(Protocol):
    """One thing that is being done."""

    def show(self, text: str, done: float = 0.0, total: float | None = None) -> None:
        """How far it is. Without a total nobody knows how much there is."""
        ...

    def end(self, text: str) -> None:
        """What came of it, in one line."""
        ...


class Stage(Protocol):
    def title(self, title: str, text: str) -> None: ...

    def step(self, title: str) -> AbstractContextManager[Step]: ...

    def steps(self, *titles: str) -> AbstractContextManager[Sequence[Step]]:
        """Several that go on at the same time, one below the other."""
        ...

    def tell(self, *sentences: str) -> None:
        """What is said between two steps, each sentence on its line."""
        ...


class PlainStep:
    def __init__(self, title: str) -> None:
        self._title = title
        self._began = time.monotonic()

    def show(self, text: str, done: float = 0.0, total: float | None = None) -> None:
        """Only the end of a step is written down."""

    def end(self, text: str) -> None:
        say(f"{self._title}: {text} ({time.monotonic() - self._began:.1f} s)")


class PlainStage:
    """For a file, a pipe, a build server."""

    def title(self, title: str, text: str) -> None:
        say(title)
        say(text)

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:
        yield PlainStep(title)

    @contextmanager
    def steps(self, *titles: str) -> Iterator[Sequence[Step]]:
        yield [PlainStep(title) for title in titles]

    def tell(self, *sentences: str) -> None:
        for sentence in sentences:
            say(sentence)


class TerminalStep:
    def __init__(self, console: Console, progress: Progress, title: str) -> None:
        self._console = console
        self._progress = progress
        self._title = title
        self._task: TaskID = progress.add_task(title, total=None, text="")
        self._began = time.monotonic()
        self._seconds = 0.0
        self.result = ""

    def show(self, text: str, done: float = 0.0, total: float | None = None) -> None:
        self._progress.update(self._task, completed=done, total=total, text=text)

    def end(self, text: str) -> None:
        self.result = text
        self._seconds = time.monotonic() - self._began

    def drawn(self, mark: str) -> Text:
        seconds = f"{self._seconds:.1f} s"
        line = Text.assemble("  ", (mark, "green"), " ", (self._title.ljust(TITLE), "bold"), self.result)
        room = min(self._console.width, WIDTH) - line.cell_len - len(seconds)
        line.append(f"{' ' * max(room, 2)}{seconds}", "dim")
        return line


class TerminalStage:
    def __init__(self, console: Console) -> None:
        self._console = console
        self._mark = "✓" if "utf" in console.encoding.lower() else "*"

    def title(self, title: str, text: str) -> None:
        self._console.print()
        self._console.print(Text(f"  {title}", "bold"))
        self._console.print(Text(f"  {text}", "dim"))
        self._console.print()

    @contextmanager
    def step(self, title: str) -> Iterator[Step]:
        with self.steps(title) as (step,):
            yield step

    @contextmanager
    def steps(self, *titles: str) -> Iterator[Sequence[Step]]:
        columns = (
            TextColumn(" "),
            SpinnerColumn("dots" if self._mark == "✓" else "line", style="cyan"),
            TextColumn("{task.description}", style="bold"),
            BarColumn(BAR, complete_style="cyan", finished_style="green", pulse_style="cyan"),
            TextColumn("{task.fields[text]}", style="dim"),
        )
        progress = Progress(*columns, console=self._console, transient=True)
        with progress:
            steps = [TerminalStep(self._console, progress, title.ljust(TITLE - 1)) for title in titles]
            yield steps
        for step in steps:
            self._console.print(step.drawn(self._mark), overflow="ellipsis", no_wrap=True)

    def tell(self, *sentences: str) -> None:
        self._console.print()
        for sentence in sentences:
            self._console.print(Text(f"  {sentence}", "italic"))
        self._console.print()


def stage_for(console: Console) -> Stage:
    return TerminalStage(console) if console.is_terminal else PlainStage()


def counted(number: int, one: str, many: str = "") -> str:
    """`3 files`, `1 file`, `1,234 files`."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def size(number: float) -> str:
    """Bytes as people say them."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:,.0f} {unit}" if unit == "bytes" else f"{number:,.1f} {unit}"
        number /= 1000
    raise AssertionError("unreachable")
