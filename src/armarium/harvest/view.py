"""The live view of a crawl in a terminal: what it does, how fast, what is left, and where."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from rich.console import Group
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

MOST_QUEUES = 10


def drawn(status: Mapping[str, Any]) -> Group:
    """A picture of a status document."""
    head = Text.assemble(
        (str(status["name"]), "bold"),
        f"  {status['state']}",
        (f"  {status['pause_reason']}" if status.get("pause_reason") else "", "yellow"),
        f"  {_span(status['seconds'])}",
    )
    trouble = Text(printable(_waiting(status).removeprefix(", ")), style="yellow")
    hint = Text(HINT, style="dim")
    return Group(head, _bar(status), _figures(status), *([trouble] if trouble else []), _queues(status), hint)


def line(status: Mapping[str, Any]) -> str:
    """The same in one line, for a log."""
    paused = f"paused ({status['pause_reason']}), " if status["state"] == "paused" else ""
    return (
        f"{_span(status['seconds'])}: {paused}{status['objects']:,} objects, {size(status['bytes'])}, "
        f"{status['objects_per_second']:.1f} a second, {status['queued']:,} queued, "
        f"{status['failed']:,} failed{_waiting(status)}"
    )


def _waiting(status: Mapping[str, Any]) -> str:
    """What failed and is not given up yet; of seeds also why: without them there is nothing to harvest."""
    words = f", {status['waiting']:,} to be tried again" if status.get("waiting") else ""
    seeds = "; ".join(f"{url}: {why}" for url, why in status.get("failing_seeds", {}).items())
    return f"{words or ', tried again'} ({seeds})" if seeds else words


HINT = "Ctrl-C stops; it can be resumed."


def _bar(status: Mapping[str, Any]) -> Table:
    done = status["finished"]
    line = Table.grid()  # a bar alone does not end its line
    line.add_row(ProgressBar(total=max(done + status["queued"], 1), completed=done, width=60))
    return line


def _figures(status: Mapping[str, Any]) -> Table:
    table = Table(box=None, show_header=False, pad_edge=False)
    for _ in range(6):
        table.add_column()
    left = _span(status["seconds_left"]) if status.get("seconds_left") is not None else "–"
    table.add_row(
        "objects",
        f"{status['objects']:,}",
        "queued",
        f"{status['queued']:,}",
        "of which under way",
        f"{status['in_flight']:,}",
    )
    table.add_row(
        "received",
        size(status["bytes"]),
        "failed",
        f"{status['failed']:,}",
        "queues",
        f"{status['queues_active']:,}",
    )
    table.add_row(
        "per second",
        f"{status['objects_per_second']:.1f}",
        "bytes/s",
        size(status["bytes_per_second"]),
        "left, about",
        left,
    )
    return table


def _queues(status: Mapping[str, Any]) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column, justify in (
        ("biggest queues", "left"),
        ("queued", "right"),
        ("done", "right"),
        ("state", "left"),
    ):
        table.add_column(column, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    for queue in status.get("biggest", ())[:MOST_QUEUES]:
        row = (str(queue["queue"]), f"{queue['queued']:,}", f"{queue['objects']:,}", str(queue["state"]))
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table


def printable(text: str) -> str:
    return "".join(c if c.isprintable() else "�" for c in text)


def size(count: float) -> str:
    """Bytes, readable."""
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.0f} {unit}" if unit == "B" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.2f} TB"


def _span(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))
