"""A replica that knows the checksums and keeps no bytes."""

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import BinaryIO, NoReturn

from armarium.core.message import message
from armarium.storage.backends.base import SHOWN, BasePlace, object_key
from armarium.storage.backends.medium import Entry
from armarium.storage.backends.place import (
    PIECE,
    Different,
    Facts,
    Held,
    Stopping,
    Strange,
    Sums,
    Unreadable,
    ignored,
)
from armarium.storage.backends.transfer import Source, digest_pieces
from armarium.tasks.context import never

SUMS = "sums"
SUFFIX = ".json"
UNREAD = "unread"
BOTH = ("sha256", "blake3")


class SumsPlace(BasePlace):
    """Each note has a sum of its own, so that a flipped bit in it is no vote against good copies."""

    @property
    def holds_bytes(self) -> bool:
        return False

    def put(self, file: Facts, source: Path, *, stopping: Stopping = never) -> None:
        """Read the source and note its sums; they are not taken from the facts, only compared with them."""
        if self.look(file.name) is None:
            reading = Source(file, source, self.rate, stopping)
            found = digest_pieces(reading.pieces(), BOTH)
            try:
                with self.taking(file.name):
                    self.medium.create_small(self.key(file.name), written(file.name, found))
            except FileExistsError:
                pass  # noted by somebody else in this moment
            else:
                self.check_now()
                return
        self._compare(file, self.sums(file.name, algorithms=BOTH))
        with self.taking(file.name):
            self.medium.settle(self.key(file.name))

    def sums(
        self,
        name: str,
        *,
        algorithms: Sequence[str] = ("sha256",),
        stopping: Stopping = never,  # noqa: ARG002  (a note is read in no time)
    ) -> Sums:
        noted = self._note(name, self.key(name))
        return Sums(
            noted.size,
            noted.sha256 if "sha256" in algorithms else "",
            noted.blake3 if "blake3" in algorithms else "",
        )

    def look(self, name: str) -> Held | None:
        entry = self.attempt(name, partial(self.medium.look, self.key(name)))
        if entry is None:
            self.check_now()
            return None
        return Held(name, self._note(name, entry.key).size, entry.modified)

    def read(self, name: str, start: int, length: int) -> bytes:  # noqa: ARG002
        self._has_no_bytes(name)

    def pieces(self, name: str, start: int = 0, length: int | None = None) -> Iterator[bytes]:  # noqa: ARG002
        self._has_no_bytes(name)

    def open(self, name: str) -> BinaryIO:
        self._has_no_bytes(name)

    def names(self, after: str = "", strange: Strange = ignored) -> Iterator[Held]:
        for name, entry in self.named_entries(SUMS, SUFFIX, after, strange):
            yield Held(name, self._size(name, entry), entry.modified)

    def set_aside(self, name: str, *, sha256: str) -> str:
        self.same_as_judged(name, sha256, partial(self.sums, name))
        return self.move_aside(name, self.key(name), sha256[:SHOWN] or UNREAD)

    def key(self, name: str) -> str:
        return object_key(SUMS, name, SUFFIX)

    def _note(self, name: str, key: str) -> Sums:
        content = self.attempt(name, partial(self.medium.read, key, 0, PIECE))
        try:
            return understood(name, content)
        except (ValueError, KeyError, TypeError) as error:
            raise Unreadable(
                message(
                    "The checksum record of %(name)s in replica %(replica)s is damaged.",
                    name=name,
                    replica=self.replica.name,
                )
            ) from error

    def _size(self, name: str, entry: Entry) -> int:
        """One damaged note must not end the list."""
        try:
            return self._note(name, entry.key).size
        except Unreadable:
            return -1

    def _compare(self, file: Facts, noted: Sums) -> None:
        if noted.size == file.size and noted.sha256 == file.sha256:
            return
        raise Different(
            message(
                "Replica %(replica)s already has other checksums for %(name)s (%(size)s bytes, SHA-256 "
                "%(sum)s…), so nothing was recorded. Find out which of the two files is right.",
                replica=self.replica.name,
                name=file.name,
                size=noted.size,
                sum=noted.sha256[:SHOWN],
            )
        )

    def _has_no_bytes(self, name: str) -> NoReturn:
        raise io.UnsupportedOperation(
            f"Replica {self.replica.name} keeps checksums, not the bytes of {name}."
        )


def written(name: str, sums: Sums) -> bytes:
    note = {"name": name, "size": sums.size, "sha256": sums.sha256, "blake3": sums.blake3}
    return json.dumps({**note, "note": _sum_of(note)}, indent=1).encode()


def understood(name: str, content: bytes) -> Sums:
    note = json.loads(content)
    if not isinstance(note, dict):
        raise TypeError("the note is none")
    own = note.pop("note")
    if note["name"] != name or own != _sum_of(note):
        raise ValueError("the note does not agree with itself")
    return Sums(int(note["size"]), str(note["sha256"]), str(note["blake3"]))


def _sum_of(note: dict[str, object]) -> str:
    return hashlib.sha256(json.dumps(note, sort_keys=True).encode()).hexdigest()
