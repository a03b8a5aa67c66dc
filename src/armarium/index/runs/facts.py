"""What is known of a run, and what can be wrong with one."""

from dataclasses import dataclass

from armarium.core.errors import ArmariumError, Unavailable


@dataclass(frozen=True)
class RunFacts:
    """Of a finished run."""

    lines: int
    bytes: int  # of the file
    sha256: str  # of the file; empty where only the footer was read, for no file can hold its own digest
    first: str  # key and timestamp of the first line, for people; empty if there is none
    last: str


class BadRun(Unavailable):
    """A run cannot be read. It can be made again, and is as soon as somebody is told: see chain/alarm.py."""

    def __init__(self, text: str, run: str) -> None:
        super().__init__(text)
        self.run = run


class DamagedRun(BadRun):
    """The bytes of a run are not those that were written. Nothing of them is given out."""


class MissingRun(BadRun):
    """There is no run of that name: merged into another meanwhile, or lost."""


class OtherRun(ArmariumError):  # noqa: N818
    """The name is taken by a run with other bytes, which was left as it is."""


class OutOfOrder(ValueError):  # noqa: N818
    """A line was to be written behind a greater one: a fault of the caller."""


def damaged(name: str, what: str) -> DamagedRun:
    return DamagedRun(
        f"The run {name} of the index is damaged: {what}. It is made again from the files that it speaks of.",
        name,
    )


def shown(start: bytes) -> str:
    """Key and timestamp as text that any database takes, whatever bytes an old file had in its keys."""
    return start.rstrip(b" ").decode("utf-8", "backslashreplace").replace("\0", "\\x00")
