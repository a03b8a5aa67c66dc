"""Who goes on with a file that is stored: asked for by storage, given by whoever joins the rooms."""

from pathlib import Path
from typing import Protocol

from sqlalchemy import Connection

from armarium.core.storing import StoredFile
from armarium.storage.model import File


class Successor(Protocol):
    """Called inside the transaction: both happen or neither."""

    def stored(self, connection: Connection, file: StoredFile) -> None: ...

    def withdrawn(self, connection: Connection, file: StoredFile) -> None: ...

    def restored(self, connection: Connection, file: StoredFile) -> None:
        """It is given out again, or its content was decided anew: index it again."""

    def source_lost(self, connection: Connection, name: str, sha256: str) -> bool:
        """Where it arrived it is gone or altered, and no replica has it: whoever has it has to send it.
        Whether somebody may."""

    def lost(self, connection: Connection, name: str, sha256: str) -> None:
        """Nobody will send it: it will not be stored."""


def as_stored(file: File) -> StoredFile:
    assert file.stored_at is not None, "a file that is not stored has no successor"
    return StoredFile(
        id=file.id,
        name=file.name,
        kind=file.kind.value,
        size=file.size,
        sha256=file.sha256,
        stored_at=file.stored_at,
        job=file.job,
        harvest=file.harvest,
        accession=file.accession,
        companion=Path(file.companion) if file.companion else None,
        companion_sha256=file.companion_sha256,
    )
