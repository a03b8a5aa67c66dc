"""One file of an import: looked at, registered, stored. Its source is never changed."""

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import structlog

from armarium.core.errors import ArmariumError, NotFound, Refused
from armarium.core.storing import SealedFile
from armarium.core.text import storable
from armarium.db.database import Database
from armarium.formats.wacz.package import BadPackage, is_zip
from armarium.formats.warc.writer import OPEN_SUFFIX
from armarium.storage.backends.place import Sums
from armarium.storage.backends.transfer import digest_path
from armarium.storage.files.registering import OtherContent
from armarium.storage.files.service import Files
from armarium.storage.files.storing import BadSource
from armarium.storage.intake import queries
from armarium.storage.intake.model import NOT_TAKEN, Accession, Line, Offered, Outcome
from armarium.storage.intake.naming import Rules, archive_name, kind_of
from armarium.storage.intake.packages import UNPACKED, Unpacking
from armarium.storage.intake.sources import (
    Look,
    claims_to_be_archive,
    companion_of,
    is_companion,
    is_index,
    is_open,
    look,
)
from armarium.storage.model import File, Origin

log = structlog.get_logger(__name__)

NO_TEXT = "Its path is not valid UTF-8. Rename the file, or the folder, and import it again."
OPEN = "It is still being written, or its writer died: its name ends in .open. --damaged takes it as it is."
TAKE_IT = "If it is worth keeping nevertheless, --damaged takes it as it is."
AS_DAMAGED = "Taken as damaged, because somebody asked for it."
SETTLED = frozenset({Outcome.TAKEN, Outcome.KNOWN})
LONGEST_MARK = 4  # bytes by which a ZIP is known
MOST_FAULTS = 3  # that one remark tells
AS_ASKED = "Passed over, as asked."
LONE_INDEX = "It is an index, and the file of which it speaks does not lie beside it. Name it with --cdx."


