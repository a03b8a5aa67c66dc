"""One file of an import: looked at, registered, stored. Its source is never changed."""

from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from armarium.core.errors import ArmariumError, Refused
from armarium.core.storing import SealedFile
from armarium.core.text import storable
from armarium.db.database import Database
from armarium.storage.files.registering import OtherContent
from armarium.storage.files.service import Files
from armarium.storage.files.storing import BadSource
from armarium.storage.intake import queries
from armarium.storage.intake.looking import Look, look
from armarium.storage.intake.model import Accession, Line, Offered, Outcome
from armarium.storage.intake.naming import archive_name, kind_of
from armarium.storage.intake.walking import claims_to_be_archive, companion_of, is_index, is_open
from armarium.storage.model import File, Origin
from armarium.storage.replicas.digesting import digest_path
from armarium.storage.replicas.place import Sums

log = structlog.get_logger(__name__)

NO_TEXT = "Its path is not valid UTF-8. Rename the file, or the folder, and import it again."
OPEN = "It is still being written, or its writer died: its name ends in .open."


@dataclass(frozen=True)
class Taking:
    database: Database
    files: Files
    accession: Accession
    indexes: Path | None = None  # a folder with further CDX files, named as the files that they speak of

    def take(self, offered: Offered, *, named: bool = False) -> Line:
        """What became of the file, written down. `named`: somebody asked for this very file."""
        line = replace(
            self._taken(offered, named),
            path=str(offered.path),
            size=offered.size,
            changed_ns=offered.changed_ns,
        )
        self.write(line)
        return line

    def write(self, line: Line) -> None:
        with self.database.transaction() as connection:
            queries.put_line(connection, self.accession.id, line)

    def _taken(self, offered: Offered, named: bool) -> Line:
        path, passed = offered.path, Outcome.PASSED
        if is_index(path.name) and not named:
            return Line("", passed)
        if is_open(path.name):
            return Line("", Outcome.REFUSED, remark=OPEN)
        if storable(str(path)) != str(path):
            return Line("", Outcome.REFUSED, remark=NO_TEXT)
        try:
            with path.open("rb") as file:
                seen = look(file)
            if not seen.format:
                claims = named or claims_to_be_archive(path.name)
                return Line("", Outcome.FOREIGN if claims else passed, remark=seen.problem if claims else "")
            sums = digest_path(path)
        except OSError as error:
            return Line("", Outcome.UNREADABLE, remark=f"{error.strerror or error}.")
        return self._stored(offered, seen, sums)

    def _stored(self, offered: Offered, seen: Look, sums: Sums) -> Line:
        name = archive_name(offered.path.name)
        remarks = [seen.problem]
        if name != offered.path.name:
            remarks.append(f"Kept under another name: no replica can keep “{offered.path.name}”.")
        remark = " ".join(filter(None, remarks))
        try:
            file, is_new = self._register(name, offered, seen, sums)
        except OtherContent as refusal:
            return Line("", Outcome.REFUSED, name, " ".join(filter(None, (str(refusal), remark))))
        except Refused as refusal:
            return Line("", Outcome.REFUSED, name, str(refusal))
        if file.stored_at is not None:
            return Line("", Outcome.KNOWN, name, remark, file=file.id)
        try:
            self.files.store(file.id)
        except BadSource as trouble:
            return Line("", Outcome.UNREADABLE, name, str(trouble), file=file.id)
        except ArmariumError as trouble:  # a replica is away: the sweep goes on with it
            waiting = f"Not yet in all replicas: {trouble}"
            return Line("", Outcome.WAITING, name, " ".join(filter(None, (waiting, remark))), file=file.id)
        return Line("", Outcome.TAKEN if is_new else Outcome.KNOWN, name, remark, file=file.id)

    def _register(self, name: str, offered: Offered, seen: Look, sums: Sums) -> tuple[File, bool]:
        """The row of the file, and whether it came with this accession."""
        companion = offered.companion or companion_of(offered.path, self.indexes)
        kind = kind_of(name).value
        sealed = SealedFile(name, kind, sums.size, sums.sha256, offered.path, companion=companion)
        original = storable(seen.original_job(offered.path.name))
        with self.database.transaction() as connection:
            file = self.files.register(
                connection,
                sealed,
                origin=Origin.IMPORT,
                accession=self.accession.id,
                original_job=original,
            )
        return file, file.accession == self.accession.id and Path(file.source) == offered.path
