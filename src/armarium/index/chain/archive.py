"""What the index asks of storage; whoever puts the house together gives it."""

from collections.abc import Iterator
from typing import BinaryIO, Protocol

from sqlalchemy import Connection

from armarium.core.storing import Places, StoredFile


class Archive(Protocol):
    """What the index asks of storage, and of planning."""

    def open(self, name: str) -> BinaryIO:
        """A file that can be read anywhere."""

    def stored_after(self, file_id: int, most: int) -> list[StoredFile]:
        """Files that are stored and not withdrawn, by number."""

    def places(self) -> Iterator[Places]:
        """Where each is, sorted by the bytes of its name."""

    def harvest_name(self, connection: Connection, number: int) -> str:
        """What people call a harvest; empty: it is not known here."""

    def taken_over(self, connection: Connection, file_id: int) -> None:
        """The index needs the source and the companion of a file no more."""
