"""Records as a file, however many: some hundred of them are in memory at a time."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Any

from armarium.core.errors import Refused
from armarium.core.late import LateModule
from armarium.core.message import message
from armarium.db.database import Database
from armarium.selection.exchange.columns import Column, headings
from armarium.selection.exchange.csv_files import csv_line
from armarium.selection.exchange.model import Told, untold
from armarium.selection.records import queries
from armarium.selection.records.model import Record
from armarium.selection.search.model import Question
from armarium.selection.search.service import Search

xlsxwriter = LateModule("xlsxwriter")
AT_ONCE = 1000
PIECE = 1 << 18
BYTE_ORDER_MARK = "\ufeff"  # without it, Excel takes UTF-8 for the machine's own encoding
LONGEST_CELL = 32_767  # characters: the limit of the format
NUMBERS = frozenset({"number", "harvested_objects", "harvested_bytes"})
QUIET = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}


Records = Iterable[Sequence[Record]]


class Format(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"


MEDIA_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.XLSX: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class Exports:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._search = Search(database)

    def numbers(self, question: Question, me: int | None = None) -> list[int]:
        """What the search finds, in its order. `me`: the account of whoever asks."""
        return self._search.numbers(question, me)

    def count(self, question: Question, me: int | None = None) -> int:
        return self._search.count(question, me)

    def pieces(
        self,
        numbers: Sequence[int],
        chosen: Format,
        columns: Sequence[Column],
        *,
        titles: bool = False,
        told: Told = untold,
    ) -> Iterator[bytes]:
        """The file of these records, in their order, in pieces. `told` hears how many are written."""
        make = _csv if chosen is Format.CSV else _xlsx
        return make(self._in_turn(numbers, told), columns, titles)

    def _in_turn(self, numbers: Sequence[int], told: Told) -> Iterator[list[Record]]:
        for start in range(0, len(numbers), AT_ONCE):
            some = numbers[start : start + AT_ONCE]
            with self._database.transaction() as connection:
                found = {one.id: one for one in queries.by_ids(connection, some)}
            yield [found[number] for number in some if number in found]
            told(start + len(some), len(numbers))


def _csv(records: Records, columns: Sequence[Column], titles: bool) -> Iterator[bytes]:
    yield (BYTE_ORDER_MARK + csv_line(headings(columns, titles=titles))).encode()
    for some in records:
        lines = (csv_line(column.text(one) for column in columns) for one in some)
        yield "".join(lines).encode()


def _xlsx(records: Records, columns: Sequence[Column], titles: bool) -> Iterator[bytes]:
    """Made on disk before its first byte is given: the format has its table of contents at the end."""
    with tempfile.TemporaryFile() as file:
        with xlsxwriter.Workbook(file, QUIET) as book:
            sheet = book.add_worksheet("records")
            sheet.freeze_panes(1, 0)
            bold = book.add_format({"bold": True})
            for place, heading in enumerate(headings(columns, titles=titles)):
                sheet.write_string(0, place, heading, bold)
            line = 0
            for some in records:
                for one in some:
                    line += 1
                    _write(sheet, line, one, columns)
        file.seek(0)
        while content := file.read(PIECE):
            yield content


def _write(sheet: Any, line: int, record: Record, columns: Sequence[Column]) -> None:
    """Texts as texts: nothing that somebody wrote becomes a formula or a link."""
    for place, column in enumerate(columns):
        text = column.text(record)
        if len(text) > LONGEST_CELL:
            raise Refused(
                message(
                    "The record %(number)s has more text in “%(column)s” than a cell of Excel can hold. "
                    "Export it as CSV.",
                    number=record.id,
                    column=column.key,
                )
            )
        if text and column.key in NUMBERS:
            sheet.write_number(line, place, int(text))
        elif text:
            sheet.write_string(line, place, text)
