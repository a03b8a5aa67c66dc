"""What the proxy asks of the rest of the house, beyond what every door asks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from armarium.access.door.site import Guest
from armarium.access.model import Reader


class Words(Protocol):
    """Who it is that shows a word."""

    def guest(self, user: str, word: str, address: str) -> Guest | None:
        """`user` is the collection, without a date: the word of a viewing is good for that viewing alone.

        None: nobody's word, or one that has ended.
        """


class NoWords:
    """Where everybody sees everything, or only addresses count: no word is good."""

    def guest(self, user: str, word: str, address: str) -> Guest | None:  # noqa: ARG002
        return None


@dataclass(frozen=True)
class Status:
    """Of one viewing."""

    title: str
    jobs: Sequence[int]
    recording: bool
    missing: int


class Recordings(Protocol):
    """What the viewer proxy's commands do. All raise `NotFound` unless it is a viewing of this reader's."""

    def status(self, reader: Reader, number: int) -> Status: ...

    def record(self, reader: Reader, number: int, *, on: bool) -> None: ...

    def clear(self, reader: Reader, number: int) -> None: ...

    def recorded(self, reader: Reader, number: int) -> Iterator[str]:
        """The addresses that were asked for in vain."""

    def change(self, reader: Reader, number: int, jobs: Sequence[int], label: str) -> None:
        """Look at other jobs."""

    def file(self, reader: Reader, name: str) -> Iterator[bytes]:
        """A whole file of the archive; refused unless it is one of the viewing's jobs."""

    def metadata(self, reader: Reader, job: int) -> Iterator[bytes]:
        """The records about a job itself: its logs, reports and order."""
