"""What is known of a run, and what can be wrong with one."""

import json
import re
from collections.abc import Container
from dataclasses import dataclass

from armarium.core.errors import ArmariumError, Unavailable


@dataclass(frozen=True)
class RunFacts:
    """Of a finished run."""

    lines: int
    bytes: int  # of the file
    sha256: str  # of the file; empty where only the footer was read, for no file can hold its own digest
    first: str  # key and timestamp of the first line, for people; empty if there is none
    last: str


class BadRun(Unavailable):
    """A run cannot be read. It can be made again, and is as soon as somebody is told: see chain/alarm.py."""

    def __init__(self, text: str, run: str) -> None:
        super().__init__(text)
        self.run = run


class DamagedRun(BadRun):
    """The bytes of a run are not those that were written. Nothing of them is given out."""


class MissingRun(BadRun):
    """There is no run of that name: merged into another meanwhile, or lost."""


class OtherRun(ArmariumError):  # noqa: N818
    """The name is taken by a run with other bytes, which was left as it is."""


class OutOfOrder(ValueError):  # noqa: N818
    """A line was to be written behind a greater one: a fault of the caller."""


def damaged(name: str, what: str) -> DamagedRun:
    return DamagedRun(
        f"The run {name} of the index is damaged: {what}. It is made again from the files that it speaks of.",
        name,
    )


def shown(start: bytes) -> str:
    """Key and timestamp as text that any database takes, whatever bytes an old file had in its keys."""
    return start.rstrip(b" ").decode("utf-8", "backslashreplace").replace("\0", "\\x00")


# Lines of files that were withdrawn: they stay in the runs until the next merge, and are not given out


# The key may hold anything that an address may, also what looks like JSON: a line's own begins behind it.
_JSON = b" {"
# Inside a text of JSON both quotation marks would have a backslash before them.
_FILENAME = re.compile(rb'[{,]\s*"filename"\s*:\s*"((?:[^"\\]|\\.)*+)"')
_NESTED = re.compile(rb'":\s*[{\[]')


def filename_of(line: bytes) -> str | None:
    """The name of the file that a line of CDXJ leads to."""
    begin = line.find(_JSON)
    if begin < 0:
        return None
    found = _FILENAME.findall(line, begin)
    if len(found) == 1 and b"\\" not in found[0] and not _NESTED.search(line, begin):
        return str(found[0], "utf-8", "surrogateescape")
    return _parsed(line[begin + 1 :])


def filenames_in(text: bytes) -> set[str]:
    """The names in many lines."""
    return {name for line in text.split(b"\n") if (name := filename_of(line)) is not None}


def kept(lines: list[bytes], without: Container[str]) -> list[bytes]:
    return [line for line in lines if (name := filename_of(line)) is None or name not in without]


def _parsed(text: bytes) -> str | None:
    try:
        fields = json.loads(text.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return None
    name = fields.get("filename") if isinstance(fields, dict) else None
    return name if isinstance(name, str) else None
