"""Texts that no spreadsheet takes for a formula, and back.

Whoever opens a CSV file with another separator than the one it was written with, or with other rules for
quotation marks, sees cells begin in the middle of ours. So the places behind every usual separator and every
line break are treated as the beginning is: an apostrophe comes before what could start a formula (OWASP, CSV
injection). Apostrophes that stand there already get one more, so that reading takes away what was put.
"""

import csv
import io
import re
from collections.abc import Iterable

#: = + - @ and what East Asian keyboards write for them, which Excel takes for the same.
STARTS = "=+\\-@＝＋－＠"
BEGINNING = r"(\A|[;,|\t\r\n])([\"\s]*)"
DANGEROUS = re.compile(rf"{BEGINNING}(?='*[{STARTS}])")
GUARDED = re.compile(rf"{BEGINNING}'(?='*[{STARTS}])")
BLANK = re.compile(r"\A(?='*[\t\r])")  # some programs skip these, then see what follows
GUARDED_BLANK = re.compile(r"\A'(?='*[\t\r])")


def harmless(text: str) -> str:
    return BLANK.sub("'", DANGEROUS.sub(r"\1\2'", text))


def restored(text: str) -> str:
    """What `harmless` was given."""
    if "'" not in text:
        return text
    return GUARDED.sub(r"\1\2", GUARDED_BLANK.sub("", text))


def csv_line(values: Iterable[str], separator: str = ";") -> str:
    line = io.StringIO()
    csv.writer(line, delimiter=separator, quoting=csv.QUOTE_MINIMAL).writerow(
        [harmless(one) for one in values]
    )
    return line.getvalue()
