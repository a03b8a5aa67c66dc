"""Lists: which columns a person wants to see, and what is seen as a file for a spreadsheet."""

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from io import StringIO

from starlette.requests import Request
from starlette.responses import Response

from armarium.core.message import Message
from armarium.formats.spreadsheet import harmless
from armarium.languages.speech import say
from armarium.web import cookies

NAMES = re.compile(r"[a-z_]{1,40}(\.[a-z_]{1,40}){0,40}|-")
NONE = "-"


@dataclass(frozen=True)
class Column:
    name: str  # a word for cookies and templates
    title: Message
    usual: bool = True  # shown as long as nobody has chosen


@dataclass(frozen=True)
class Columns:
    """The columns of a list that may be left out. The first, with the name of each thing, is always there."""

    of: str  # a word for the list
    columns: Sequence[Column]

    def shown(self, request: Request) -> frozenset[str]:
        chosen = cookies.preference(request, f"columns_{self.of}")
        known = [column.name for column in self.columns]
        if chosen is None or not NAMES.fullmatch(chosen):
            return frozenset(column.name for column in self.columns if column.usual)
        return frozenset(known).intersection(chosen.split("."))


def keep_columns(request: Request, response: Response, of: str, chosen: Iterable[str]) -> None:
    value = ".".join(chosen) or NONE
    if re.fullmatch("[a-z_]{1,40}", of) and NAMES.fullmatch(value):
        cookies.put_preference(request, response, f"columns_{of}", value)


def csv_answer(name: str, head: Sequence[Message | str], rows: Iterable[Sequence[object]]) -> Response:
    """What a list shows, as a file that people open with a spreadsheet."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return Response(csv_lines([head, *rows]), media_type="text/csv; charset=utf-8", headers=headers)


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    written = StringIO()
    csv.writer(written).writerows([_cell(one) for one in row] for row in rows)
    return written.getvalue()


def _cell(value: object) -> object:
    match value:
        case None:
            return ""
        case Message():
            return harmless(say(value))
        case datetime():
            return value.isoformat()
        case str():
            return harmless(value)
        case _:
            return value
