"""What lies in the replicas, seen and changed from behind Armarium's back."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import obstore
from obstore.store import S3Store

from armarium.storage.backends.place import hashed_path

Mark = tuple[object, ...]  # changes whenever the object is written anew


class Shelf(Protocol):
    def read(self, key: str) -> bytes | None: ...

    def write(self, key: str, content: bytes) -> None: ...

    def remove(self, key: str) -> None: ...

    def marks(self, prefix: str) -> Mapping[str, Mark]: ...


@dataclass(frozen=True)
class FolderShelf:
    root: Path

    def read(self, key: str) -> bytes | None:
        path = self.root / key
        return path.read_bytes() if path.is_file() else None

    def write(self, key: str, content: bytes) -> None:
        """In its place, as a failing disk does."""
        (self.root / key).chmod(0o644)
        (self.root / key).write_bytes(content)

    def remove(self, key: str) -> None:
        (self.root / key).unlink()

    def marks(self, prefix: str) -> Mapping[str, Mark]:
        found: dict[str, Mark] = {}
        for path in (self.root / prefix).rglob("*"):
            if path.is_file():
                seen = path.stat()
                found[str(path.relative_to(self.root))] = (seen.st_ino, seen.st_mtime_ns, seen.st_size)
        return found


@dataclass(frozen=True)
class BucketShelf:
    store: S3Store

    def read(self, key: str) -> bytes | None:
        try:
            return bytes(obstore.get(self.store, key).bytes())
        except FileNotFoundError:
            return None

    def write(self, key: str, content: bytes) -> None:
        obstore.put(self.store, key, content)

    def remove(self, key: str) -> None:
        obstore.delete(self.store, key)

    def marks(self, prefix: str) -> Mapping[str, Mark]:
        listed = (entry for some in obstore.list(self.store, prefix) for entry in some)
        return {entry["path"]: (entry["e_tag"], entry["last_modified"], entry["size"]) for entry in listed}


def key_of(replica: str, name: str) -> str:
    return f"sums/{hashed_path(name)}.json" if replica == "sums" else f"files/{hashed_path(name)}"


def prefix_of(replica: str) -> str:
    return "sums" if replica == "sums" else "files"
