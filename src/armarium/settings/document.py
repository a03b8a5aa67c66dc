"""The settings file: read, decoded and parsed, or one problem that says why not."""

import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from armarium.settings.lines import Name, lines_of
from armarium.settings.origin import InFile
from armarium.settings.problems import Problem

LARGEST = 1024 * 1024  # bytes: a wrong path to a database or a WARC file must not be read into memory


@dataclass(frozen=True)
class Document:
    file: Path
    tables: Mapping[str, object]
    lines: Mapping[Name, int]

    def place(self, *name: str) -> InFile:
        return InFile(self.file, self.lines.get(name))


def read(file: Path) -> Document | Problem:
    content = _content(file)
    return content if isinstance(content, Problem) else parse(content, file)


def parse(content: bytes, file: Path) -> Document | Problem:
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n")  # some editors put a byte order mark first
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"The byte 0x{content[error.start]:02x} is not UTF-8."
        return Problem(InFile(file, line), what, "Save the file in the encoding UTF-8.")
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        return _invalid(str(error), text, file)
    except (ValueError, RecursionError):  # a number of thousands of digits; thousands of opening brackets
        return Problem(InFile(file), "This is not TOML: a value is too long or too deep.")
    return Document(file, tables, lines_of(text))


def _content(file: Path) -> bytes | Problem:
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return Problem(InFile(file), "This is not a file.", "Name the settings file itself.")
        with file.open("rb") as opened:
            content = opened.read(LARGEST + 1)
    except FileNotFoundError:
        return Problem(InFile(file), "There is no such settings file.", "Create it, or correct its name.")
    except OSError as error:
        return Problem(
            InFile(file), f"The settings file cannot be read: {error.strerror}.", "Correct its permissions."
        )
    except ValueError:  # a NUL in the name
        return Problem(InFile(file), "No file can have this name.", "Correct it.")
    if len(content) > LARGEST:
        return Problem(InFile(file), "The file is larger than 1 MiB.", "Is it really the settings file?")
    return content


def _invalid(complaint: str, text: str, file: Path) -> Problem:
    """`tomllib` hides the place in its sentence: "… (at line 3, column 5)" or "… (at end of document)"."""
    match = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", complaint, re.DOTALL)
    if match is None:
        return Problem(InFile(file), f"This is not TOML: {complaint}.")
    said, line, column = match.groups()
    if line is None:
        return Problem(
            InFile(file, text.rstrip("\n").count("\n") + 1), f"This is not TOML: {said}, and the file ends."
        )
    return Problem(InFile(file, int(line), int(column)), f"This is not TOML: {said}.")