@dataclass(frozen=True)
class FileImport:
    database: Database
    files: Files
    accession: Accession
    folder: Path  # of ours, for what is taken out of packages
    cdx: Path | None = None  # speaks of the files; or a folder with further CDX files, named as they are
    rules: Rules = field(default_factory=Rules)

    def take(self, offered: Offered, *, named: bool = False) -> list[Line]:
        """What became of the file and of those in it, written down. `named`: somebody asked for this one."""
        inner: list[Line] = []
        taken = self._taken(offered, named, inner)
        line = replace(taken, path=str(offered.path), size=offered.size, changed_ns=offered.changed_ns)
        for one in (*inner, line):
            self.write(one)
        return [*inner, line]

    def write(self, line: Line) -> None:
        with self.database.transaction() as connection:
            queries.put_line(connection, self.accession.id, line)

    def _taken(self, offered: Offered, named: bool, inner: list[Line]) -> Line:
        path = offered.path
        if not named and (passed := self._passed_over(path)):
            return passed
        if is_open(path.name) and not self.rules.damaged:
            return Line("", Outcome.REFUSED, remark=OPEN)
        if storable(str(path)) != str(path):
            return Line("", Outcome.REFUSED, remark=NO_TEXT)
        try:
            with path.open("rb") as file:
                packed = is_zip(file.read(LONGEST_MARK))
                file.seek(0)
                try:
                    if packed:
                        return self._unpacked(offered, file, inner)
                    seen = look(file)
                except BadPackage as bad:
                    seen = Look("", str(bad))
            if not seen.format:
                claims = offered.size > 0 and (named or claims_to_be_archive(path.name))
                if not claims or not self.rules.damaged:
                    remark = f"{seen.problem} {TAKE_IT}" if claims else seen.problem
                    return Line("", Outcome.FOREIGN, remark=remark)
            sums = digest_path(path)
        except OSError as error:
            return Line("", Outcome.UNREADABLE, remark=f"{error.strerror or error}.")
        return self._stored(offered, seen, sums)

    def _unpacked(self, offered: Offered, file: BinaryIO, inner: list[Line]) -> Line:
        """The files of a package, each with a line of its own."""
        mark = hashlib.sha256(str(offered.path).encode()).hexdigest()[:16]
        folder = self.folder / f"{UNPACKED}-{mark}"
        unpacking = Unpacking(offered.path, file, folder)
        faults = unpacking.faults()
        if faults and not self.rules.damaged:
            return Line("", Outcome.REFUSED, remark=" ".join([*faults[:MOST_FAULTS], TAKE_IT]))
        damage = " ".join([*faults[:MOST_FAULTS], AS_DAMAGED]) if faults else ""
        for path, part in unpacking.parts():
            with part.open("rb") as opened:
                seen = look(opened)
            sums = digest_path(part)
            made = Offered(part, sums.size, offered.changed_ns)
            line = self._part(path, made, seen, sums, damage)
            if line.outcome in SETTLED:
                part.unlink(missing_ok=True)  # another import of the same package may have been faster
            name = f"{offered.path}/{path}"
            inner.append(replace(line, path=name, size=sums.size, changed_ns=offered.changed_ns))
        with suppress(OSError):  # what waits for a replica stays there until it is stored
            folder.rmdir()
        return _summary(inner, damage)

    def _part(self, path: str, made: Offered, seen: Look, sums: Sums, damage: str) -> Line:
        """One file of a package: by what it holds; its name says only what it was meant to be."""
        name = path.rpartition("/")[2]
        claims = sums.size > 0 and claims_to_be_archive(name)
        if seen.format or (claims and self.rules.damaged):
            return self._stored(made, replace(seen, problem=f"{damage} {seen.problem}".strip()), sums)
        if self.rules.passes_over(name):
            return Line("", Outcome.PASSED, remark=AS_ASKED)
        return Line("", Outcome.FOREIGN, remark=f"{seen.problem} {TAKE_IT}" if claims else seen.problem)

    def _passed_over(self, path: Path) -> Line | None:
        """What need not be taken, or what makes a file one that cannot be."""
        if self.rules.passes_over(path.name):
            return Line("", Outcome.PASSED, remark=AS_ASKED)
        if not is_index(path.name):
            return None
        if is_companion(path) or (self.cdx is not None and path.is_relative_to(self.cdx)):
            return Line("", Outcome.PASSED)
        return Line("", Outcome.FOREIGN, remark=LONE_INDEX)

    def _stored(self, offered: Offered, seen: Look, sums: Sums) -> Line:
        own_name = offered.path.name.removesuffix(OPEN_SUFFIX)
        wanted = self.rules.renamed(own_name)
        name = archive_name(wanted)
        remarks = [seen.problem]
        if not seen.format or own_name != offered.path.name:
            remarks.append(AS_DAMAGED)
        if name != wanted:
            remarks.append(f"Kept under another name: no replica can keep “{wanted}”.")
        if wanted != own_name:
            if (there := self._known(own_name, sums)) is not None:
                return Line("", Outcome.KNOWN, own_name, seen.problem, file=there.id)
            remarks.append(f"Renamed by rule; it was “{own_name}”.")
        return self._kept(name, offered, seen, sums, " ".join(filter(None, remarks)))

    def _known(self, name: str, sums: Sums) -> File | None:
        """The very file, if the archive has it under the name that it had before a rule changed it."""
        try:
            file = self.files.named(name)
        except NotFound:
            return None
        return file if (file.sha256, file.size) == (sums.sha256, sums.size) and file.stored_at else None

    def _kept(self, name: str, offered: Offered, seen: Look, sums: Sums, remark: str) -> Line:
        try:
            file, is_new = self._register(name, offered, seen, sums, remark)
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

    def _register(
        self, name: str, offered: Offered, seen: Look, sums: Sums, remark: str
    ) -> tuple[File, bool]:
        """The row of the file, and whether it came with this accession."""
        companion = offered.companion or companion_of(offered.path, self.cdx)
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
                details={"remark": remark} if remark else None,
            )
        return file, file.accession == self.accession.id and Path(file.source) == offered.path


def _summary(inner: Sequence[Line], damage: str) -> Line:
    """The line of a package, of which each file has one."""
    lost = [line for line in inner if line.outcome in NOT_TAKEN]
    if lost:
        remark = f"{len(lost)} of its {len(inner)} files were not taken."
        return Line("", lost[0].outcome, remark=remark)
    waiting = any(line.outcome is Outcome.WAITING for line in inner)
    return Line("", Outcome.WAITING if waiting else Outcome.UNPACKED, remark=damage)
