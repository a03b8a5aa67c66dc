"""The first sheet of a workbook, written to standard output line by line as JSON: a process of its own.

The library that reads workbooks is compiled, fast, and keeps a sheet as one block in memory. A file made to
hurt (two cells a million lines apart, one text named by millions of cells, a part that inflates without end)
then hurts only this process, which has a limit of memory and of time: `python -m … FILE MOST_LINES BYTES`.
"""

import json
import resource
import sys
from datetime import date, datetime, time

from python_calamine import CalamineError, CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

SECONDS = 120
MOST_COLUMNS = 500
TOO_LARGE, UNREADABLE = 3, 4  # how it ends


def cell_text(value: object) -> str:
    """The value as somebody would type it; of a formula, the library gives what it came to."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float() if value.is_integer():
            return str(int(value))
        case datetime() | date() | time():
            return value.isoformat()
        case _:
            return str(value)


def first_visible(book: CalamineWorkbook) -> int:
    for place, sheet in enumerate(book.sheets_metadata):
        if sheet.visible is SheetVisibleEnum.Visible and sheet.typ is SheetTypeEnum.WorkSheet:
            return place
    return 0


def main(path: str, most_lines: str, most_bytes: str) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (int(most_bytes), int(most_bytes)))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with CalamineWorkbook.from_path(path) as book:
            sheet = book.get_sheet_by_index(first_visible(book))
            height, width = sheet.end or (0, 0)
            if height > int(most_lines) or width >= MOST_COLUMNS:
                return TOO_LARGE
            for number, row in enumerate(sheet.iter_rows(), 1):
                sys.stdout.write(json.dumps([number, [cell_text(value) for value in row]]) + "\n")
    except (CalamineError, OSError, ValueError, IndexError) as problem:
        sys.stderr.write(str(problem))
        return UNREADABLE
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
