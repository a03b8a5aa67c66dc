"""What is taken apart on its way in: a CDX for a whole collection, and a WACZ.

The index wants a companion a file, so one CDX is divided into one for each.
"""

import gzip
import hashlib
import uuid
import zlib
from collections import OrderedDict
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from armarium.core.errors import Refused
from armarium.core.folders import make_private
from armarium.core.message import message
from armarium.formats.cdx.columns import Layout
from armarium.formats.cdx.line import CdxLine
from armarium.formats.cdx.parsing import LONGEST_LINE, parse_line
from armarium.formats.wacz.package import Entry, Package
from armarium.formats.warc.fields import parse_date
from armarium.formats.warc.new_record import NewRecord, resource, warcinfo
from armarium.formats.warc.writer import OPEN_SUFFIX, WarcWriter
from armarium.storage.backends.transfer import digest_path
from armarium.storage.intake.naming import archive_name

GZIP = b"\x1f\x8b"
MOST_OPEN = 200  # files at a time


class DividedCdx:
    """Writes lines to one of very many files; the order of each stays that of the whole."""

    def __init__(self, folder: Path, suffix: str) -> None:
        self._folder = folder
        self._suffix = suffix
        self._open: OrderedDict[str, BinaryIO] = OrderedDict()
        self.names: set[str] = set()

    def write(self, name: str, line: bytes, legend: bytes) -> None:
        if name in self._open:
            self._open.move_to_end(name)
        else:
            if len(self._open) >= MOST_OPEN:
                self._open.popitem(last=False)[1].close()
            self._open[name] = self.path(name).open("ab")
        if name not in self.names and legend:
            self._open[name].write(legend)
        self.names.add(name)
        self._open[name].write(line)

    def path(self, name: str) -> Path:
        return self._folder / f"{name}{self._suffix}"

    def close(self) -> None:
        for file in self._open.values():
            file.close()


def divide(cdx: Path, names: Collection[str], folder: Path) -> tuple[dict[str, Path], list[str]]:
    """Write the lines of these files into the folder; where they are, and which files were not named.

    Written beside and then given their names: what an interrupted import left is replaced, not added to.
    """
    wanted, foreign = frozenset(names), set[str]()
    beside = folder / "incoming"
    make_private(beside)
    for leftover in beside.iterdir():
        leftover.unlink()
    with ExitStack() as stack:
        shelf = DividedCdx(beside, ".cdxj" if ".cdxj" in cdx.name.lower() else ".cdx")
        stack.callback(shelf.close)
        for name, line, legend in _named_lines(cdx):
            if name in wanted:
                shelf.write(name, line, legend)
            elif len(foreign) < MOST_OPEN:
                foreign.add(name)
    made = {name: shelf.path(name).replace(folder / shelf.path(name).name) for name in shelf.names}
    beside.rmdir()
    return made, sorted(foreign)


def _named_lines(cdx: Path) -> Iterator[tuple[str, bytes, bytes]]:
    """Each line with the file it speaks of, without folders, and the legend under which it stands."""
    legend, layout = b"", None
    for line in _lines(cdx):
        parsed = parse_line(line, layout)
        if isinstance(parsed, Layout):
            legend, layout = line, parsed
        elif isinstance(parsed, CdxLine) and parsed.filename:
            yield parsed.filename.replace("\\", "/").rpartition("/")[2], line, legend


def _lines(cdx: Path) -> Iterator[bytes]:
    try:
        with ExitStack() as stack:
            file: BinaryIO = stack.enter_context(cdx.open("rb"))
            packed = file.read(2) == GZIP
            file.seek(0)
            lines = stack.enter_context(gzip.open(file)) if packed else file
            while line := lines.readline(LONGEST_LINE):
                yield line
    except (OSError, EOFError, zlib.error) as error:
        raise Refused(
            message(
                "The index %(path)s cannot be read: %(reason)s. Fix it, or import without it: the files "
                "are then indexed from their content.",
                path=cdx,
                reason=error,
            ),
            field="cdx",
        ) from error


# A WACZ as files of the archive. The same package gives the same files, byte for byte, however often it is
# imported.


PACKAGE = ".wacz"
UNPACKED = "wacz"  # how folders for what is taken out begin
METADATA = "wacz-metadata-1.warc.gz"
TYPES = {".json": "application/json", ".jsonl": "application/jsonl", ".cdxj": "text/x-cdxj"}
OTHER = "application/octet-stream"
LONGEST_NAME = 255  # bytes that a file system bears; a path in a package may be longer
_IDS = uuid.UUID("5b0c1f0e-8a53-5b0f-9d6a-6c7a9f1d2e43")  # the space of names of these records


