"""Sizes, limits, files and secrets as people write them, in forms and at the command line."""

import re
import sys
from decimal import Decimal
from getpass import getpass
from pathlib import Path

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.languages.speech import say
from armarium.terminal.output import standard_input
from armarium.web.forms import Form
from armarium.web.numbers import LARGEST

NO_LIMIT = -1  # where nothing at all means: as it is
POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
SIZE = re.compile(r"(\d{1,19}(?:[.,]\d{1,6})?)\s*(?:([kmgtp]?)[bo])?", re.IGNORECASE)  # French: Go, Mo
NONE = message("no limit")


def bytes_in(text: str) -> int | None:
    """Bytes, written as 500000000, 500 MB or 1.5 GB; None: it is no size."""
    match = SIZE.fullmatch(re.sub(r"[\u00a0\u202f]", " ", text).strip())
    if match is None:
        return None
    found = int(Decimal(match[1].replace(",", ".")) * 1000 ** POWERS[(match[2] or "").upper()])
    return found if found <= LARGEST else None


def size_of(form: Form, name: str) -> int | None:
    """Bytes, written as 500000000, 500 MB or 1.5 GB."""
    text = form.get(name).strip()
    if not text:
        return None
    bytes_ = bytes_in(text)
    if bytes_ is None:
        raise Refused(message("Write a size as 500 MB, 1.5 GB or in bytes, or nothing."), field=name)
    return bytes_


def written_size(value: int | None) -> str:
    """As people write it, if nothing is lost by that."""
    if value is None:
        return ""
    for sign, power in reversed(POWERS.items()):
        if power and value and value % 1000**power == 0:
            return f"{value // 1000**power} {sign.replace('K', 'k')}B"
    return str(value)


def means_no_limit(text: str) -> bool:
    """-1, or the words, in English or in the language of the moment."""
    return text.strip().casefold() in {str(NO_LIMIT), str(NONE).casefold(), say(NONE).casefold()}


# At the command line --------------------------------------------------------------------------------


NONE_TYPED = "none"
STANDARD_INPUT = "-"


def text_of_file(file: Path) -> str:
    """The text of a file; - is standard input."""
    try:
        data = standard_input().read() if str(file) == STANDARD_INPUT else file.read_bytes()
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror or error}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(f"{file} is not UTF-8: save it in that encoding.") from None


def typed_size(text: str | None, before: int | None = None) -> int | None:
    """Bytes typed as 500000000, 500 MB or 1.5 GB, or `none` for no limit; what was, if nothing was typed."""
    if text is None:
        return before
    if text.strip().lower() == NONE_TYPED or means_no_limit(text):
        return None
    found = bytes_in(text)
    if found is None:
        raise Refused(f"“{text}” is no size. Write it as 500 MB or 1.5 GB, or none for no limit.")
    return found


def typed_count(text: str | None, before: int | None = None) -> int | None:
    """A number, or `none` for no limit; what was, if nothing was typed."""
    if text is None:
        return before
    if text.strip().lower() == NONE_TYPED or means_no_limit(text):
        return None
    if not text.strip().isdecimal():
        raise Refused(f"“{text}” is no whole number. Write one, or none for no limit.")
    return int(text)


def typed_secret(question: str) -> str:
    """A secret, asked for at a terminal, else the first line of standard input; never an argument: those are
    seen by everybody on the machine.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        return getpass(f"{question}: ")
    return standard_input().readline().decode("utf-8", "replace").rstrip("\r\n")


# --- What may be said of names, comments and limits, wherever they stand.


LONGEST_NAME = 100  # of a seed list or a configuration
LONGEST_COMMENT = 30_000
LARGEST_LIMIT = 2**63 - 1
PLAIN_NAME = re.compile(r"[\w][\w .+-]{0,99}")


def check_plain_name(name: str) -> str:
    name = name.strip()
    if not PLAIN_NAME.fullmatch(name):
        raise Refused(
            message(
                "A name has at most 100 letters, digits, spaces and . + - _; a letter or digit is first."
            ),
            field="name",
        )
    return name


def check_name(name: str, field: str = "name") -> str:
    stripped = " ".join(name.split())
    if not stripped or len(stripped) > LONGEST_NAME:
        raise Refused(message("A name has 1 to %(most)s characters.", most=LONGEST_NAME), field=field)
    return stripped


def check_comments(comments: str) -> str:
    if len(comments) > LONGEST_COMMENT:
        raise Refused(
            message("Comments have at most %(most)s characters.", most=LONGEST_COMMENT), field="comments"
        )
    return comments.strip()


def check_limit(limit: int | None, field: str) -> int | None:
    if limit is not None and not 0 <= limit <= LARGEST_LIMIT:
        raise Refused(message("A limit is a number from 0 on; leave it empty for none."), field=field)
    return limit
