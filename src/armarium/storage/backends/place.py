"""What storage asks of a place that holds copies, and what such a place may answer."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Protocol

from pydantic import TypeAdapter, ValidationError

from armarium.core.collecting import FileName
from armarium.core.errors import ArmariumError, Refused
from armarium.core.message import message
from armarium.storage.model import Replica
from armarium.tasks.context import never

FILE_NAME: TypeAdapter[str] = TypeAdapter(FileName)
PIECE = 1024 * 1024
Stopping = Callable[[], bool]


class Away(ArmariumError):  # noqa: N818  (an answer of the replica, not a fault of ours)
    """The replica cannot be reached, lacks its marker, or belongs to another archive: nothing was judged."""


class Foreign(Away):
    """It carries the marker of another archive."""


class NoRoom(Away):
    """The replica answers, and cannot take the file at the moment."""


class Missing(ArmariumError):  # noqa: N818
    """The replica answers, and has no copy of this name."""


class Unreadable(ArmariumError):  # noqa: N818
    """The replica answers, and these bytes cannot be read."""


class SourceUnreadable(Unreadable):
    """It is the source of a `put` that cannot be read; of the replica this says nothing."""


class Different(ArmariumError):  # noqa: N818
    """The name is taken by other bytes. Nothing was touched."""


class Altered(Different):
    """The source of a `put` is not the file of which the facts speak. Nothing was given the name."""


@dataclass(frozen=True)
class Facts:
    """What is known of a file that is to be put into a place."""

    name: str
    size: int
    sha256: str
    blake3: str = ""


@dataclass(frozen=True)
class Sums:
    size: int
    sha256: str  # empty where not asked for
    blake3: str


@dataclass(frozen=True)
class Held:
    """A copy, as the place lists it; nobody has read its bytes."""

    name: str
    size: int  # -1: a note of a checksum replica that cannot be read, or a folder where a file belongs
    modified: datetime


@dataclass(frozen=True)
class Stranger:
    """Something in a replica that is no copy of any file, as it lies."""

    key: str
    size: int  # -1: a folder


Strange = Callable[[Stranger], None]


def ignored(_stranger: Stranger) -> None:
    """Nobody wants to know."""


class Place(Protocol):
    """Several threads may use one place. Every verb may raise `Away`."""

    @property
    def replica(self) -> Replica: ...

    @property
    def holds_bytes(self) -> bool: ...

    def claim(self, archive: str) -> None: ...

    def check(self) -> None: ...

    def put(self, file: Facts, source: Path, *, stopping: Stopping = never) -> None: ...

    def sums(
        self, name: str, *, algorithms: Sequence[str] = ("sha256",), stopping: Stopping = never
    ) -> Sums: ...

    def look(self, name: str) -> Held | None: ...

    def read(self, name: str, start: int, length: int) -> bytes: ...

    def pieces(self, name: str, start: int = 0, length: int | None = None) -> Iterator[bytes]: ...

    def open(self, name: str) -> BinaryIO: ...

    def names(self, after: str = "", strange: Strange = ignored) -> Iterator[Held]: ...

    def set_aside(self, name: str, *, sha256: str) -> str: ...

    def note_withdrawal(self, name: str, content: bytes) -> None: ...  # instead of an earlier one

    def forget_withdrawal(self, name: str) -> None: ...

    def withdrawal(self, name: str) -> bytes | None: ...

    def sweep(self, before: datetime) -> int: ...

    def address(self, name: str) -> str: ...


def is_name(name: str) -> bool:
    """Names come from outside: only one plain word is one."""
    try:
        FILE_NAME.validate_python(name)
    except ValidationError:
        return False
    return True


def hashed_path(name: str) -> str:
    """`<hh>/<name>`: 256 folders share the load."""
    if not is_name(name):
        raise Refused(
            message(
                "“%(name)s” cannot be the name of a file in a replica. "
                "Use letters, digits, dots, hyphens and underscores, and begin with a letter or digit.",
                name=name[:200],
            ),
            field="name",
        )
    return f"{hashlib.sha256(name.encode()).hexdigest()[:2]}/{name}"
