"""A file of records, whatever its kind: its header understood, its lines one by one;
and workbooks, which a process of their own reads."""

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from typing import IO, BinaryIO

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.selection.exchange import columns, csv_files, workbook_process
from armarium.selection.exchange.columns import BY_KEY, Read
from armarium.selection.exchange.model import Line, Sheet

SIGNATURE = b"PK\x03\x04"
MOST_PARTS = 2000
LARGEST_INFLATED = 1_000_000_000  # bytes, of all parts together
LARGEST_READ = 300_000_000  # bytes of cells, as the reader writes them: many cells may name one long text
MOST_MEMORY = 2_000_000_000  # bytes of addresses; a sheet of 30,000 records takes some 100 MB
PIECE = 1 << 20
#: A document type may define entities, and those may name files or grow without end. Spreadsheets write none.
DECLARATIONS = tuple(
    text.encode(code) for text in ("<!DOCTYPE", "<!ENTITY") for code in ("ascii", "utf-16-le")
)
#: Others take memory as their first bytes say, and no spreadsheet writes them.
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: What reading a damaged workbook may come to.
DAMAGED = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
)


def is_workbook(start: bytes) -> bool:
    return start.startswith(SIGNATURE)


def rows_of(file: BinaryIO, most_lines: int) -> Iterator[Line]:
    file.seek(0)
    with tempfile.NamedTemporaryFile(suffix=".xlsx") as copy:
        shutil.copyfileobj(file, copy)
        copy.flush()
        _look_through(copy.name)
        yield from _read(copy.name, most_lines)


def _look_through(path: str) -> None:
    """Refuse bombs before anything is read. What a part inflates to is bounded by what its entry says, and
    checked against its sum, so an entry that lies is found as well."""
    try:
        with zipfile.ZipFile(path) as book:
            parts = book.infolist()
            if len(parts) > MOST_PARTS or sum(part.file_size for part in parts) > LARGEST_INFLATED:
                raise _too_large()
            if any(part.compress_type not in COMPRESSIONS for part in parts):
                raise _unreadable()
            for part in parts:
                with book.open(part) as opened:
                    _refuse_declarations(opened)
    except DAMAGED as problem:
        raise _unreadable() from problem


def _refuse_declarations(part: IO[bytes]) -> None:
    kept = b""
    while piece := part.read(PIECE):
        seen = kept + piece
        if any(one in seen for one in DECLARATIONS):
            raise Refused(
                message(
                    "The workbook declares a document type, which no spreadsheet does: it is not read. "
                    "Save it anew with a spreadsheet, or as CSV."
                )
            )
        kept = seen[-32:]


