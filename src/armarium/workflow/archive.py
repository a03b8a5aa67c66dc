"""Access → index, storage and planning: the archive as the reading room sees it."""

import io
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field

from armarium.access.model import EVERYTHING, WHOLE, Captures, Collection, Provenance
from armarium.core.errors import NotFound
from armarium.core.lately import Lately
from armarium.core.message import message
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Record
from armarium.index.chain.model import MAIN
from armarium.index.chain.service import Chain
from armarium.planning.harvests.service import Harvests
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.files.model import FileFilter
from armarium.storage.files.reading import Reader
from armarium.storage.files.service import Files

SHORT = 4 << 20  # bytes of a record that is read and compared before any of it is shown
MOST_COLLECTIONS = 10_000
JOINT = "+"
MOST_TOGETHER = 20  # collections that one address may join
FRESH = 5.0  # seconds for which names of files and collections are remembered
OFTEN = 500  # files of a job that are read at a time


def no_collection(name: str) -> NotFound:
    return NotFound(message("There is no collection %(name)s.", name=name[:100]))


@dataclass(frozen=True)
class HouseArchive:
    chain: Chain
    reader: Reader  # that remembers
    files: Files
    catalogue: Catalogue
    harvests: Harvests
    jobs_of: Callable[[int], Sequence[int]]  # the jobs of a viewing
    _listed: Lately[str, Sequence[Collection]] = field(default_factory=lambda: Lately(FRESH))
    _origins: Lately[str, Provenance] = field(default_factory=lambda: Lately(FRESH))
    _of_jobs: Lately[tuple[int, ...], frozenset[str]] = field(default_factory=lambda: Lately(FRESH))

    def collections(self) -> Sequence[Collection]:
        return self._listed.get("", self._list)

    def collection(self, name: str) -> Collection:
        known = {one.name: one for one in self.collections()}
        named = dict.fromkeys(name.split(JOINT, MOST_TOGETHER))
        parts = [known.get(part) for part in named]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            raise no_collection(name)
        if len(found) == 1:
            return found[0]
        if any(part.everything for part in found):
            return known[EVERYTHING]
        return Collection(JOINT.join(named), ", ".join(part.title for part in found))

    def captures(self, collection: Collection) -> Captures:
        if collection.viewing is not None:
            return self.chain.lookup(only=self.files_of(self.jobs_of(collection.viewing)))
        if collection.everything:
            return self.chain.lookup()
        return self.chain.lookup(*collection.name.split(JOINT))

    def record(self, filename: str, offset: int, length: int | None) -> Record:
        if length is None or length > SHORT:
            # Nobody wants to wait until a film was read twice: what it is worth shows while it is read.
            found = next(iter(ArchiveReader(self.reader.open(filename), offset=offset)), None)
        else:
            data = io.BytesIO(self.reader.record_bytes(filename, offset, length))
            found = next(iter(ArchiveReader(data)), None)
        if found is None:
            raise NotFound(message("The record is not where the index says."))
        return found

    def record_pieces(
        self, filename: str, offset: int, length: int, first: int = 0, last: int | None = None
    ) -> Iterator[bytes]:
        return self.reader.record_pieces(filename, offset, length, first, last)

    def provenance(self, filename: str) -> Provenance:
        return self._origins.get(filename, lambda: self._provenance(filename))

    def files_of(self, jobs: Sequence[int]) -> Container[str]:
        """The names of all files that these jobs brought."""
        return self._of_jobs.get(tuple(jobs), lambda: frozenset(self._names_of(jobs)))

    def _names_of(self, jobs: Sequence[int]) -> list[str]:
        names: list[str] = []
        for job in jobs:
            offset = 0
            while True:
                page, _ = self.catalogue.page(FileFilter(job=job), limit=OFTEN, offset=offset)
                names += [file.name for file in page]
                offset += OFTEN
                if len(page) < OFTEN:
                    break
        return names

    def _list(self) -> Sequence[Collection]:
        found, _ = self.chain.collections.page(limit=MOST_COLLECTIONS)
        chosen = [
            Collection(one.name, one.title or one.name) for one in found if one.active and one.name != MAIN
        ]
        return [WHOLE, *chosen]

    def _provenance(self, filename: str) -> Provenance:
        try:
            file = self.files.named(filename)
        except NotFound:
            return Provenance(filename)
        name = self.harvests.get(file.harvest).name if file.harvest is not None else ""
        collections = self.chain.collections.names_of(file.harvest, file.accession)
        return Provenance(filename, file.harvest, name, file.job, str(file.accession or ""), collections)

    def membership(self, filename: str) -> frozenset[str]:
        """The collections to which a file belongs, for rules about collections."""
        return frozenset(self.provenance(filename).collections)
