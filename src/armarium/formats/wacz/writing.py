"""A package to be written, from the first byte to the last: the same content gives the same bytes."""

import hashlib
import json
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import IO, BinaryIO, cast

from armarium.formats.wacz.package import LIST, LIST_DIGEST

VERSION = "1.1.1"
_NO_TIME = (1980, 1, 1, 0, 0, 0)  # when an entry was written is nobody's business
_UNIX, _PLAIN_FILE = 3, 0o644 << 16


@dataclass(frozen=True)
class Resource:
    path: str
    size: int
    sha256: str


class PackageWriter:
    """Files go in one after the other; `close` adds the list of them. The sink need not seek."""

    def __init__(self, sink: BinaryIO) -> None:
        self._zip = zipfile.ZipFile(cast("IO[bytes]", sink), "w", allowZip64=True)
        self.resources: list[Resource] = []

    def add(self, path: str, pieces: Iterable[bytes], *, packed: bool = False) -> Resource:
        """A file of the package. WACZ 1.1, 5.1: WARC files and compressed indexes are not packed again."""
        size, digest = 0, hashlib.sha256()
        info = zipfile.ZipInfo(path, _NO_TIME)
        info.compress_type = zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED
        info.create_system, info.external_attr = _UNIX, _PLAIN_FILE
        with self._zip.open(info, "w", force_zip64=True) as file:
            for piece in pieces:
                file.write(piece)
                digest.update(piece)
                size += len(piece)
        resource = Resource(path, size, digest.hexdigest())
        self.resources.append(resource)
        return resource

    def close(self, *, created: datetime, software: str, title: str = "", description: str = "") -> None:
        """The list of all files with their digests, and the digest of the list."""
        facts = {
            "profile": "data-package",
            "resources": [
                {
                    "name": one.path.rpartition("/")[2],
                    "path": one.path,
                    "hash": f"sha256:{one.sha256}",
                    "bytes": one.size,
                }
                for one in self.resources
            ],
            "wacz_version": VERSION,
            "created": created.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "software": software,
            **({"title": title} if title else {}),
            **({"description": description} if description else {}),
        }
        listed = self.add(LIST, [_json(facts)], packed=True)
        self.add(LIST_DIGEST, [_json({"path": LIST, "hash": f"sha256:{listed.sha256}"})], packed=True)
        self._zip.close()


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()
