"""What both kinds of place stand on: the medium, the marker in it, and the judgement of errors.

A disk that is not mounted looks like a folder without files, and a wrong bucket like an empty one. So no
copy is called missing or unreadable before the marker has been seen again.
"""

import errno
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from itertools import count
from typing import NoReturn, TypeVar

from armarium.core.message import message
from armarium.storage.backends.marker import MARKER, Marker, away, reason_of
from armarium.storage.backends.medium import ASIDE, INCOMING, Entry, Medium
from armarium.storage.backends.place import (
    PIECE,
    Different,
    Missing,
    NoRoom,
    Strange,
    Stranger,
    Sums,
    Unreadable,
    hashed_path,
    is_name,
)
from armarium.storage.backends.transfer import ByteRate
from armarium.storage.model import Replica

T = TypeVar("T")
SHOWN = 16
WITHDRAWN = "withdrawn"
#: What lies in the root of a replica beside its copies; and what a file system lays there by itself.
OWN = frozenset({MARKER, ASIDE, INCOMING, WITHDRAWN, "lost+found"})
# The server is busy or gone, or we have too much open: this says nothing about a file.
NOT_THE_FILE = {
    errno.EAGAIN,
    errno.ESTALE,
    errno.ENODEV,
    errno.ENXIO,
    errno.ENOTCONN,
    errno.EHOSTDOWN,
    errno.EHOSTUNREACH,
    errno.ETIMEDOUT,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
}


