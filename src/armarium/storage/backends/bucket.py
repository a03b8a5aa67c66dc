"""Copies in a bucket of an S3-compatible server, through obstore.

Whatever gets a name gets it by a request with `If-None-Match: *`, so that no copy is ever replaced, not even
by two processes at once. Servers that do not know the header on some request ignore it silently; `prepare`
tries it out before the replica is taken into use.

A multipart upload that was killed leaves parts that no list shows and `sweep` cannot find: the bucket needs a
lifecycle rule that ends unfinished uploads after some days.
"""

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import BufferedReader
from typing import BinaryIO
from uuid import uuid4

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    NotFoundError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from armarium.storage.backends.medium import INCOMING, Entry, Ranges, ended_early, same_bytes, windows
from armarium.storage.backends.transfer import Source

SMALL = 16 * 1024 * 1024  # up to here a file is one request, and its name the condition of it
WINDOW = 8 * 1024 * 1024  # of a range read: five times as fast as 1 MiB on the loopback
PART = 8 * 1024 * 1024
MOST_PARTS = 9_000  # S3 takes 10,000
PARTS_AT_ONCE = 4
# CopyObject takes 5 GiB at most. Larger files are written by a multipart upload straight to their name, after
# a look that it is free: the upload has no name either until its last request, but that one has no condition.
# That nobody else stores the same name in between is then up to the register, which knows each name once.
MOST_COPIED = 5 * 1024**3
LISTED = 1_000
# Answers that speak of the server's state. obstore tells the status only in its sentence.
PAST_THE_END = re.compile(r"status code: 416")
BUSY = re.compile(r"status code: (?:429|502|503|504)")
NO_BUCKET = "There is no such bucket"
REFUSED_KEYS = "The keys were refused (403)"
BUFFER = 256 * 1024  # of an opened file: a record is read, not the file


class IgnoresConditions(OSError):  # noqa: N818
    """The server would have overwritten."""


@dataclass(frozen=True)
class Clients:
    """One bucket, with three kinds of patience: an outage is to be noticed, a long copy is none."""

    quick: S3Store  # asks whether the server answers
    steady: S3Store  # moves bytes, a few MiB a request
    patient: S3Store  # lets the server copy


@dataclass(frozen=True)
class OpenObject:
    key: str
    clients: Clients
    size: int
    window: int = WINDOW

    def at(self, start: int, length: int) -> memoryview:
        with plainly():
            piece = obstore.get_range(self.clients.steady, self.key, start=start, length=length)
        if len(piece) < length:
            raise ended_early(self.key, start, length, len(piece))
        return memoryview(piece)

    def forget(self) -> None:
        """There is no cache here but the server's, of which we know nothing."""

    def close(self) -> None:
        """Nothing is open between two requests."""


