"""What planning needs of the rooms after it. They are joined in `workflow`."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from sqlalchemy import Connection

from armarium.core.storing import SealedFile


class Archive(Protocol):
    def landed(self, connection: Connection, file: SealedFile) -> None:
        """Take a file, in the transaction in which it is noted as landed.

        Raises `Refused` if the archive has a file of this name with another content.
        """


class EarlierCaptures(Protocol):
    def lines(self, domains: Sequence[str]) -> Iterator[bytes] | None:
        """Sorted CDXJ of what the archive has of these domains, each line with its line feed.

        None, or none, if there is nothing to be had.
        """