class Unpacking:
    """One package. Each file is made when its turn comes, and deleted when it is stored."""

    def __init__(self, path: Path, file: BinaryIO, folder: Path) -> None:
        self._path = path
        self._folder = folder
        self._package = Package(file)
        self._doubtful: set[str] = set()  # paths of which it is known that they are not as the list says

    def faults(self) -> list[str]:
        found = [
            (prefix, fault) for prefix, package in self._package.packages() for fault in package.faults()
        ]
        self._doubtful = {prefix + fault.path for prefix, fault in found}
        return [f"{prefix}{fault}" for prefix, fault in found]

    def parts(self) -> Iterator[tuple[str, Path]]:
        """Path in the package and file for each W/ARC, and the file with all the rest at the end."""
        used: set[str] = set()
        for inner, package, entry in self._package.all_archives():
            name = self._unused(_name(self._path, inner), inner, used)
            with self._making(name) as (path, target):
                target.writelines(self._pieces(package, entry, inner))
            yield inner, path
        name = self._unused(f"{self._path.stem}-{METADATA}", METADATA, used)
        with self._making(name) as (path, target):
            self._write_rest(target, name)
        yield METADATA, path

    def _unused(self, name: str, inner: str, used: set[str]) -> str:
        """The name, with a mark if a file has it: `a/b.warc` and `a-b.warc` would both be `site-a-b.warc`."""
        wanted, mark, stem = name, inner, self._path.stem
        while name in used:
            mark = hashlib.sha256(mark.encode()).hexdigest()
            name = f"{stem}-{mark[:8]}-{wanted.removeprefix(f'{stem}-')}"
        used.add(name)
        return archive_name(name) if len(name.encode()) > LONGEST_NAME else name

    def _pieces(self, package: Package, entry: Entry, path: str) -> Iterator[bytes]:
        """Its bytes, compared once more: a disk may read now otherwise than when the list was checked."""
        return package.pieces(entry, None if path in self._doubtful else package.digest(entry))

    @contextmanager
    def _making(self, name: str) -> Iterator[tuple[Path, BinaryIO]]:
        """A file that has its name only when it is whole: a worker may be storing it at this moment."""
        make_private(self._folder)
        path, fresh = self._folder / name, self._folder / f"fresh-{uuid.uuid4()}"
        try:
            with fresh.open("wb") as target:
                yield path, target
            fresh.replace(path)
        finally:
            fresh.unlink(missing_ok=True)

    def _write_rest(self, target: BinaryIO, name: str) -> None:
        sha256 = digest_path(self._path).sha256
        facts = self._package.facts
        date = _date(self._package)
        fields = [
            ("format", "WARC File Format 1.1"),
            ("description", f"What the WACZ {self._path.name} (SHA-256 {sha256}) holds beside W/ARC files"),
            *((field, _line(facts[key])) for key, field in ABOUT.items() if facts.get(key)),
        ]
        writer = WarcWriter(target)
        writer.write(warcinfo(date, fields, filename=name, record_id=_id(sha256, "")))
        for prefix, package in self._package.packages():
            for entry in package.entries:
                if not entry.is_archive and not entry.is_package:
                    writer.write(self._record(package, entry, prefix + entry.path, date, sha256))

    def _record(self, package: Package, entry: Entry, path: str, date: datetime, sha256: str) -> NewRecord:
        address = f"metadata://armarium/wacz/{quote(self._path.name)}/{quote(path)}"
        kind = TYPES.get(Path(entry.name).suffix, OTHER)
        return resource(address, date, self._pieces(package, entry, path), kind, record_id=_id(sha256, path))


ABOUT = {"title": "isPartOf", "software": "software", "created": "created"}  # of the list → of a warcinfo


def _name(package: Path, inner: str) -> str:
    """`site.wacz` and `archive/data.warc.gz` make `site-data.warc.gz`: nearly every package has that one."""
    # Nobody writes it any more, whatever its name says: the package has its digest.
    whole = inner.removesuffix(OPEN_SUFFIX)
    parts = [part.removesuffix(PACKAGE) for part in whole.split("/") if part != "archive"]
    return "-".join(parts if parts[-1].startswith(package.stem) else [package.stem, *parts])


def _date(package: Package) -> datetime:
    """When it was made, as it says itself; else when the newest file in it was."""
    told = parse_date(str(package.facts.get("modified") or package.facts.get("created") or ""))
    if told is not None:
        return told
    year, month, day, hour, minute, second = max(entry.info.date_time for entry in package.entries)
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC)
    except ValueError:  # a ZIP can also name the thirtieth of February
        return datetime(1980, 1, 1, tzinfo=UTC)


def _id(sha256: str, path: str) -> str:
    return f"<urn:uuid:{uuid.uuid5(_IDS, f'{sha256}/{path}')}>"


def _line(value: object) -> str:
    return " ".join(str(value).split())
