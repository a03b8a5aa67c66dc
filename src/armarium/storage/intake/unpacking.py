"""A WACZ as files of the archive: its W/ARC files whole, and all the rest as records of one metadata file.

The same package gives the same files, byte for byte, however often it is imported.
"""

import hashlib
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from armarium.core.folders import make_private
from armarium.formats.wacz.package import Entry, Package
from armarium.formats.warc.dates import parse_date
from armarium.formats.warc.new_record import NewRecord, resource, warcinfo
from armarium.formats.warc.rotation import OPEN_SUFFIX
from armarium.formats.warc.writer import WarcWriter
from armarium.storage.backends.transfer import digest_path
from armarium.storage.intake.naming import archive_name

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
