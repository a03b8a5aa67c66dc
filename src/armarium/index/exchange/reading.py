"""The lines of an index file of others: plain, in gzip, or a ZipNum cluster by its index."""

import gzip
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from armarium.formats.cdx import BadLine, Directive
from armarium.formats.cdx.parsing import LONGEST_LINE, BlockLine, PathLine, parse_block_line, parse_path_line

LARGEST_BLOCK = 256 << 20  # bytes of lines in one member; what holds more is no block of an index
_GZIP = b"\x1f\x8b"
_CLUSTER = (".idx", ".summary")
Complain = Callable[[str, str], None]  # a reason by which complaints are counted, and what it was


def lines_of(path: Path, complain: Complain) -> Iterator[bytes]:
    """The lines without their ends. What cannot be read is complained about, and the rest is read."""
    if path.suffix in _CLUSTER:
        yield from _cluster(path, complain)
        return
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP
        file.seek(0)
        if not packed:
            yield from _lines(file, complain)
            return
        try:
            with gzip.GzipFile(fileobj=file) as unpacked:
                yield from _lines(unpacked, complain)
        except (EOFError, OSError, zlib.error) as error:
            complain("gzip", f"{path.name} cannot be unpacked behind byte {file.tell()}: {error}")


def _lines(file: BinaryIO | gzip.GzipFile, complain: Complain) -> Iterator[bytes]:
    while line := file.readline(LONGEST_LINE + 2):
        whole = line.endswith(b"\n")
        if len(line) <= LONGEST_LINE + 1 or whole:
            yield line.rstrip(b"\r\n")
            continue
        complain("too-long", f"A line has more than {LONGEST_LINE} bytes.")
        while line and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)


def _cluster(path: Path, complain: Complain) -> Iterator[bytes]:
    parts = _parts(path, complain)
    meta = ""
    with path.open("rb") as index:
        for raw in _lines(index, complain):
            entry = parse_block_line(raw)
            if isinstance(entry, Directive):
                meta = entry.value.get("filename", "") if isinstance(entry.value, dict) else ""
            elif isinstance(entry, BadLine):
                complain("cluster", f"{path.name}: {entry.message}")
            else:
                yield from _block(entry, parts.get(entry.part) or _beside(path, entry.part or meta), complain)


def _parts(path: Path, complain: Complain) -> dict[str, Path]:
    """Where the parts lie that the `.loc` file beside the index knows, as far as they are on this machine."""
    places = path.with_suffix(".loc")
    parts: dict[str, Path] = {}
    if places.exists():
        for raw in places.read_bytes().splitlines():
            line = parse_path_line(raw)
            if isinstance(line, PathLine):
                found = [path.parent / place for place in line.places if "://" not in place]
                parts.update([(line.name, each) for each in reversed(found) if each.exists()])
            else:
                complain("cluster", f"{places.name}: {line.message}")
    return parts


def _beside(path: Path, part: str) -> Path:
    """A part that no `.loc` file tells of: by its name, with the endings that are usual."""
    name = Path(part).name  # wherever it lay: here it is beside the index
    tries = [path.parent / f"{name}{end}" for end in ("", ".cdx.gz", ".cdxj.gz", ".gz")]
    return next((each for each in tries if name and each.is_file()), tries[0])


def _block(entry: BlockLine, part: Path, complain: Complain) -> Iterator[bytes]:
    try:
        with part.open("rb") as file:
            file.seek(entry.offset)
            packed = file.read(min(entry.length, LARGEST_BLOCK))
        unpacking = zlib.decompressobj(wbits=31)
        text = unpacking.decompress(packed, LARGEST_BLOCK)
    except (OSError, zlib.error, OverflowError) as error:
        complain("cluster", f"The block of {entry.start} in {part.name} cannot be read: {error}")
        return
    if not unpacking.eof:
        complain("cluster", f"The block of {entry.start} in {part.name} is not whole.")
    for line in text.split(b"\n"):
        if line:
            yield line.rstrip(b"\r")