@dataclass(frozen=True)
class BucketMedium:
    clients: Clients
    url: str  # s3://bucket/prefix, without a slash at its end
    small: int = SMALL
    most_copied: int = MOST_COPIED

    def prepare(self) -> None:
        """Refuse a server that overwrites, or that does not say of a missing object that it is missing."""
        one, two = f"{INCOMING}/trial-{uuid4().hex}", f"{INCOMING}/trial-{uuid4().hex}"
        if self.look(one) is not None:
            raise IgnoresConditions(errno.EIO, "it says of a random name that it is taken")
        self.create_small(one, b"one")
        self.create_small(two, b"two")
        try:
            self._must_refuse("a second upload", lambda: self.create_small(one, b"two"))
            self._must_refuse("a copy to a name that is taken", lambda: self.duplicate(one, two))
        finally:
            for trial in (one, two):
                with suppress(OSError):
                    self.delete(trial)

    def glance(self, key: str) -> bytes:
        with plainly():
            return bytes(obstore.get(self.clients.quick, key).bytes())

    def create(self, key: str, source: Source) -> None:
        size = source.facts.size
        if size <= self.small:
            self.create_small(key, b"".join(source.pieces()))
        elif size > self.most_copied:
            self._upload(key, source)
        else:
            self._upload_and_copy(key, source)

    def create_small(self, key: str, content: bytes) -> None:
        with plainly():
            obstore.put(self.clients.steady, key, content, mode="create")

    def settle(self, key: str) -> None:
        """An object that the server lists is as durable as it will be."""

    def look(self, key: str) -> Entry | None:
        try:
            with plainly():
                found = obstore.head(self.clients.steady, key)
        except FileNotFoundError:
            return None
        return Entry(key, found["size"], found["last_modified"])

    def read(self, key: str, start: int, length: int) -> bytes:
        if length <= 0:
            return b""
        try:
            with plainly():
                return bytes(obstore.get_range(self.clients.steady, key, start=start, length=length))
        except OSError as error:
            if PAST_THE_END.search(str(error)):
                return b""
            raise

    def reader(self, key: str) -> OpenObject:
        with plainly():
            found = obstore.head(self.clients.steady, key)
        return OpenObject(key, self.clients, found["size"])

    def open(self, key: str) -> BinaryIO:
        return BufferedReader(Ranges(self.reader(key)), BUFFER)

    def entries(self, prefix: str, after: str = "") -> Iterator[Entry]:
        with plainly():
            listed = obstore.list(self.clients.steady, prefix, offset=after or None, chunk_size=LISTED)
        while True:
            with plainly():
                some = next(listed, ())
            if not some:
                return
            for found in some:
                yield Entry(found["path"], found["size"], found["last_modified"])

    def top(self) -> Iterator[Entry]:
        with plainly():
            found = obstore.list_with_delimiter(self.clients.steady)
        for prefix in found["common_prefixes"]:
            yield Entry(prefix.rstrip("/"), -1, datetime.min.replace(tzinfo=UTC))
        for one in found["objects"]:
            yield Entry(one["path"], one["size"], one["last_modified"])

    def move_folder(self, key: str, other: str) -> bool:  # noqa: ARG002
        """A bucket has no folders: what is written so are names of other objects."""
        return False

    def duplicate(self, key: str, other: str) -> None:
        found = self.look(key)
        if found is not None and found.size > self.most_copied:
            self._duplicate_large(key, other, found.size)
            return
        with plainly():
            obstore.copy(self.clients.patient, key, other, overwrite=False)

    def alike(self, key: str, other: str) -> bool:
        return same_bytes(self, key, other)

    def delete(self, key: str) -> None:
        with plainly(), suppress(FileNotFoundError):
            obstore.delete(self.clients.steady, key)

    def address(self, key: str) -> str:
        return f"{self.url}/{key}"

    def _upload_and_copy(self, key: str, source: Source) -> None:
        temporary = f"{INCOMING}/{uuid4().hex}"
        try:
            self._upload(temporary, source)
            self.duplicate(temporary, key)
        finally:
            with suppress(OSError):  # what stays behind is swept one day
                self.delete(temporary)

    def _duplicate_large(self, key: str, other: str, size: int) -> None:
        """Through this process, by a writer: an iterator that obstore reads may not call obstore itself."""
        if self.look(other) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), other)
        with plainly():
            writer = obstore.open_writer(
                self.clients.steady, other, buffer_size=_part(size), max_concurrency=1
            )
            for window in windows(self.reader(key)):
                writer.write(window)
            writer.close()  # only now there is an object

    def _upload(self, key: str, source: Source) -> None:
        """The object appears when the last part is there, and not at all if the pieces end in an error."""
        with plainly():
            obstore.put(
                self.clients.steady,
                key,
                source.pieces(),
                use_multipart=True,
                chunk_size=_part(source.facts.size),
                max_concurrency=PARTS_AT_ONCE,
            )

    def _must_refuse(self, what: str, attempt: Callable[[], None]) -> None:
        try:
            attempt()
        except FileExistsError:
            return
        raise IgnoresConditions(
            errno.EIO,
            f"this server does not refuse {what} (If-None-Match), so copies could be overwritten; "
            "try the option conditional_copy = multipart, or another server",
        )


def _part(size: int) -> int:
    return max(PART, -(-size // MOST_PARTS))


@contextmanager
def plainly() -> Iterator[None]:
    """The errors of obstore as those of the system; their first line says what happened."""
    try:
        yield
    except (AlreadyExistsError, PreconditionError) as error:
        raise FileExistsError(errno.EEXIST, _first_line(error)) from error
    except (NotFoundError, FileNotFoundError) as error:
        said = NO_BUCKET if "NoSuchBucket" in str(error) else _first_line(error)
        raise FileNotFoundError(errno.ENOENT, said) from error
    except (PermissionDeniedError, UnauthenticatedError) as error:
        raise PermissionError(errno.EACCES, REFUSED_KEYS) from error
    except BaseError as error:
        busy = BUSY.search(_first_line(error))
        raise OSError(errno.EAGAIN if busy else errno.EIO, _first_line(error)) from error


def _first_line(error: Exception) -> str:
    """Without the document that the server sent along."""
    return str(error).partition("\n")[0].partition("<?xml")[0].partition("<Error>")[0].rstrip(" :")
