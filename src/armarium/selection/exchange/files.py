"""A file of records, whatever its kind: its header understood, its lines one by one."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.selection.exchange import columns, csv_files, workbooks
from armarium.selection.exchange.columns import BY_KEY, Read
from armarium.selection.exchange.model import Line, Sheet

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
    if workbooks.is_workbook(start):
        return workbooks.rows_of(file, most_lines + 1)
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
