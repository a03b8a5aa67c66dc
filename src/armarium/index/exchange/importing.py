"""Index files of others become a run of ours."""

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from armarium.formats.cdx import BadLine, CdxLine, Directive, Fault, parse_lines
from armarium.formats.cdx.parsing import LONGEST_LINE, BlockLine, PathLine, parse_block_line, parse_path_line
from armarium.formats.url import surt
from armarium.index.runs import RunFacts, sort_into_run
from armarium.index.runs.merging import MEMORY, silent
from armarium.tasks.context import never

# The lines of an index file of others: plain, in gzip, or a ZipNum cluster by its index


LARGEST_BLOCK = 256 << 20  # bytes of lines in one member; what holds more is no block of an index
_GZIP = b"\x1f\x8b"
_CLUSTER = (".idx", ".summary")
Complain = Callable[[str, str], None]  # a reason by which complaints are counted, and what it was


def lines_of(path: Path, complain: Complain) -> Iterator[bytes]:
    """The lines without their ends. What cannot be read is complained about, and the rest is read."""
    if path.suffix in _CLUSTER:
        yield from _cluster(path, complain)
        return
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
        file.seek(0)
        if not packed:
            yield from _lines(file, complain)
            return
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield from _lines(unpacked, complain)
        except (EOFError, OSError, zlib.error) as error:
            complain("gzip", f"{path.name} cannot be unpacked behind byte {file.tell()}: {error}")


def _lines(file: BinaryIO | gzip.GzipFile, complain: Complain) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE + 2):
        whole = line.endswith(b"\n")
        if len(line) <= LONGEST_LINE + 1 or whole:
            yield line.rstrip(b"\r\n")
            continue
        complain("too-long", f"A line has more than {LONGEST_LINE} bytes.")
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)


def _cluster(path: Path, complain: Complain) -> Iterator[bytes]:
    parts = _parts(path, complain)
    meta = ""
    with path.open("rb") as index:
        for raw in _lines(index, complain):
            entry = parse_block_line(raw)
            if isinstance(entry, Directive):
                meta = entry.value.get("filename", "") if isinstance(entry.value, dict) else ""
            elif isinstance(entry, BadLine):
                complain("cluster", f"{path.name}: {entry.message}")
            else:
                yield from _block(entry, parts.get(entry.part) or _beside(path, entry.part or meta), complain)


def _parts(path: Path, complain: Complain) -> dict[str, Path]:
    """Where the parts lie that the `.loc` file beside the index knows, as far as they are on this machine."""
    places = path.with_suffix(".loc")
    parts: dict[str, Path] = {}
    if places.exists():
        for raw in places.read_bytes().splitlines():
            line = parse_path_line(raw)
            if isinstance(line, PathLine):
                found = [path.parent / place for place in line.places if "://" not in place]
                parts.update([(line.name, each) for each in reversed(found) if each.exists()])
            else:
                complain("cluster", f"{places.name}: {line.message}")
    return parts


def _beside(path: Path, part: str) -> Path:
    """A part that no `.loc` file tells of: by its name, with the endings that are usual."""
    name = Path(part).name  # wherever it lay: here it is beside the index
    tries = [path.parent / f"{name}{end}" for end in ("", ".cdx.gz", ".cdxj.gz", ".gz")]
    return next((each for each in tries if name and each.is_file()), tries[0])


def _block(entry: BlockLine, part: Path, complain: Complain) -> Iterator[bytes]:
    try:
        with part.open("rb") as file:
            file.seek(entry.offset)
            packed = file.read(min(entry.length, LARGEST_BLOCK))
        unpacking = zlib.decompressobj(wbits=31)
        text = unpacking.decompress(packed, LARGEST_BLOCK)
    except (OSError, zlib.error, OverflowError) as error:
        complain("cluster", f"The block of {entry.start} in {part.name} cannot be read: {error}")
        return
    if not unpacking.eof:
        complain("cluster", f"The block of {entry.start} in {part.name} is not whole.")
    for line in text.split(b"\n"):
        if line:
            yield line.rstrip(b"\r")


# A line of others as our index needs it: with a SURT key, a date in digits, and an address


# `com,example)/path`, `com,example:8080)/`, `dns:example.com`, `urn:…`; not `example.com/`, not `http://(com,`.
_SURT = re.compile(r"[^()/\s]+\)/|(?:dns|urn|mailto|data|filedesc|metadata|screenshot|info):")
_PORT = re.compile(r"[^/]*?(?::(\d+))?(?=/|\Z)")


SECOND = 14  # digits of a date; some indexes go to the millisecond


def adapted(line: CdxLine, *, rekey: bool = False) -> CdxLine | None:
    """The line with what it lacks; None if nothing tells its address."""
    fields = _completed(line)
    url = fields.get("url")
    key = line.key
    if url and (rekey or not _SURT.match(key)):
        key = surt(str(url))
    if not key:
        return None
    return CdxLine(key, _digits(line), fields)


def _completed(line: CdxLine) -> dict[str, Any]:
    fields = dict(line.fields)
    if "url" not in fields and not _SURT.match(line.key) and line.key:
        # The BnF wrote the host in place of the address, and the rest of the address in the key.
        fields = {"url": _rebuilt(str(fields.pop("host", "")), line.key), **fields}
    name = str(fields.get("filename", ""))
    if "offset" not in fields and "offset.uncompressed" in fields and not name.endswith(".gz"):
        fields["offset"] = fields.pop("offset.uncompressed")  # NetarchiveSuite's ARC files are not packed
    return fields


def _rebuilt(host: str, key: str) -> str:
    begin = _PORT.match(key)
    assert begin is not None, key
    port = f":{begin[1]}" if host and begin[1] and begin[1] != "80" else ""
    return f"http://{host}{port}{key[begin.end() :]}" if host else f"http://{key}"


def _digits(line: CdxLine) -> str:
    if line.timestamp.isdigit():
        return line.timestamp[:SECOND]  # an address of an archive has no more
    date = line.date
    return f"{date.year:04}{date:%m%d%H%M%S}" if date is not None else line.timestamp


# Many lines become a run


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
