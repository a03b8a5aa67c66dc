"""What is known of a run, and what can be wrong with one."""

from dataclasses import dataclass

from armarium.core.errors import ArmariumError


@dataclass(frozen=True)
class RunFacts:
    """Of a finished run."""

    lines: int
    bytes: int  # of the file
    sha256: str  # of the file; empty where only the footer was read, for no file can hold its own digest
    first: str  # key and timestamp of the first line, for people; empty if there is none
    last: str


class DamagedRun(ArmariumError):  # noqa: N818  (reads as what happened)
    """The bytes of a run are not those that were written. Nothing of them is given out."""


class MissingRun(ArmariumError):  # noqa: N818
    """There is no run of that name: merged into another meanwhile, or lost."""


class OtherRun(ArmariumError):  # noqa: N818
    """The name is taken by a run with other bytes, which was left as it is."""


class OutOfOrder(ValueError):  # noqa: N818
    """A line was to be written behind a greater one: a fault of the caller."""


def damaged(name: str, what: str) -> DamagedRun:
    return DamagedRun(
        f"The run {name} of the index is damaged: {what}. Make it again from the files that it speaks of."
    )


def shown(start: bytes) -> str:
    """Key and timestamp as text that any database takes, whatever bytes an old file had in its keys."""
    return start.rstrip(b" ").decode("utf-8", "backslashreplace").replace("\0", "\\x00")
