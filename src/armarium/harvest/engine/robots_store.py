"""Robots.txt files that were read, kept so that a resumed crawl need not ask for them again.

A line for each: origin, until when it holds, the status of the answer, and the text, packed. A line that a
killed process left half written does not count.
"""

import base64
import binascii
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

LONGEST = 512 * 1024  # bytes: as much as is read of one


class Kept(NamedTuple):
    origin: str
    until: float
    status: int
    content: bytes


class RobotsStore:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("a", encoding="ascii")
        if self._file.tell():
            self._file.write("\n")  # the last line may have been cut off

    def keep(self, origin: str, until: float, status: int, content: bytes) -> None:
        if len(content) <= LONGEST and origin.isascii():
            packed = base64.b64encode(zlib.compress(content)).decode()
            self._file.write(f"{origin} {until:.0f} {status} {packed} .\n")
            with suppress(OSError):  # the disk is full: it is written with the next one, or asked for again
                self._file.flush()  # before its capture is: whoever takes that over needs the rules, too

    def kept(self, now: float) -> Iterator[Kept]:
        """Those that still hold, the latest last."""
        with self._path.open(encoding="ascii", errors="replace") as file:
            for line in file:
                found = _read(line)
                if found is not None and found.until > now:
                    yield found

    def close(self) -> None:
        self._file.close()


def _read(line: str) -> Kept | None:
    fields = line.split(" ")
    if len(fields) != 5 or fields[4] != ".\n":
        return None
    origin, until, status, packed, _ = fields
    try:
        return Kept(
            origin, float(until), int(status), zlib.decompress(base64.b64decode(packed), bufsize=LONGEST)
        )
    except (ValueError, binascii.Error, zlib.error):
        return None
