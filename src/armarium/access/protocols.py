"""What the reading room asks of the rest of the house. It owns these protocols; the doors fulfil them."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from armarium.access.model import Collection, Decision, Provenance, Reader
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Found, Query
from armarium.formats.warc.records import Record


class Captures(Protocol):
    """An index over one collection, or several, or the files of some jobs."""

    def search(self, query: Query) -> Found: ...

    def raw(self, query: Query) -> Iterator[bytes]: ...

    def resolve(self, line: CdxLine, *, url: str = "", date: str = "") -> CdxLine | None: ...


class Archive(Protocol):
    """Collections, their captures, and the records of these. Everything blocks: call it in a thread."""

    def collections(self) -> Sequence[Collection]:
        """Those that readers can choose, `all` first."""

    def collection(self, name: str) -> Collection:
        """One of them, or several joined by "+"; raises `NotFound`."""

    def captures(self, collection: Collection) -> Captures: ...

    def record(self, filename: str, offset: int, length: int | None) -> Record:
        """The record that begins there. A short one was read and found whole; a long one comes as it is read.

        Raises `NotFound` where the file is not, `Unavailable` where no copy of it can be read now.
        """

    def record_pieces(
        self, filename: str, offset: int, length: int, first: int = 0, last: int | None = None
    ) -> Iterator[bytes]:
        """A record as it stands in the file, or its bytes from `first` to `last`, that one included.

        Where files are verified, this happens before anything is given back.
        """

    def provenance(self, filename: str) -> Provenance: ...


class Policy(Protocol):
    """One policy for every door."""

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision: ...
