"""Index files of others become a run of ours."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from armarium.formats.cdx import BadLine, CdxLine, Fault, parse_lines
from armarium.index.exchange.adapting import adapted
from armarium.index.exchange.reading import lines_of
from armarium.index.runs import RunFacts, sort_into_run
from armarium.index.runs.merging import silent
from armarium.index.runs.sorting import MEMORY
from armarium.tasks.context import never

SAMPLES = 100  # complaints that are kept in words


@dataclass(frozen=True)
class Complaint:
    file: str
    line: int  # from 1; 0 where no line can be named
    reason: str
    message: str


@dataclass
class ImportReport:
    """What came of the lines. `bad` counts those left out, by reason; `complaints` are the first of them."""

    read: int = 0
    taken: int = 0
    rekeyed: int = 0  # of those taken: lines that got a key of ours
    bad: Counter[str] = field(default_factory=Counter)
    complaints: list[Complaint] = field(default_factory=list)

    def complain(self, file: str, line: int, reason: str, message: str) -> None:
        self.bad[reason] += 1
        if len(self.complaints) < SAMPLES:
            self.complaints.append(Complaint(file, line, reason, message))


def import_index(
    paths: Sequence[Path],
    target: Path,
    *,
    rekey: bool = False,
    memory_bytes: int = MEMORY,
    stopping: Callable[[], bool] = never,
    progress: Callable[[int], None] = silent,
) -> tuple[RunFacts, ImportReport]:
    """Write a run of all these files at `target`: CDXJ, CDX in columns, packed or not, ZipNum by its `.idx`.

    A line keeps its key if that is a SURT key; with `rekey` every line that has an address gets ours.
    """
    report = ImportReport()
    lines = (line for path in paths for line in imported_lines(path, report, rekey=rekey))
    facts = sort_into_run(lines, target, memory_bytes=memory_bytes, stopping=stopping, progress=progress)
    return facts, report


def imported_lines(path: Path, report: ImportReport, *, rekey: bool = False) -> Iterator[bytes]:
    """The lines of a file as ours, in its order."""
    number = 0

    def complain(reason: str, what: str) -> None:
        report.complain(path.name, number, reason, what)

    for number, parsed in enumerate(parse_lines(lines_of(path, complain)), 1):  # noqa: B007  (told by complain)
        report.read += 1
        if isinstance(parsed, BadLine):
            if parsed.fault is not Fault.EMPTY:
                complain(parsed.fault, parsed.message)
        elif isinstance(parsed, CdxLine):
            line = adapted(parsed, rekey=rekey)
            if line is None:
                complain("address", "The line has neither a key nor an address.")
                continue
            report.taken += 1
            report.rekeyed += line.key != parsed.key
            yield line.to_cdxj()
