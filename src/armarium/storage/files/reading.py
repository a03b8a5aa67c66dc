"""Files, stretches and records, from whichever replica is well; verified where the bytes can tell."""

import io
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import BinaryIO, TypeVar, cast

from armarium.core.errors import NotFound, Refused
from armarium.core.lately import Lately
from armarium.core.message import message
from armarium.formats.problem import Severity
from armarium.formats.warc.digest import ALGORITHMS
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from armarium.storage.backends.place import PIECE, Place
from armarium.storage.files.copies import FAILURES, FailoverFile, RecentCopies, no_good_copy, other_bytes
from armarium.storage.files.model import Copy
from armarium.storage.files.service import Files
from armarium.storage.model import File, FileState
from armarium.storage.replicas.service import Replicas

BUFFER = 256 * 1024
T = TypeVar("T")


class Reader:
    """It gives out what is stored. Withdrawn files come by `fetch` only, for other replicas.

    `remember`: seconds for which the database is not asked again about a file or a replica, for those who
    read much.
    """

    def __init__(self, files: Files, replicas: Replicas, *, remember: float = 0) -> None:
        self._files = files
        self._replicas = replicas
        self._copies = files.copies if not remember else RecentCopies(files.copies, remember)
        self._known: Lately[str, File] = Lately(remember)
        self._places: Lately[int, Place] = Lately(remember)
        self._verdicts = Verdicts()

    def open(self, name: str) -> BinaryIO:
        """The file, to read and to seek in. Where a copy fails, the next one goes on at the same byte."""
        rope = FailoverFile(self._given_out(name), self._copies, self._replicas)
        return cast("BinaryIO", io.BufferedReader(rope, BUFFER))

    def fetch(self, name: str, target: Path) -> None:
        """The whole file, compared with the register; the target appears only when it is right."""
        self._copies.fetch(self._files.named(name), target)

    def pieces(self, name: str, start: int = 0, end: int | None = None) -> Iterator[bytes]:
        """Up to, and without, the byte `end`. Of a whole file the last piece comes only if all is right."""
        file = self._given_out(name)
        end = file.size if end is None else min(end, file.size)
        rope = FailoverFile(file, self._copies, self._replicas)
        stretch = _stretch(rope, start, end)
        return self._compared(file, rope, stretch) if (start, end) == (0, file.size) else stretch

    def record(self, name: str, offset: int) -> Record:
        """The record that begins there, after it was read once and found whole."""

        def read(file: File, copy: Copy, place: Place) -> Record:
            if not whole_record(place.open(file.name), offset):
                self._verdicts.refuse_unless_right(file, copy, place)
            found = next(iter(ArchiveReader(place.open(file.name), offset=offset)), None)
            if found is None or found.offset != offset:
                raise NotFound(
                    message("There is no record at byte %(offset)s of %(name)s.", offset=offset, name=name)
                )
            return found

        return self._from_any(self._given_out(name), read)

    def record_bytes(self, name: str, offset: int, length: int) -> bytes:
        """A record as it stands in the file, compressed or not."""

        def read(file: File, copy: Copy, place: Place) -> bytes:
            data = place.read(file.name, offset, length)
            if len(data) != length or not whole_record(io.BytesIO(data), 0):
                self._verdicts.refuse_unless_right(file, copy, place)
            return data

        return self._from_any(self._with_bytes(name, offset, length), read)

    def record_pieces(
        self, name: str, offset: int, length: int, first: int = 0, last: int | None = None
    ) -> Iterator[bytes]:
        """A record as it stands in the file, or some bytes of it, after all of it was read and found whole.

        This happens before the first piece is asked for; nothing of it is kept in memory.
        """
        count = (length if last is None else last + 1) - first

        def read(file: File, copy: Copy, place: Place) -> Iterator[bytes]:
            self._verdicts.refuse_unless_whole(file, copy, place, offset, length)
            return place.pieces(file.name, offset + first, count)

        return self._from_any(self._with_bytes(name, offset, length), read)

    def _from_any(self, file: File, read: Callable[[File, Copy, Place], T]) -> T:
        for copy in self._copies.readable(file):
            try:
                return read(file, copy, self._place(copy))
            except (*FAILURES, OSError) as error:
                self._copies.note_bad(file, copy, error)
        raise no_good_copy(file)

    def _place(self, copy: Copy) -> Place:
        """Opened long ago; whether somebody has changed the replica since is not asked for every record."""
        return self._places.get(copy.replica.id, lambda: self._replicas.place(copy.replica))

    def _compared(self, file: File, rope: FailoverFile, pieces: Iterator[bytes]) -> Iterator[bytes]:
        """One piece behind, so that whoever copies a file that turns out wrong does not get to its end."""
        digest = sha256()
        held = b""
        for piece in pieces:
            if held:
                yield held
            digest.update(piece)
            held = piece
        if digest.hexdigest() != file.sha256:
            for copy in rope.used:  # which of them it was, reading them whole will tell
                self._copies.note_bad(file, copy, other_bytes(file, copy))
            raise no_good_copy(file)
        yield held

    def _with_bytes(self, name: str, offset: int, length: int) -> File:
        file = self._given_out(name)
        if offset < 0 or length < 1 or offset + length > file.size:
            raise Refused(message("%(name)s has only %(size)s bytes.", name=name, size=file.size))
        return file

    def _given_out(self, name: str) -> File:
        file = self._known.get(name, lambda: self._files.named(name))
        if file.state is FileState.WITHDRAWN:
            raise NotFound(message("%(name)s was withdrawn and cannot be read.", name=name))
        if not file.sha256:
            raise no_good_copy(file)
        return file


