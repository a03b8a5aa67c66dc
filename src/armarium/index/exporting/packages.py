"""Captures as a WACZ: whole files, or the records of some captures; each revisit with its original.

The lines of the index go through two sorts, by file and place for copying, and by key again for the package:
nothing grows with the number of captures but files beside it.
"""

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import BinaryIO, NamedTuple

from armarium import __version__
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.parsing import capture_in
from armarium.formats.wacz.writing import PackageWriter
from armarium.formats.warc.cursor import Compression
from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.records import Revisit
from armarium.index.chain import file_queries
from armarium.index.chain.model import Kind, RunRow
from armarium.index.chain.rows import Provenance, Tables, tables_of_lines, tables_of_part, write_rows
from armarium.index.chain.service import Chain
from armarium.index.exchange import export_zipnum
from armarium.index.lookup import Lookup
from armarium.index.runs import Run, sort_into_run
from armarium.index.runs.folder import FolderPlace
from armarium.terminal.output import standard_output

PIECE = 1 << 20
HTML = frozenset({"text/html", "application/xhtml+xml"})
PAGES = {"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}
LONGEST_ID = 22  # characters, as other writers have them
_ORIGINAL = "orig."  # how fields begin that say where the original of a revisit lies
Open = Callable[[str], BinaryIO]  # a file of the archive, by its name


def export_wacz(
    lines: Iterable[bytes],
    target: BinaryIO,
    *,
    archive: Lookup,
    open_file: Open,
    whole: Collection[str] = (),
    title: str = "",
) -> int:
    """Write the captures of these lines, and the originals of those that were unchanged; how many in all.

    `archive` is all that there is: an original may lie outside of what is exported. `whole`: names of files
    that are copied as they are, with their requests and metadata; of others only what is wanted.
    """
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        wanted = _Wanted(archive, open_file)
        rows = _sorted(wanted.rows(lines), folder / "by-place")
        writer = PackageWriter(target)
        with (folder / "moved").open("wb") as moved:
            _copy(rows, writer, moved, open_file, frozenset(whole))
        with (folder / "moved").open("rb") as moved:
            _sorted((line.removesuffix(b"\n") for line in moved), folder / "by-key")
        run = Run(FolderPlace(folder), "by-key")
        facts = export_zipnum((row[:-2] for row in run.scan()), folder, "index", wacz=True)
        for path in facts.files:
            with path.open("rb") as file:
                writer.add(f"indexes/{path.name}", _pieces(file), packed=path.suffix == ".idx")
        writer.add("pages/pages.jsonl", _pages(run), packed=True)
        writer.close(created=wanted.newest, software=f"armarium/{__version__}", title=title)
        return facts.lines


def _sorted(rows: Iterable[bytes], target: Path) -> Iterator[bytes]:
    sort_into_run(rows, target)
    return Run(FolderPlace(target.parent), target.name).scan()


class _Row(NamedTuple):
    """A capture by its place. Written so that the order of bytes is that of the places."""

    name: str
    offset: int
    length: int
    page: bool
    line: bytes

    def __bytes__(self) -> bytes:
        return b"%s %020d %020d %d %s" % (
            self.name.encode(),
            self.offset,
            self.length,
            self.page,
            self.line,
        )

    @classmethod
    def read(cls, raw: bytes) -> "_Row":
        name, offset, length, page, line = raw.split(b" ", 4)
        return cls(name.decode(), int(offset), int(length), page == b"1", line)


@dataclass
class _Wanted:
    """What is to be copied, and the date of its newest capture, which is that of the package."""

    archive: Lookup
    open_file: Open
    newest: datetime = datetime(1980, 1, 1, tzinfo=UTC)

    def rows(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        for line in filter(None, map(capture_in, lines)):
            original = self.archive.resolve(line) or self._referred_to(line)
            if original is not None and original is not line:
                yield from _row(original, page=False)
            yield from _row(line, page=bool(line.status == 200 and original and original.mime in HTML))
            self.newest = max(self.newest, line.date or self.newest)

    def _referred_to(self, line: CdxLine) -> CdxLine | None:
        """Under another address: only the record of the revisit names it, and no line does."""
        if line.filename is None or line.offset is None:
            return None
        with self.open_file(line.filename) as file:
            record = next(iter(ArchiveReader(file, offset=line.offset)), None)
            if not isinstance(record, Revisit) or not (url := record.refers_to_target_uri):
                return None
            date = record.refers_to_date
            return self.archive.resolve(
                line, url=url, date=f"{date.year:04}{date:%m%d%H%M%S}" if date else ""
            )


def _row(line: CdxLine, *, page: bool) -> Iterator[bytes]:
    if line.filename is not None and line.offset is not None:  # else it names no record
        fields = {name: value for name, value in line.fields.items() if not name.startswith(_ORIGINAL)}
        written = replace(line, fields=fields).to_cdxj()
        yield bytes(_Row(line.filename, line.offset, line.length or 0, page, written))


def _copy(
    rows: Iterable[bytes], writer: PackageWriter, moved: BinaryIO, open_file: Open, whole: Collection[str]
) -> None:
    """Copy files and records; `moved` gets the lines as they are now, each with whether it is a page."""
    left = set(whole)
    for name, group in groupby(map(_Row.read, rows), key=lambda row: row.name):
        once = (_merged(list(same)) for _, same in groupby(group, key=lambda row: row.offset))
        with open_file(name) as file:
            if name in left:
                left.remove(name)
                moved.writelines(b"%s\t%d\n" % (row.line, row.page) for row in once)
                writer.add(f"archive/{name}", _pieces(file))
            else:
                writer.add(f"archive/{name}", _cut(file, once, moved))
    for name in sorted(left):
        with open_file(name) as file:
            writer.add(f"archive/{name}", _pieces(file))


def _merged(same: list[_Row]) -> _Row:
    """A capture that is wanted for itself and as an original stands there twice."""
    return same[0]._replace(page=any(row.page for row in same))


def _cut(file: BinaryIO, rows: Iterator[_Row], moved: BinaryIO) -> Iterator[bytes]:
    """The wanted records of a file, behind the record with which it begins: that describes the others, and
    without it an ARC is none."""
    reader = ArchiveReader(file)
    first = next(iter(reader))
    separator = b""
    if reader.compression is Compression.NONE:
        separator = b"\n" if reader.format == "ARC" else b"\r\n\r\n"
    beginning, position = first.offset, first.offset + first.length
    row: _Row | None = next(rows)
    if row is not None and row.offset == beginning:
        position = beginning  # it is wanted itself
    yield from _stretch(file, 0, position)
    while row is not None:
        line = capture_in(row.line)
        assert line is not None, "it was read before"
        fields = {**line.fields, "offset": str(position)}
        moved.write(b"%s\t%d\n" % (replace(line, fields=fields).to_cdxj(), row.page))
        length = row.length or _length(file, row.offset)
        yield from _stretch(file, row.offset, length)
        yield separator
        position += length + len(separator)
        row = next(rows, None)


def _length(file: BinaryIO, offset: int) -> int:
    """Of a record whose line does not tell it, as in indexes of others."""
    return next((record.length for record in ArchiveReader(file, offset=offset)), 0)


def _pages(run: Run) -> Iterator[bytes]:
    yield json.dumps(PAGES).encode() + b"\n"
    for row in run.scan():
        line = capture_in(row[:-2]) if row.endswith(b"1") else None
        if line is not None and line.date is not None:
            mark = hashlib.sha256(row).hexdigest()[:LONGEST_ID]
            page = {"id": mark, "url": line.url, "ts": line.date.strftime("%Y-%m-%dT%H:%M:%SZ")}
            yield json.dumps(page).encode() + b"\n"


def _stretch(file: BinaryIO, begin: int, length: int) -> Iterator[bytes]:
    file.seek(begin)
    while length > 0 and (piece := file.read(min(PIECE, length))):
        length -= len(piece)
        yield piece


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(PIECE):
        yield piece


@contextmanager
def written(target: Path | None) -> Iterator[BinaryIO]:
    """A file to write to; None: standard output."""
    if target is None:
        with standard_output() as output:
            yield output.buffer
            output.buffer.flush()
        return
    with fresh(target) as path, path.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())


@contextmanager
def fresh(target: Path) -> Iterator[Path]:
    """Where to write what becomes `target` once it is whole."""
    check(target)
    path = target.with_name(f"{target.name}.fresh")
    try:
        yield path
        path.replace(target)
    except OSError as error:
        told = message("%(path)s cannot be written: %(error)s.", path=str(target), error=str(error.strerror))
        raise Refused(told) from error
    finally:
        path.unlink(missing_ok=True)


def check(target: Path) -> None:
    if not target.parent.is_dir():
        raise Refused(message("There is no folder %(path)s. Create it first.", path=str(target.parent)))
    if target.exists():
        raise Refused(message("%(path)s already exists. Choose another name.", path=str(target)))


def copy(source: Path, target: Path | None) -> None:
    with source.open("rb") as read, written(target) as file:
        shutil.copyfileobj(read, file)


# All rows for analysis in one Parquet file: those of days that were merged, and those of fresh files


def export_rows(services: Services, target: Path) -> int:
    """The number of rows. Those of files that were withdrawn are left out."""
    chain, database = services.get(Chain), services.get(Database)
    with database.transaction() as connection:
        hidden = frozenset(file_queries.hidden_names(connection))
    sources = [_tables(chain, database, run) for run in chain.runs(kind=Kind.ROWS)]
    return write_rows(sources, target, without=hidden)


def _tables(chain: Chain, database: Database, run: RunRow) -> Tables:
    return tables_of_part(chain.place, run.name) if run.kind is Kind.ROWS else _of_file(chain, database, run)


def _of_file(chain: Chain, database: Database, run: RunRow) -> Tables:
    with database.transaction() as connection:
        [file] = file_queries.files_in(connection, run.id, run.collection, Kind.ROWS)
    lines = Run(chain.place, run.name).scan()
    return tables_of_lines(lines, Provenance(file.job, file.harvest, file.accession))
