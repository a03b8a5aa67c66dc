"""A file of the archive as a batch function sees it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record


class Opens(Protocol):
    """Where the bytes come from: storage's reader."""

    def open(self, name: str) -> BinaryIO: ...


@dataclass(frozen=True)
class BatchFile:
    name: str
    size: int
    sha256: str
    job: int | None
    harvest: int | None
    source: Opens

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Its bytes, from whichever copy is well."""
        file = self.source.open(self.name)
        try:
            yield file
        finally:
            file.close()

    def records(self, *, strict: bool = False) -> Iterator[Record]:
        """Its records in turn. Read a record before the next is asked for.

        Damage is passed over, and stands in the records' `problems`; strict reading raises at the first.
        """
        with self.open() as file:
            yield from ArchiveReader(file, strict=strict)
