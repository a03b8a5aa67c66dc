"""Texts that no spreadsheet takes for a formula, and back.

Whoever opens a CSV file with another separator than the one it was written with, or with other rules for
quotation marks, sees cells begin in the middle of ours. So the places behind every usual separator and
every line break are treated as the beginning is: an apostrophe comes before what could start a formula
(OWASP, CSV injection). Apostrophes that stand there already get one more, so that reading takes away what
was put.
"""

import re

#: = + - @ and what East Asian keyboards write for them, which Excel takes for the same.
STARTS = "=+\\-@＝＋－＠"
# Matched whether or not a formula follows: begun anew at each of ten thousand line breaks, a search for those
# that do would go through all the blanks behind it every time.
BEGINNING = re.compile(r"((?:\A|[;,|\t\r\n])[\"\s]*+)('?+)")
FORMULA = re.compile(rf"'*+[{STARTS}]")
BLANK = re.compile(r"\A(?='*[\t\r])")  # some programs skip these, then see what follows
GUARDED_BLANK = re.compile(r"\A'(?='*[\t\r])")


def harmless(text: str) -> str:
    return BLANK.sub("'", BEGINNING.sub(_guarded, text))


def restored(text: str) -> str:
    """What `harmless` was given."""
    if "'" not in text:
        return text
    return BEGINNING.sub(_bared, GUARDED_BLANK.sub("", text))


def _guarded(found: re.Match[str]) -> str:
    return f"{found[1]}'{found[2]}" if FORMULA.match(found.string, found.end()) else found[0]


def _bared(found: re.Match[str]) -> str:
    return found[1] if found[2] and FORMULA.match(found.string, found.end()) else found[0]
