"""An import, and what was found in its file, with its titles."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple

from armarium.core.message import Message, message

Told = Callable[[int, int], object]  # so many of so many are done


def untold(_done: int, _total: int) -> None:
    """Nobody looks on."""


class Mode(StrEnum):
    """What is to be done with a file."""

    TRIAL = "trial"  # look at every line, change nothing
    ALL = "all"  # import it if every line is good
    GOOD = "good"  # import the good lines


class ImportState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    TRIED = "tried"  # the report is there, nothing was changed
    IMPORTED = "imported"
    REFUSED = "refused"  # nothing was imported: the file cannot be read, or not all of its lines are good
    FAILED = "failed"  # a fault of ours


UNDER_WAY = frozenset({ImportState.WAITING, ImportState.RUNNING})


class Line(NamedTuple):
    """A line of the file, as a spreadsheet numbers it: the header is in line 1 if nothing stands above it."""

    number: int
    cells: Sequence[str]


@dataclass(frozen=True)
class Sheet:
    """A file that was understood so far as its header goes."""

    keys: Sequence[str | None]  # the column of each cell; None: nobody knows it
    lines: Iterator[Line]
    notes: Sequence[Message] = ()


class Fault(NamedTuple):
    """What is wrong with a line, in which column, and what to do."""

    line: int
    column: str  # its key; empty: the whole line
    given: str
    text: Message


@dataclass(frozen=True)
class Counts:
    lines: int = 0
    created: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: int = 0

    @property
    def good(self) -> int:
        return self.created + self.changed


@dataclass(frozen=True)
class Import:
    id: int
    name: str
    bytes: int
    collection: int | None  # for lines that name none
    mode: Mode
    state: ImportState
    created_at: datetime
    by: str
    begun_at: datetime | None
    ended_at: datetime | None
    done: int
    total: int | None
    counts: Counts
    file_kept: bool
    notes: Sequence[Message] = ()
    error: Message | None = None
    denied: Sequence[int] = ()
    editor: Mapping[str, Any] = field(default_factory=dict)
    language: str = "en"

    @property
    def under_way(self) -> bool:
        return self.state in UNDER_WAY


def kept(text: Message) -> dict[str, Any]:
    """A sentence as the database keeps it: it can still be said in any language."""
    return {"template": text.template, "values": {name: str(one) for name, one in text.values.items()}}


def unkept(stored: Mapping[str, Any]) -> Message:
    return Message(stored["template"], stored["values"])


# Titles, and words of the audit log


ACTIONS: dict[str, Message] = {"records.imported": message("Records imported from a file")}
WORDS: dict[str, Message] = {
    "record_import": message("Import of records"),
    "lines": message("Lines"),
    "created": message("Created"),
    "changed": message("Changed"),
    "unchanged": message("Unchanged"),
    "refused": message("Refused"),
}
STATES: dict[ImportState, tuple[str, Message]] = {
    ImportState.WAITING: ("waiting", message("Waiting")),
    ImportState.RUNNING: ("busy", message("Running")),
    ImportState.TRIED: ("neutral", message("Tried")),
    ImportState.IMPORTED: ("good", message("Imported")),
    ImportState.REFUSED: ("warning", message("Not imported")),
    ImportState.FAILED: ("bad", message("Failed")),
}
