"""PATH lines: under which paths or addresses a W/ARC file can be found.

`name<TAB>place[<TAB>place…]`, sorted by bytes (OpenWayback, pywb); the BnF wrote `name place` with a space.
ZipNum's `.loc` files are the same, with the name of a part in place of a file's.
"""

from dataclasses import dataclass

from armarium.formats.cdx.line import ENCODING, ERRORS, BadLine, Fault
from armarium.formats.cdx.parsing import LONGEST_LINE


@dataclass(frozen=True)
class PathLine:
    name: str
    places: tuple[str, ...]
    delimiter: str = "\t"

    def to_bytes(self) -> bytes:
        """The line without its end."""
        return self.delimiter.join((self.name, *self.places)).encode(ENCODING, ERRORS)


def parse_path_line(raw: bytes) -> PathLine | BadLine:
    """A line with a tab is split at tabs; one without, at its first space: the place may hold more."""
    if len(raw) > LONGEST_LINE:
        return BadLine(raw, Fault.TOO_LONG, f"The line has {len(raw)} bytes; no path is that long.")
    line = raw.rstrip(b"\r\n\t ").decode(ENCODING, ERRORS)
    if not line.strip():
        return BadLine(raw, Fault.EMPTY, "The line is empty.")
    if "\t" in line:
        name, *places = line.split("\t")
        places = [place for place in places if place]
        delimiter = "\t"
    else:
        name, _, place = line.partition(" ")
        places, delimiter = [place.lstrip(" ")] if place else [], " "
    if not name or not places:
        return BadLine(raw, Fault.COLUMNS, "A PATH line names a file and at least one place where it is.")
    return PathLine(name, tuple(places), delimiter)