class BasePlace(ABC):
    def __init__(
        self,
        replica: Replica,
        medium: Medium,
        *,
        archive: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._replica = replica
        self.medium = medium
        self.rate = ByteRate(replica.rate_bytes)
        self._marker = Marker(replica, medium, archive=archive, clock=clock)

    @property
    def replica(self) -> Replica:
        return self._replica

    def claim(self, archive: str) -> None:
        self._marker.claim(archive)

    def check(self) -> None:
        self._marker.check()

    def check_now(self) -> None:
        self._marker.check_now()

    # --- whose fault an error is

    def attempt(self, name: str, action: Callable[[], T]) -> T:
        """Read something of a copy. What fails twice, with the marker seen after each time, is the copy's."""
        self.check()
        try:
            return action()
        except OSError as error:
            self._excuse(error)
        try:
            return action()
        except OSError as error:
            self._excuse(error)
            self._blame(name, error)

    @contextmanager
    def taking(self, name: str) -> Iterator[None]:
        """Around what writes: a replica that cannot take a file is away or has no room."""
        self.check()
        try:
            yield
        except FileExistsError:
            raise  # an answer, not a failure
        except OSError as error:
            self._excuse(error)
            raise NoRoom(
                message(
                    "%(name)s could not be stored in replica %(replica)s: %(reason)s. It will be retried; "
                    "check that the replica has space and can be written to.",
                    replica=self.replica.name,
                    name=name,
                    reason=reason_of(error),
                )
            ) from error

    def _excuse(self, error: OSError) -> None:
        """Raise `Away` if the replica, and not the copy, is the reason."""
        self.check_now()
        if error.errno in NOT_THE_FILE:
            raise away(self.replica, error) from error

    def _blame(self, name: str, error: OSError) -> NoReturn:
        if isinstance(error, FileNotFoundError):
            raise self.missing(name) from error
        raise Unreadable(
            message(
                "The copy of %(name)s in replica %(replica)s cannot be read: %(reason)s.",
                name=name,
                replica=self.replica.name,
                reason=reason_of(error),
            )
        ) from error

    def missing(self, name: str) -> Missing:
        return Missing(
            message("Replica %(replica)s has no copy of %(name)s.", replica=self.replica.name, name=name)
        )

    # --- what was found bad, and what was left behind

    def move_aside(self, name: str, key: str, label: str) -> str:
        """A second name first, compared with the first; only then the first is given up."""
        with self.taking(name):
            for number in count():
                aside = f"{ASIDE}/{name}.{label}" + (f".{number}" if number else "")
                try:
                    if self.medium.move_folder(key, aside):
                        return aside
                except FileExistsError:
                    continue  # an earlier one is called so
                if self._second_name(name, key, aside):
                    self.medium.delete(key)
                    return aside
        raise AssertionError("there is always another number")

    def _second_name(self, name: str, key: str, aside: str) -> bool:
        """False if the name is taken by an earlier one; what a killed move left behind is as good as new."""
        try:
            self.medium.duplicate(key, aside)
        except FileExistsError:
            with suppress(OSError):  # one of the two cannot be read: then there is another number
                return self.medium.alike(key, aside)
            return False
        except FileNotFoundError as error:
            self._excuse(error)
            raise self.missing(name) from error
        if not self.medium.alike(key, aside):
            raise OSError(errno.EIO, "the copy of it is not the same", aside)
        return True

    def same_as_judged(self, name: str, sha256: str, read: Callable[[], Sums]) -> None:
        """A copy is moved only if it still is what somebody called bad; `""` is what could not be read."""
        try:
            found = read().sha256
        except Unreadable:
            found = ""
        if found != sha256:
            raise Different(
                message(
                    "The copy of %(name)s in replica %(replica)s is not the one that was examined (it has "
                    "SHA-256 %(found)s…, not %(judged)s…), so it was left in place. Audit it again.",
                    name=name,
                    replica=self.replica.name,
                    found=found[:SHOWN] or "?",
                    judged=sha256[:SHOWN] or "?",
                )
            )

    def sweep(self, before: datetime) -> int:
        """Delete what was left unfinished before then: no copy, only pieces without a name."""
        self.check()
        swept = 0
        for entry in self.listing(lambda: self.medium.entries(INCOMING)):
            if entry.modified < before and entry.size >= 0:
                with self.taking(entry.key):
                    self.medium.delete(entry.key)
                swept += 1
        return swept

    # --- what must be known where the register is lost

    def note_withdrawal(self, name: str, content: bytes) -> None:
        self.check_now()  # not into the folder on which a disk should be mounted
        with self.taking(name):
            try:
                self.medium.create_small(_note(name), content)
            except FileExistsError:
                self.medium.delete(_note(name))
                self.medium.create_small(_note(name), content)
        self.check_now()

    def forget_withdrawal(self, name: str) -> None:
        with self.taking(name):
            if self.medium.look(_note(name)) is not None:
                self.medium.delete(_note(name))
        self.check_now()

    def withdrawal(self, name: str) -> bytes | None:
        """The note that the file of this name is withdrawn; None where there is none."""
        if self.attempt(name, lambda: self.medium.look(_note(name))) is None:
            self.check_now()
            return None
        return self.attempt(name, lambda: self.medium.read(_note(name), 0, PIECE))

    def listing(self, entries: Callable[[], Iterator[T]]) -> Iterator[T]:
        """The end of a list says that there is no more: only where the marker still is, it may say so."""
        self.check()
        try:
            yield from entries()
        except OSError as error:
            self.check_now()
            raise away(self.replica, error) from error
        self.check_now()

    def named_entries(
        self, prefix: str, suffix: str, after: str, strange: Strange
    ) -> Iterator[tuple[str, Entry]]:
        """The copies with their names, in the order of the keys; whatever else lies there is `strange`."""
        if not after:
            for entry in self.listing(self.medium.top):
                if entry.key not in OWN | {prefix}:
                    strange(Stranger(entry.key, entry.size))
        begin = self.key(after) if after else ""
        for entry in self.listing(partial(self.medium.entries, prefix, begin)):
            name = entry.key.rpartition("/")[2].removesuffix(suffix)
            if is_name(name) and entry.key == self.key(name):
                yield name, entry
            else:
                strange(Stranger(entry.key, entry.size))

    @abstractmethod
    def key(self, name: str) -> str: ...

    def address(self, name: str) -> str:
        return self.medium.address(self.key(name))


def _note(name: str) -> str:
    return object_key(WITHDRAWN, name, ".json")


def object_key(prefix: str, name: str, suffix: str = "") -> str:
    return f"{prefix}/{hashed_path(name)}{suffix}"