def _read(path: str, most_lines: int) -> Iterator[Line]:
    command = [sys.executable, "-m", workbook_process.__name__, path, str(most_lines), str(MOST_MEMORY)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as reader:  # noqa: S603
        assert reader.stdout is not None
        ended, left = False, LARGEST_READ
        try:
            while written := reader.stdout.readline(left + 1):
                left -= len(written)
                if left < 0:
                    raise _too_large()
                number, cells = json.loads(written)
                yield Line(number, cells)
            ended = True
        except json.JSONDecodeError:
            ended = True  # it died in the middle of a line: its exit tells
        finally:
            if not ended:
                reader.kill()
    if reader.returncode == workbook_process.TOO_LARGE:
        raise _too_large()
    if reader.returncode == workbook_process.UNREADABLE:
        raise _unreadable()
    if reader.returncode:
        raise _too_large()


def _too_large() -> Refused:
    return Refused(
        message(
            "The workbook is too large, or claims to be: it has too many lines or columns, or takes too much "
            "memory. Copy its records into a new one, or save it as CSV."
        )
    )


def _unreadable() -> Refused:
    return Refused(
        message(
            "The workbook cannot be read: it is damaged, protected by a password, or no .xlsx file. Save it "
            "anew with a spreadsheet, or as CSV."
        )
    )


#: What older spreadsheets and other programs write. Their names are the same, so the beginning tells.
OTHER_KINDS = {b"\xd0\xcf\x11\xe0": ".xls", b"%PDF": ".pdf", b"{\\rtf": ".rtf"}


def sheet_of(file: BinaryIO, *, most_lines: int, curator: bool) -> Sheet:
    """Raises `Refused` for a file that is none of records."""
    notes: list[Message] = []
    lines = _bounded(_lines(file, notes, most_lines), most_lines)
    header = next((line for line in lines if any(cell.strip() for cell in line.cells)), None)
    if header is None:
        raise Refused(
            message("The file is empty. Its first line names the columns: address, title, theme, …")
        )
    keys = [columns.known(cell) if cell.strip() else None for cell in header.cells]
    _check(header, keys)
    _note_unread(header, keys, notes, curator)
    filled = (line for line in lines if any(cell.strip() for cell in line.cells))
    known = [place for place, key in enumerate(keys) if key]
    return Sheet([keys[place] for place in known], (_kept(line, known, len(keys)) for line in filled), notes)


def _kept(line: Line, known: Sequence[int], width: int) -> Line:
    """The cells that are read, and one more if the line has more than the header: the lines of a file are in
    memory together, and fifty megabytes of columns that nobody knows would take a gigabyte there."""
    cells = [line.cells[place] for place in known if place < len(line.cells)]
    further = next((cell for cell in line.cells[width:] if cell.strip()), None)
    return Line(line.number, cells if further is None else [*cells, further])


def _lines(file: BinaryIO, notes: list[Message], most_lines: int) -> Iterator[Line]:
    file.seek(0)
    start = file.read(8)
    if is_workbook(start):
        return rows_of(file, most_lines + 1)
    for beginning, kind in OTHER_KINDS.items():
        if start.startswith(beginning):
            raise Refused(
                message("This is a %(kind)s file. Save it as CSV or as .xlsx, and upload that.", kind=kind)
            )
    return csv_files.rows_of(file, notes)


def _bounded(lines: Iterator[Line], most: int) -> Iterator[Line]:
    for line in lines:
        if line.number > most + 1:
            raise Refused(
                message(
                    "The file has more than %(most)s lines. Import it in parts, or let the setting "
                    "selection.max_import_lines be raised.",
                    most=most,
                )
            )
        yield line


def _check(header: Line, keys: list[str | None]) -> None:
    found = [key for key in keys if key]
    if not {"address", "number"} & set(found):
        raise Refused(
            message(
                "Line %(line)s should name the columns, and among them “address” or “number”. It says: "
                "%(header)s. The columns are: %(all)s.",
                line=header.number,
                header=", ".join(header.cells)[:300],
                all=", ".join(BY_KEY),
            )
        )
    twice = next((key for key in found if found.count(key) > 1), None)
    if twice:
        raise Refused(message("The column “%(key)s” is there twice. Take one of them out.", key=twice))


def _note_unread(header: Line, keys: list[str | None], notes: list[Message], curator: bool) -> None:
    unknown = [cell.strip() for cell, key in zip(header.cells, keys, strict=True) if cell.strip() and not key]
    if unknown:
        notes.append(
            message(
                "Not read, because nobody knows these columns: %(names)s. Correct their names if they "
                "matter.",
                names=", ".join(unknown)[:500],
            )
        )
    reads = {key: BY_KEY[key].read for key in keys if key and key != "number"}
    own = [key for key, read in reads.items() if read is Read.NEVER]
    if own:
        notes.append(
            message("Not read, because Armarium keeps them itself: %(names)s.", names=", ".join(own))
        )
    decided = [key for key, read in reads.items() if read is Read.CURATORS]
    if decided and not curator:
        notes.append(
            message(
                "Not read, because only curators decide about proposals: %(names)s.", names=", ".join(decided)
            )
        )
