"""Excel's .xlsx: looked through for what no spreadsheet writes, then read by a process that may die of it."""

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, BinaryIO

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.selection.exchange import workbook_process
from armarium.selection.exchange.model import Line

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
