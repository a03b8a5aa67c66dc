"""A file of domains, a name or an address in each line, perhaps with a seed; or CSV with a header.

It is read in slices, so that no more of it than one is ever in memory or in a transaction.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.formats.url.domain import registered_domain
from armarium.planning.domains.rules import check_registrable, check_seeds, host_of
from armarium.planning.parsing import LONGEST_COMMENT

NAME_COLUMNS = ("name", "domain", "url")
SEED_COLUMNS = ("seed", "seeds", "url")
COMMENT_COLUMNS = ("comments", "comment")
LONGEST_LINE = 100_000
SHOWN = 200  # characters of a refused line that the report repeats


class Line(NamedTuple):
    """A domain that somebody wants."""

    number: int
    name: str
    seed: str | None  # None: the usual two, with and without www
    comments: str


class Fault(NamedTuple):
    """A line that cannot be used, and why."""

    number: int
    text: str
    fault: Message

    def kept(self) -> dict[str, Any]:
        """As the report keeps it: the sentence can still be said in any language."""
        values = {name: str(value) for name, value in self.fault.values.items()}
        return {"line": self.number, "text": self.text, "template": self.fault.template, "values": values}


def lines_of(text: Iterable[str], passed: int = 0) -> Iterator[Line | Fault]:
    """What stands in each line; empty lines and those after a # are nothing.

    Of the first lines, which were `passed` before, nothing is said; but one of them may be the heading.
    """
    numbered = ((number, line.rstrip("\r\n")) for number, line in enumerate(text, 1))
    written = ((number, line) for number, line in numbered if line.strip() and not line.startswith("#"))
    first = next(written, None)
    if first is None:
        return
    opening = (first[0], first[1].removeprefix("\ufeff"))
    header = _header(opening[1])
    asked = (one for one in (written if header else chain([opening], written)) if one[0] > passed)
    if header is None:
        for number, line in asked:
            yield _read(number, line, line.partition("\t"))
    else:
        yield from _records(header, asked)


def _read(number: int, line: str, parts: tuple[str, str, str], comments: str = "") -> Line | Fault:
    name, _, seed = parts
    try:
        _refuse_unreadable(line)
        return _line(number, name.strip(), seed.strip(), comments)
    except Refused as refusal:
        return Fault(number, _shown(line), refusal.message)


def _line(number: int, name: str, seed: str, comments: str) -> Line:
    host = host_of(name)
    registered = registered_domain(host)
    check_registrable(host, registered or host)
    if seed:
        return Line(number, registered or host, check_seeds(seed), comments)
    if "/" in name:
        return Line(number, registered or host, check_seeds(name), comments)
    # A host that somebody names, such as www2.example.fr, is begun where it is; a domain in the usual way.
    return Line(number, registered or host, None if registered == host else f"http://{host}/", comments)


def _refuse_unreadable(line: str) -> None:
    if len(line) > LONGEST_LINE:
        raise Refused(message("The line is too long."))
    if "\0" in line or any("\ud800" <= sign <= "\udfff" for sign in line):
        raise Refused(message("The line is not UTF-8: save the file in that encoding."))


def _shown(line: str) -> str:
    cut = line[:SHOWN].replace("\0", "�")
    return cut.encode("utf-8", "replace").decode()


# CSV ------------------------------------------------------------------------------------------------


class Header(NamedTuple):
    delimiter: str
    name: int
    seed: int | None
    comments: int | None


def _header(line: str) -> Header | None:
    """The columns that a header names; None if this is no header."""
    for delimiter in ",;\t":
        columns = [column.strip().strip('"').lower() for column in line.split(delimiter)]
        name = _place(columns, NAME_COLUMNS)
        if name is not None and all(column.isidentifier() for column in columns if column):
            return Header(delimiter, name, _place(columns, SEED_COLUMNS), _place(columns, COMMENT_COLUMNS))
    return None


def _place(columns: Sequence[str], names: Sequence[str]) -> int | None:
    return next((columns.index(name) for name in names if name in columns), None)


def _records(header: Header, written: Iterator[tuple[int, str]]) -> Iterator[Line | Fault]:
    """Records stand in one line each: a file of millions with one stray quote must not become one value."""
    for number, line in written:
        try:
            (values,) = csv.reader([line], delimiter=header.delimiter, strict=True)
        except (csv.Error, ValueError):
            yield Fault(
                number, _shown(line), message("This line is not CSV: a quotation mark is not closed.")
            )
            continue
        name, seed = _value(values, header.name), _value(values, header.seed)
        comments = _value(values, header.comments)[:LONGEST_COMMENT]
        yield _read(number, line, (name, "", "" if seed == name else seed), comments)


def _value(values: Sequence[str], place: int | None) -> str:
    return values[place].strip() if place is not None and place < len(values) else ""


# Slices ---------------------------------------------------------------------------------------------


SLICE = 10_000  # lines, or domains


@dataclass
class Slice:
    """So many lines of a file, after those that were read before."""

    begin: int  # lines before it
    end: int = 0
    good: list[Line] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)

    @property
    def skipped(self) -> int:
        """Lines that are empty, a comment, or the heading."""
        return self.end - self.begin - len(self.good) - len(self.faults)

    def note(self, found: Line | Fault) -> None:
        if isinstance(found, Fault):
            self.faults.append(found)
        else:
            self.good.append(found)


@dataclass
class Counted:
    """Lines that are counted while they are read."""

    text: Iterable[str]
    number: int = 0

    def __iter__(self) -> Iterator[str]:
        for self.number, line in enumerate(self.text, 1):  # noqa: B020  (the count is what it is for)
            yield line


def slices_of(text: Iterable[str], passed: int = 0) -> Iterator[Slice]:
    """The slices of a file; of its first lines, which were `passed` already, only the heading counts."""
    lines, part = Counted(text), Slice(passed)
    for found in lines_of(lines, passed):
        part.note(found)
        if lines.number >= part.begin + SLICE:
            part.end = lines.number
            yield part
            part = Slice(part.end)
    part.end = lines.number
    yield part
