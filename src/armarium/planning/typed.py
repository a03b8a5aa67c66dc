"""What is typed at the command line, read once for all commands of planning."""

import sys
from getpass import getpass
from pathlib import Path

from armarium.core.errors import Refused
from armarium.planning.sizes import bytes_in, means_no_limit
from armarium.terminal.input import standard_input

NONE = "none"
STANDARD_INPUT = "-"


def text_of(file: Path) -> str:
    """The text of a file; - is standard input."""
    try:
        data = standard_input().read() if str(file) == STANDARD_INPUT else file.read_bytes()
    except OSError as error:
        raise Refused(f"{file} cannot be read: {error.strerror or error}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refused(f"{file} is not UTF-8: save it in that encoding.") from None


def size_of(text: str | None, before: int | None = None) -> int | None:
    """Bytes typed as 500000000, 500 MB or 1.5 GB, or `none` for no limit; what was, if nothing was typed."""
    if text is None:
        return before
    if text.strip().lower() == NONE or means_no_limit(text):
        return None
    found = bytes_in(text)
    if found is None:
        raise Refused(f"“{text}” is no size. Write it as 500 MB or 1.5 GB, or none for no limit.")
    return found


def count_of(text: str | None, before: int | None = None) -> int | None:
    """A number, or `none` for no limit; what was, if nothing was typed."""
    if text is None:
        return before
    if text.strip().lower() == NONE or means_no_limit(text):
        return None
    if not text.strip().isdecimal():
        raise Refused(f"“{text}” is no whole number. Write one, or none for no limit.")
    return int(text)


def secret_of(question: str) -> str:
    """A secret, asked for at a terminal, else the first line of standard input; never an argument: those are
    seen by everybody on the machine.
    """
    if sys.stdin is not None and sys.stdin.isatty():
        return getpass(f"{question}: ")
    return standard_input().readline().decode("utf-8", "replace").rstrip("\r\n")
