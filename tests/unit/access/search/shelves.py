"""An archive of lines only: a real index over captures that a test makes up, and a policy that it states."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from armarium.access.model import OPEN, Collection, Decision, Effect, Provenance, Reader
from armarium.access.view import View
from armarium.core.errors import NotFound
from armarium.formats.cdx import CdxLine
from armarium.formats.url import surt
from armarium.formats.warc.records import Record
from armarium.index.lookup import Lookup
from tests.unit.index.captures import run_of

EVERYTHING = Collection("all", "Everything", everything=True)
ATTIC = Collection("attic", "The attic")
HIDDEN = Decision(Effect.HIDDEN)
RESTRICTED = Decision(Effect.RESTRICTED, message="Only in the reading room.")


def line(
    url: str,
    timestamp: str,
    content: str = "",
    *,
    mime: str = "text/html",
    status: str = "200",
) -> CdxLine:
    """`content`: captures with the same have the same digest; empty: one of its own."""
    digest = (content or timestamp).upper().ljust(32, "A")[:32]
    fields = {"url": url, "mime": mime, "status": status, "digest": f"sha1:{digest}", "length": "100"}
    return CdxLine(surt(url), timestamp, {**fields, "offset": "0", "filename": f"{timestamp[:6]}.warc.gz"})


def revisit(url: str, timestamp: str, content: str) -> CdxLine:
    return line(url, timestamp, content, mime="warc/revisit")


@dataclass
class Shelves:
    """Fulfils `sources.Archive`, but for the records."""

    lookups: dict[str, Lookup]
    known: Sequence[Collection] = field(default=(EVERYTHING, ATTIC))

    def collections(self) -> Sequence[Collection]:
        return self.known

    def collection(self, name: str) -> Collection:
        for each in self.known:
            if each.name == name:
                return each
        raise NotFound("There is no such collection.")

    def captures(self, collection: Collection) -> Lookup:
        return self.lookups[collection.name]

    def record(self, filename: str, offset: int, length: int | None) -> Record:
        raise NotFound("There are lines only.")

    def record_pieces(
        self, filename: str, offset: int, length: int, first: int = 0, last: int | None = None
    ) -> Iterator[bytes]:
        raise NotFound("There are lines only.")

    def provenance(self, filename: str) -> Provenance:
        return Provenance(filename, 3, "Elections", 17)


class Rules:
    def __init__(self, decide: Callable[[CdxLine], Decision] = lambda line: OPEN) -> None:
        self._decide = decide

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        return OPEN if reader.sees_everything else self._decide(line)


def shelves_of(folder: Path, lines: Iterable[CdxLine], attic: Iterable[CdxLine] = ()) -> Shelves:
    lookups = {}
    for name, held in (("all", [*lines, *attic]), ("attic", list(attic))):
        run = run_of(folder, name, sorted({each.to_cdxj() for each in held}))
        lookups[name] = Lookup(lambda run=run: [run])  # type: ignore[misc]
    return Shelves(lookups)


def view_of(
    folder: Path,
    lines: Iterable[CdxLine],
    decide: Callable[[CdxLine], Decision] = lambda line: OPEN,
) -> View:
    return View(shelves_of(folder, lines), Rules(decide), Reader(), EVERYTHING)
