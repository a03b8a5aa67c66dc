"""The settings file: read, decoded and parsed, or one problem that says why not."""

import re
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from armarium.settings.problems import InFile, Problem

# --- On which line of a TOML text a section or a key stands: `tomllib` gives values without places.
#
# The text has been accepted by `tomllib` before it comes here, so this reader may trust its grammar; it only
# has to know what is a key and what is inside a value. It records the first two parts of every name, as the
# settings have sections and keys and nothing deeper, and steps over deeper values without recursion.


Name = tuple[str, ...]

BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
SPACE = re.compile(r"[ \t]*")
KEY_PART = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'""")
STRING = re.compile(
    r'"""(?:[^\\]|\\.)*?"{3,5}(?!")'  # up to two quotes may stand right before the closing three
    r"|'''.*?'{3,5}(?!')"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'",
    re.DOTALL,
)
SCALAR = re.compile(r"""[^\[\]{},#\n"']+""")


def lines_of(text: str) -> dict[Name, int]:
    """The line (from 1) of every section `(section,)` and every key `(section, key)` of a valid TOML text."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0
        self.line = 1  # of `counted`: counting goes on from there, as a count from the start is quadratic
        self.counted = 0
        self.found: dict[Name, int] = {}

    def read(self) -> dict[Name, int]:
        table: Name = ()
        self._skip(BLANK)
        while self.place < len(self.text):
            line = self._line()
            if self._at("["):
                table = self._header()
                self._record(table, line)
            else:
                self._pair(table)
            self._skip(BLANK)
        return self.found

    def _header(self) -> Name:
        brackets = 2 if self.text.startswith("[[", self.place) else 1
        self.place += brackets
        name = self._name()
        self.place += brackets
        return name

    def _pair(self, table: Name) -> None:
        line = self._line()
        name = table + self._name()
        self._record(name, line)
        self.place += 1  # the equals sign
        self._skip(SPACE)
        if self._at("{") and len(name) < 2:
            self._inline_table(name)
        else:
            self._value()

    def _inline_table(self, table: Name) -> None:
        self.place += 1
        self._skip(BLANK)
        while self.place < len(self.text) and not self._at("}"):
            self._pair(table)
            self._skip(BLANK)
            if self._at(","):
                self.place += 1
                self._skip(BLANK)
        self.place += 1

    def _value(self) -> None:
        """Step over one value, however deep its arrays and inline tables are."""
        depth = 0
        while self.place < len(self.text):
            character = self.text[self.place]
            if character in "[{":
                depth += 1
                self.place += 1
            elif character in "]}":
                depth -= 1
                self.place += 1
            elif character in "\"'":
                self._string()
            elif depth and character in ",#\n":
                self._skip(BLANK)
                self.place += self._at(",")
            else:
                self._skip(SCALAR)
            if depth <= 0:
                return

    def _string(self) -> None:
        string = STRING.match(self.text, self.place)
        self.place = string.end() if string else len(self.text)

    def _name(self) -> Name:
        """A dotted name; spaces may stand around its dots and at its ends."""
        parts: list[str] = []
        while True:
            self._skip(SPACE)
            part = KEY_PART.match(self.text, self.place)
            if part is None:
                return tuple(parts)
            self.place = part.end()
            parts.append(_unquoted(part.group()))
            self._skip(SPACE)
            if not self._at("."):
                return tuple(parts)
            self.place += 1

    def _record(self, name: Name, line: int) -> None:
        for length in range(1, min(len(name), 2) + 1):
            self.found.setdefault(name[:length], line)

    def _at(self, character: str) -> bool:
        return self.text.startswith(character, self.place)

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.place)
        if match is not None:
            self.place = match.end()

    def _line(self) -> int:
        self.line += self.text.count("\n", self.counted, self.place)
        self.counted = self.place
        return self.line


def _unquoted(part: str) -> str:
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"name = {part}")["name"])
    except tomllib.TOMLDecodeError:  # not TOML after all: then no line is found, and that is all the harm
        return part


# --- The settings file: read, decoded and parsed, or one problem that says why not.


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
