"""Values as people read them, and tables that fit the width of a terminal: a line for each row."""

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import TextIO

from armarium.core import clock

NONE = "–"
GAP = "  "
SMALLEST = 6  # letters of a column that is cut, unless it needs less
WIDEST = 1_000_000  # where nobody looks at a terminal, nothing is cut
NUMERIC = re.compile(r"[-+]?[\d.,]+(\s?[kMGTPE]?B|\s?%)?")
AGO = re.compile(rf"(in )?\d+ (d|h|min)( ago)?|now|\d{{4}}-\d\d-\d\d( \d\d:\d\d:\d\d)?|{NONE}")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")

#: Printable for people, though Python does not call them so: breaks, and the spaces that do not break.
WANTED = "\n\t\u00a0\u202f"


def on_terminal(stream: TextIO | None) -> bool:
    """Whether a person looks on. A stream that the shell closed is None."""
    return stream is not None and stream.isatty()


def width() -> int:
    """Columns for standard output; where it is no terminal, $COLUMNS may name them."""
    if on_terminal(sys.stdout) or os.environ.get("COLUMNS", "").isdecimal():
        return shutil.get_terminal_size().columns
    return WIDEST


def harmless(text: str) -> str:
    """The text without characters that move the cursor: what a site or a visitor wrote may end up here."""
    return "".join(letter if letter.isprintable() or letter in WANTED else "�" for letter in text)


# Moments --------------------------------------------------------------------------------------------


def ago(moment: datetime) -> str:
    """How far a moment lies from now, short; what is further than a month is a date."""
    distance = moment - clock.now()
    seconds = abs(distance.total_seconds())
    if seconds >= timedelta(days=30).total_seconds():
        return f"{moment:%Y-%m-%d}"
    for length, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= length:
            count = int(seconds // length)
            return f"in {count} {unit}" if distance > timedelta() else f"{count} {unit} ago"
    return "now"


def dated(moment: datetime) -> str:
    """`Mon 23 Nov 2026 03:00:00 UTC (in 4 d)`"""
    shown = moment.astimezone(UTC) if moment.tzinfo else moment
    return f"{shown:%a} {shown.day} {shown:%b %Y %H:%M:%S} UTC ({ago(shown)})"


def moment_in(value: object) -> datetime | None:
    """The moment that a value is, also one as JSON writes it."""
    if isinstance(value, str) and MOMENT.fullmatch(value):
        value = datetime.fromisoformat(value)
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


# Values ---------------------------------------------------------------------------------------------


def cell(value: object) -> str:
    """A value in a row: one line, nothing in it is markup."""
    return " ".join(harmless(_text(value, ago)).split("\n")).strip() or NONE


def fact(value: object) -> str:
    """A value that stands alone."""
    return harmless(_text(value, dated))


def _text(value: object, told: Callable[[datetime], str]) -> str:
    match value:
        case None | "":
            return NONE
        case bool():
            return "yes" if value else "no"
        case datetime():
            return told(value if value.tzinfo else value.replace(tzinfo=UTC))
        case Enum():
            return str(value.value)
        case Mapping():
            return ", ".join(f"{name}: {_text(one, told)}" for name, one in value.items()) or NONE
        case frozenset() | set():
            return ", ".join(sorted(str(one) for one in value)) or NONE
        case list() | tuple():
            return ", ".join(_text(one, told) for one in value) or NONE
        case _:
            return str(value)


# The table ------------------------------------------------------------------------------------------


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], widest: int) -> list[str]:
    """The lines of a table with its head; numbers stand on the right, what is too long ends with `…`."""
    cells = [[cell(value) for value in row] for row in rows]
    titles = [harmless(title) for title in columns]
    right = [all(NUMERIC.fullmatch(row[at]) or row[at] == NONE for row in cells) for at in range(len(titles))]
    fixed = [end or all(AGO.fullmatch(row[at]) for row in cells) for at, end in enumerate(right)]
    widths = _fitting([max(map(_wide, column)) for column in zip(titles, *cells, strict=True)], fixed, widest)
    return [
        GAP.join(
            _set(text, wide, at_end) for text, wide, at_end in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in (titles, *cells)
    ]


def _fitting(widths: list[int], fixed: Sequence[bool], widest: int) -> list[int]:
    """Widths that fit: the widest columns of text give way first."""
    found = list(widths)
    while sum(found) + len(GAP) * (len(found) - 1) > widest:
        at = max(range(len(found)), key=lambda one: -1 if fixed[one] else found[one])
        if fixed[at] or found[at] <= SMALLEST:
            break
        found[at] -= 1
    return found


def _set(text: str, wide: int, at_end: bool) -> str:
    clipped = clip(text, wide)
    space = " " * (wide - _wide(clipped))
    return space + clipped if at_end else clipped + space


def clip(text: str, wide: int) -> str:
    if _wide(text) <= wide:
        return text
    kept = text[: wide - 1]
    while _wide(kept) > wide - 1:
        kept = kept[:-1]
    return f"{kept.rstrip()}…"


def _wide(text: str) -> int:
    """Columns that a text takes: letters of East Asia take two, marks above others none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def plural(count: int, noun: str) -> str:
    """`1 job`, `12 jobs`, `3 batches`, `2 entries`"""
    if count == 1:
        return f"1 {noun}"
    if noun.endswith("y"):
        noun = f"{noun[:-1]}ie"
    elif noun.endswith(("ch", "sh", "ss")):
        noun = f"{noun}e"
    return f"{count:,} {noun}s"
