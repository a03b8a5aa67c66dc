"""CSV, as spreadsheets of several countries write it, and safe to open with one."""

import codecs
import csv
import io
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.spreadsheet import harmless, restored
from armarium.selection.exchange import columns
from armarium.selection.exchange.model import Line

SEPARATORS = (";", ",", "\t")
LONGEST_LINE = 1_000_000  # characters; one that is longer is no line of records
PIECE = 1 << 20
csv.field_size_limit(LONGEST_LINE)  # further addresses alone may be a quarter of it
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def rows_of(file: BinaryIO, notes: list[Message]) -> Iterator[Line]:
    """The lines of the file, the header first; what was assumed is added to the notes."""
    encoding = _encoding(file, notes)
    file.seek(0)
    # Five bytes have no letter in Windows-1252: they are shown as �, and what they meant nobody knows.
    errors = "replace" if encoding == "cp1252" else "strict"
    text = io.TextIOWrapper(file, encoding, errors, newline="")
    try:
        first, above = _first_line(text)
        separator = _separator(first)
        yield from _rows(_again(first, text), separator, above)
    except UnicodeError as problem:
        raise Refused(message("The file ends in the middle of a character: it was cut off.")) from problem
    finally:
        if not file.closed:
            text.detach()  # the file belongs to whoever opened it


def _encoding(file: BinaryIO, notes: list[Message]) -> str:
    file.seek(0)
    start = file.read(4)
    for mark, encoding in BYTE_ORDER_MARKS:
        if start.startswith(mark):
            return encoding
    if start[1:2] == b"\0" or start[:1] == b"\0":
        chosen = "utf-16-le" if start[1:2] == b"\0" else "utf-16-be"
        notes.append(message("The file has no byte order mark: it was read as UTF-16."))
        return chosen
    if _is_utf_8(file):
        return "utf-8"
    notes.append(
        message(
            "The file is not UTF-8: it was read as Windows-1252, as older spreadsheets write it. If letters "
            "with accents look wrong, save it as “CSV UTF-8” and upload it again."
        )
    )
    return "cp1252"


def _is_utf_8(file: BinaryIO) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    file.seek(0)
    try:
        while piece := file.read(PIECE):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _first_line(text: Iterable[str]) -> tuple[str, int]:
    """The first line in which something stands, and how many empty ones stand above it."""
    for above, line in enumerate(_bounded(text)):
        if line.strip(" \t\r\n;,"):
            return line, above
    raise Refused(message("The file is empty. Its first line names the columns: address, title, theme, …"))


def _separator(header: str) -> str:
    """The one that gives the most columns that we know; the header tells, nobody has to guess."""

    def known(separator: str) -> tuple[int, int]:
        cells = next(csv.reader([header], delimiter=separator))
        return sum(columns.known(restored(cell)) is not None for cell in cells), len(cells)

    return max(SEPARATORS, key=known)


def _rows(lines: Iterable[str], separator: str, above: int) -> Iterator[Line]:
    reader = csv.reader(lines, delimiter=separator)
    number = above
    while True:
        number += 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as problem:
            raise Refused(
                message(
                    "Line %(line)s cannot be read: a quotation mark is opened there and never closed, or a "
                    "cell is longer than a million characters.",
                    line=number,
                )
            ) from problem
        yield Line(number, [restored(cell) for cell in cells])


def _again(first: str, rest: Iterable[str]) -> Iterator[str]:
    yield first
    yield from _bounded(rest)


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if len(line) > LONGEST_LINE:
            raise Refused(message("Line %(line)s is too long to be one of records.", line=number))
        yield line


def csv_line(values: Iterable[str], separator: str = ";") -> str:
    line = io.StringIO()
    csv.writer(line, delimiter=separator, quoting=csv.QUOTE_MINIMAL).writerow(
        [harmless(one) for one in values]
    )
    return line.getvalue()
