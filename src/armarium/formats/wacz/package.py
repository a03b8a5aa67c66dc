"""A package that somebody else made: what is in it, and whether it is what its list says."""

import hashlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import IO, Any, BinaryIO, NamedTuple, cast

# --- A part of a file as a file: a WARC that is stored in a ZIP is read where it lies.


class Stretch(io.RawIOBase):
    """The bytes of another file from `begin` on. Closing it closes the other one, if it owns that."""

    def __init__(self, file: BinaryIO, begin: int, size: int, *, owns: bool = False) -> None:
        super().__init__()
        self._file = file
        self._begin = begin
        self._size = size
        self._position = 0
        self._owns = owns

    def read(self, count: int | None = -1) -> bytes:
        left = max(self._size - self._position, 0)
        count = left if count is None or count < 0 else min(count, left)
        self._file.seek(self._begin + self._position)
        piece = self._file.read(count)
        self._position += len(piece)
        return piece

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)

    def seek(self, offset: int, whence: int = 0) -> int:
        start = {0: 0, 1: self._position, 2: self._size}[whence]
        self._position = max(start + offset, 0)
        return self._position

    def tell(self) -> int:
        return self._position

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        if self._owns and not self.closed:
            self._file.close()
        super().close()


# --- A package that somebody else made: what is in it, and whether it is what its list says.


LIST, LIST_DIGEST = "datapackage.json", "datapackage-digest.json"
MOST_DIRECTORY = 8 << 20  # bytes of a ZIP's directory: some hundred thousand entries
MOST_LIST = 16 << 20  # bytes of datapackage.json
MOST_INFLATION = 200  # times, above which an entry is taken for a bomb, if it is
HARMLESS = 16 << 20  # bytes or more
PIECE = 1 << 20
DEEPEST = 1  # packages in a package of packages
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_LOCAL = struct.Struct("<4s22xHH")  # ZIP, 4.3.7: signature, lengths of name and extra field
_ARCHIVE = re.compile(r"\.w?arc(?:\.(?:gz|zst))?\Z", re.IGNORECASE)
_FOLDER = "archive/"  # where a package has its W/ARC files
_HASHES = frozenset({"md5", "sha1", "sha256", "sha384", "sha512"})
# What `zipfile` raises on files made to hurt it, beside its own error.
_BROKEN = (zipfile.BadZipFile, NotImplementedError, struct.error, ValueError, OverflowError, EOFError)


class BadPackage(ValueError):  # noqa: N818  (reads as what it is)
    """No WACZ, or one of which nothing may be believed; says why."""


class Differs(OSError):  # noqa: N818  (reads as what it is)
    """The bytes of an entry are not those that the package names."""


def is_zip(beginning: bytes) -> bool:
    return beginning.startswith(_ZIP)


@dataclass(frozen=True)
class Entry:
    """A file in the package."""

    path: str  # as the package writes it
    size: int
    info: zipfile.ZipInfo

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def is_archive(self) -> bool:
        """Whether it should be a W/ARC: what lies where they belong may have any name."""
        return bool(_ARCHIVE.search(self.path)) or (self.path.startswith(_FOLDER) and not self.is_package)

    @property
    def is_package(self) -> bool:
        return self.path.lower().endswith(".wacz")

    @property
    def is_stored(self) -> bool:
        """Whether it lies there as it is, and can be read from anywhere."""
        return self.info.compress_type == zipfile.ZIP_STORED


@dataclass(frozen=True)
class Fault:
    """What is not as the package says itself."""

    path: str  # in the package
    what: str

    def __str__(self) -> str:
        return f"{self.path} {self.what}"


class _Listed(NamedTuple):
    """What the list says of a file."""

    digest: object
    size: int | None
    repeated: bool


