"""WACZ packages on the disk: which W/ARC files are in them, opened where they lie."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from armarium.core.errors import Refused
from armarium.formats.wacz.package import BadPackage, Package, Stretch, is_zip


@dataclass(frozen=True)
class Inside:
    """A W/ARC file in a package."""

    package: Path
    path: str  # in the package
    begin: int | None  # None: it is packed, and has to be unpacked before it can be read from anywhere
    size: int

    @property
    def name(self) -> str:
        """By which people can name it: as if the package were a folder."""
        return f"{self.package}/{self.path}"

    def open(self) -> BinaryIO:
        if self.begin is not None:
            return cast("BinaryIO", Stretch(self.package.open("rb"), self.begin, self.size, owns=True))
        unpacked = tempfile.TemporaryFile()  # noqa: SIM115  (whoever reads it closes it)
        with told(self.package), self.package.open("rb") as file:
            for path, package, entry in Package(file).all_archives():
                if path == self.path:
                    with package.open(entry) as packed:
                        shutil.copyfileobj(packed, unpacked)
        unpacked.seek(0)
        return cast("BinaryIO", unpacked)


def is_package(path: Path) -> bool:
    """Whether a file begins like one; what cannot be read is told by whoever reads it."""
    if not path.is_file():  # to look into a pipe would be to take from it
        return False
    try:
        with path.open("rb") as file:
            return is_zip(file.read(4))
    except OSError:
        return False


def archives_in(path: Path) -> list[Inside]:
    with told(path), path.open("rb") as file:
        return [
            Inside(path, inner, package.place(entry) if entry.is_stored else None, entry.size)
            for inner, package, entry in Package(file).all_archives()
        ]


def faults_of(path: Path) -> list[str]:
    """What is not as the package, or one in it, says itself."""
    with told(path), path.open("rb") as file:
        return [f"{prefix}{one}" for prefix, package in Package(file).packages() for one in package.faults()]


@contextmanager
def told(path: Path) -> Iterator[None]:
    try:
        yield
    except (BadPackage, OSError) as bad:
        raise Refused(f"{path} cannot be read. {bad}") from bad