def _stretch(rope: FailoverFile, start: int, end: int) -> Iterator[bytes]:
    with io.BufferedReader(rope, BUFFER) as opened:
        opened.seek(start)
        while start < end and (piece := opened.read(min(PIECE, end - start))):
            start += len(piece)
            yield piece


REMEMBERED = 300.0  # seconds
LOCKS = 64


class Verdicts:
    """What reading records and whole copies has told lately, until their place says that they have changed:
    so that not every reader has them read again.

    One thread at a time judges a file: a player that asks for many parts would have it read for each.
    """

    def __init__(self, seconds: float = REMEMBERED) -> None:
        self._known: Lately[tuple[object, ...], bool] = Lately(seconds)
        self._judging = [Lock() for _ in range(LOCKS)]

    def refuse_unless_right(self, file: File, copy: Copy, place: Place) -> None:
        """What looks damaged may have come so into the archive: only the whole file's checksum can tell."""

        def right() -> bool:
            sums = place.sums(file.name)
            return (sums.size, sums.sha256) == (file.size, file.sha256)

        if not self._verdict(file, copy, place, (), right):
            raise other_bytes(file, copy)

    def refuse_unless_whole(self, file: File, copy: Copy, place: Place, offset: int, length: int) -> None:
        """Read a record of so many bytes, in constant memory, unless this was done a while ago."""

        def whole() -> bool:
            return whole_record(place.open(file.name), offset, length)

        if not self._verdict(file, copy, place, (offset, length), whole):
            self.refuse_unless_right(file, copy, place)

    def _verdict(
        self, file: File, copy: Copy, place: Place, of: tuple[int, ...], judge: Callable[[], bool]
    ) -> bool:
        held = place.look(file.name)
        stamp = (held.size, held.modified) if held is not None else None
        with self._judging[file.id % LOCKS]:
            return self._known.get((file.id, file.sha256, copy.replica.id, stamp, *of), judge)


def whole_record(source: BinaryIO, offset: int, length: int | None = None) -> bool:
    """Whether it is, by what it says of itself: gzip's checksum, its length, its block's digest.

    Reads the record that begins there, every byte of it, in constant memory; closes the source.

    `length`: how many bytes of the file it should take, compressed or not.
    """
    with source:
        reader = ArchiveReader(source, offset=offset)
        record = next(iter(reader), None)
        if record is None or record.offset != offset or not _is_what_it_says(record):
            return False
        record.finish()
        if length is not None and record.length != length:
            return False
        found = [*record.problems, *reader.problems]
        return record.complete and not any(problem.severity is Severity.ERROR for problem in found)


def _is_what_it_says(record: Record) -> bool:
    declared = record.block_digest
    if declared is None or declared.value is None or declared.algorithm not in ALGORITHMS:
        return True
    running = ALGORITHMS[declared.algorithm]()
    for piece in record.block:
        running.update(piece)
    return running.digest() == declared.value