class Package:
    """An opened package. Raises `BadPackage` where it is none, or means harm."""

    def __init__(self, file: BinaryIO, depth: int = 0, begin: int = 0) -> None:
        self._file = file
        self._depth = depth
        self._begin = begin  # where it lies in the outermost one
        try:
            self._zip = zipfile.ZipFile(cast("IO[bytes]", _Bounded(file)))
        except _BROKEN as error:
            raise BadPackage(f"It is no ZIP file that can be read: {error}.") from error
        self.entries = [
            Entry(info.filename, info.file_size, info)
            for info in self._zip.infolist()
            if not info.filename.endswith("/")  # `is_dir` bears no empty name
        ]
        self._refuse_harm()
        self._by_path = {entry.path: entry for entry in self.entries}
        self.archives = [entry for entry in self.entries if entry.is_archive]
        self._packages = [entry for entry in self.entries if entry.is_package]
        named = any(_ARCHIVE.search(entry.path) for entry in self.archives)
        if not named and not self._packages and LIST not in self._by_path:
            raise BadPackage(f"It is a ZIP file without {LIST} and without W/ARC files: no WACZ.")

    def all_archives(self) -> Iterator[tuple[str, "Package", Entry]]:
        """Every W/ARC file, also of packages inside, each with its path and the package that has it."""
        for prefix, package in self.packages():
            yield from ((prefix + entry.path, package, entry) for entry in package.archives)

    def packages(self, prefix: str = "") -> Iterator[tuple[str, "Package"]]:
        """This one, and those inside, with what stands before the paths of their files."""
        yield prefix, self
        for entry in self._packages:
            if self._depth >= DEEPEST or not entry.is_stored:
                raise BadPackage(f"The package {entry.path} in it is packed again, or lies too deep.")
            try:
                inner = Package(self.open(entry), self._depth + 1, self.place(entry))
            except BadPackage as bad:
                raise BadPackage(f"Of the package {entry.path} in it: {bad}") from bad
            yield from inner.packages(f"{prefix}{entry.path}/")

    def open(self, entry: Entry) -> BinaryIO:
        """The entry's bytes. What is stored can be read from anywhere, the rest from its beginning only."""
        if not entry.is_stored:
            return cast("BinaryIO", _Inflated(self._zip, entry.info))
        return cast("BinaryIO", Stretch(self._file, self.place(entry) - self._begin, entry.size))

    def place(self, entry: Entry) -> int:
        """Where the bytes of a stored entry begin in the outermost file."""
        at = entry.info.header_offset
        self._file.seek(at)
        head = self._file.read(_LOCAL.size)
        if len(head) < _LOCAL.size or not head.startswith(_ZIP[0]):
            raise BadPackage(f"{entry.path} is not where the directory of the ZIP file says.")
        _, name, extra = _LOCAL.unpack(head)
        return int(self._begin + at + _LOCAL.size + name + extra)

    @cached_property
    def facts(self) -> Mapping[str, Any]:
        """What datapackage.json says; empty where there is none."""
        return self._json(LIST)

    def faults(self) -> Iterator[Fault]:
        """What is not as the package says itself. Everything that it lists is read, and once."""
        listed = self._by_path.get(LIST)
        if listed is None:
            yield Fault(LIST, "is missing: nothing tells whether the package is whole.")
            return
        for path, said in self._listed.items():
            if fault := self._fault(path, said):
                yield Fault(path, fault)
        for entry in (*self.archives, *self._packages):
            if entry.path not in self._listed:
                yield Fault(entry.path, f"is not named in {LIST}.")
        digest = self._json(LIST_DIGEST).get("hash")
        if LIST_DIGEST in self._by_path and (fault := self._compare(listed, digest)):
            yield Fault(LIST, fault)

    def digest(self, entry: Entry) -> object:
        """What the list says that it is; None where it says nothing."""
        said = self._listed.get(entry.path)
        return said.digest if said else None

    def pieces(self, entry: Entry, digest: object = None) -> Iterator[bytes]:
        """The entry's bytes. Raises `Differs` at their end if they have another digest than this."""
        algorithm, value = _algorithm_and_value(digest)
        found = hashlib.new(algorithm, usedforsecurity=False) if algorithm else None
        with self.open(entry) as file:
            while piece := file.read(PIECE):
                if found is not None:
                    found.update(piece)
                yield piece
        if found is not None and found.hexdigest() != value:
            raise Differs(f"{entry.path} has another {algorithm.upper()} digest than the package says")

    @cached_property
    def _listed(self) -> Mapping[str, _Listed]:
        resources = self.facts.get("resources")
        found: dict[str, _Listed] = {}
        for one in resources if isinstance(resources, list) else ():
            if isinstance(one, dict) and isinstance(path := one.get("path"), str):
                size = one.get("bytes")
                found[path] = _Listed(one.get("hash"), size if isinstance(size, int) else None, path in found)
        return found

    def _fault(self, path: str, said: _Listed) -> str:
        entry = self._by_path.get(path)
        if said.repeated:
            return f"is named in {LIST} more than once."
        if entry is None:
            return f"is missing, although {LIST} names it."
        if said.size is not None and said.size != entry.size:
            return f"has {entry.size} bytes; {LIST} says {said.size}."
        return self._compare(entry, said.digest)

    def _compare(self, entry: Entry, digest: object) -> str:
        """What is wrong with the entry's bytes; empty if nothing is."""
        algorithm, _ = _algorithm_and_value(digest)
        if not algorithm:
            return "has no digest that could be compared."
        try:
            deque(self.pieces(entry, digest), maxlen=0)
        except Differs:
            return f"has another {algorithm.upper()} digest than the package says."
        except OSError as error:
            return f"cannot be read: {error}"
        return ""

    def _json(self, path: str) -> Mapping[str, Any]:
        entry = self._by_path.get(path)
        if entry is None:
            return {}
        if entry.size > MOST_LIST:
            raise BadPackage(f"{path} is too large to be what it should be.")
        try:
            with self.open(entry) as file:
                found = json.loads(file.read(MOST_LIST))
        except (ValueError, RecursionError, OSError) as error:
            raise BadPackage(f"{path} cannot be read as JSON: {error}.") from error
        if not isinstance(found, dict):
            raise BadPackage(f"{path} is not a JSON object.")
        return found

    def _refuse_harm(self) -> None:
        """What no honest writer makes, whatever a reader would make of it."""
        seen: set[str] = set()
        end = 0
        for entry in sorted(self.entries, key=lambda one: one.info.header_offset):
            info, path = entry.info, entry.path
            parts = path.replace("\\", "/").split("/")
            if path in seen:
                raise BadPackage(f"It holds {path} twice, and nobody can tell which is meant.")
            seen.add(path)
            if ".." in parts or not parts[0] or ":" in parts[0]:
                raise BadPackage(f"The path {path!r} in it leads out of the package.")
            if info.flag_bits & 1:
                raise BadPackage(f"{path} is encrypted.")
            if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise BadPackage(f"{path} is compressed in a way that WACZ does not know.")
            if info.header_offset < end:
                raise BadPackage(f"{path} lies in the bytes of another file of the package.")
            end = info.header_offset + info.compress_size
            if entry.is_stored and info.compress_size != info.file_size:
                raise BadPackage(f"{path} has two different sizes.")
            if entry.size > max(HARMLESS, MOST_INFLATION * info.compress_size):
                raise BadPackage(f"{path} would inflate to {entry.size} bytes, which is too much to be true.")


def _algorithm_and_value(digest: object) -> tuple[str, str]:
    """Of a digest in hexadecimal; both empty where there is none that could be compared."""
    label, colon, value = str(digest or "").rpartition(":")
    algorithm = label.lower() if colon else "md5"  # Frictionless data package: a digest without a label
    return (algorithm, value.lower()) if value and algorithm in _HASHES else ("", "")


class _Inflated:
    """A packed entry. Damage is an error of reading, as it would be on a bad disk."""

    def __init__(self, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        try:
            self._file = archive.open(info)
        except _BROKEN as error:
            raise OSError(f"{info.filename} cannot be unpacked: {error}.") from error

    def read(self, count: int = -1) -> bytes:
        try:
            return self._file.read(count)
        except (*_BROKEN, zlib.error) as error:
            raise OSError(f"It cannot be unpacked: {error}.") from error

    def seekable(self) -> bool:
        return False

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> "_Inflated":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class _Bounded:
    """The file of a ZIP whose directory may not fill the memory: `zipfile` reads it at a stroke."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, count: int = -1) -> bytes:
        if count > MOST_DIRECTORY:
            raise zipfile.BadZipFile("its directory is too large")
        return self._file.read(count)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True
