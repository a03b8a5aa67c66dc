"""The words of intake: what an import was given, and what became of each file."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from armarium.core.message import Message, message


class Outcome(StrEnum):
    TAKEN = "taken"  # stored: every replica has accepted it
    WAITING = "waiting"  # registered; a replica is away, and storing goes on by itself
    KNOWN = "known"  # the archive has it already, byte for byte
    UNPACKED = "unpacked"  # a WACZ: each of its files has a line of its own
    REFUSED = "refused"  # the archive has other content under this name, or it is not finished
    FOREIGN = "foreign"  # no W/ARC file
    UNREADABLE = "unreadable"  # or it changed while it was taken
    PASSED = "passed"  # an index that went with its file, or what nobody wanted to be taken


#: What the archive does not have, although it was offered.
NOT_TAKEN = frozenset({Outcome.REFUSED, Outcome.FOREIGN, Outcome.UNREADABLE})


@dataclass(frozen=True)
class Accession:
    """Files that came from outside, together: a job that no collector of ours has run."""

    id: int
    name: str
    source: str
    note: str
    created_at: datetime
    created_by: str


@dataclass(frozen=True)
class Offered:
    """A file that an import may take, as the disk describes it."""

    path: Path
    size: int
    changed_ns: int  # the later of the moments at which its content and its description changed
    companion: Path | None = None  # none: the one that lies beside it, if there is one


@dataclass(frozen=True)
class Line:
    """What became of one file of an import."""

    path: str
    outcome: Outcome
    name: str = ""  # under which the archive has it
    remark: str = ""  # why it was not taken, or what is wrong with it
    size: int = 0
    changed_ns: int = 0
    file: int | None = None
    at: datetime | None = None


@dataclass
class Report:
    """What became of an import as a whole; the lines themselves are kept with the accession."""

    accession: Accession | None = None  # none: nothing was there to be taken
    counts: Counter[Outcome] = field(default_factory=Counter)
    bytes: int = 0
    troubles: list[Line] = field(default_factory=list)  # all that were not taken: each must be named
    remarks: list[Line] = field(default_factory=list)  # the first of those taken with something to say
    unused_cdx: list[str] = field(default_factory=list)  # files that the CDX names and that did not come

    MOST = 1000  # remarks kept here

    def add(self, line: Line) -> None:
        self.counts[line.outcome] += 1
        if line.outcome in {Outcome.TAKEN, Outcome.WAITING} and line.file is not None:
            self.bytes += line.size  # a package counts with the lines of its files
        if line.outcome in NOT_TAKEN:
            self.troubles.append(line)
        elif line.remark and len(self.remarks) < self.MOST:
            self.remarks.append(line)

    @property
    def files(self) -> int:
        return sum(self.counts.values())

    @property
    def complete(self) -> bool:
        """Whether every replica has all that was offered: only then the sources are needed no more."""
        return not any(self.counts[outcome] for outcome in (*NOT_TAKEN, Outcome.WAITING))


@dataclass(frozen=True)
class WatchedFolder:
    """What was seen in a watched folder at the last look."""

    path: Path
    trouble: str = ""
    taken: int = 0  # files that were new
    restless: int = 0  # files that changed a moment before: somebody may still write them
    looked_at: datetime | None = None


#: Called after each file: the report so far, and how many files there are in all.
Progress = Callable[[Report, int], None]


def silent(_report: Report, _total: int) -> None:
    """Nobody looks on."""


@dataclass(frozen=True)
class AccessionFigures:
    accession: Accession
    counts: Mapping[Outcome, int]
    bytes: int  # of what was taken

    @property
    def files(self) -> int:
        return sum(self.counts.values())

    @property
    def not_taken(self) -> int:
        return sum(count for outcome, count in self.counts.items() if outcome in NOT_TAKEN)


ACTIONS: dict[str, Message] = {
    "accession.begun": message("Import started"),
    "accession.taken": message("Files imported"),
    "accession.looked": message("Watched folders checked"),
}
WORDS: dict[str, Message] = {
    "accession": message("Import"),
    "taken": message("Imported"),
    "waiting": message("Waiting"),
    "known": message("Already in the archive"),
    "unpacked": message("WACZ unpacked"),
    "refused": message("Rejected"),
    "foreign": message("Not a W/ARC file"),
    "unreadable": message("Unreadable"),
    "passed": message("Skipped"),
    "source": message("Source"),
    "note": message("Note"),
    "prefix": message("Prefix of names"),
    "rename": message("Rename rule"),
    "damaged": message("Include damaged files"),
    "pass_over": message("Skip"),
}
OUTCOMES: dict[Outcome, tuple[str, Message]] = {
    Outcome.REFUSED: ("bad", message("Rejected")),
    Outcome.UNREADABLE: ("bad", message("Unreadable")),
    Outcome.FOREIGN: ("warning", message("Not a W/ARC file")),
    Outcome.WAITING: ("busy", message("Waiting")),
    Outcome.TAKEN: ("good", message("Imported")),
    Outcome.KNOWN: ("neutral", message("Already in the archive")),
    Outcome.UNPACKED: ("neutral", message("WACZ unpacked")),
    Outcome.PASSED: ("neutral", message("Skipped")),
}
