"""The file under validation, watched: its first bytes, its size, and whether it can be read again."""

import io
from collections.abc import Mapping
from typing import BinaryIO, NamedTuple, Protocol

from armarium.formats.validation.header import Finding

KEPT = 512  # bytes of the beginning

# Files that get mixed up with archives, by their first bytes.
FOREIGN = (
    (b"PK\x03\x04", "it is a zip file"),
    (b"PK\x05\x06", "it is an empty zip file"),
    (b"BZh", "it is compressed with bzip2"),
    (b"\xfd7zXZ\x00", "it is compressed with xz"),
    (b"7z\xbc\xaf\x27\x1c", "it is a 7z file"),
    (b"\x04\x22\x4d\x18", "it is compressed with lz4"),
    (b"%PDF", "it is a PDF"),
    (b"\x7fELF", "it is a program"),
    (b"SQLite format 3", "it is an SQLite database"),
    (b"<?xml", "it is XML"),
    (b"{", "it looks like JSON"),
)
HTML = (b"<!doctype html", b"<html", b"<head")


class Input(io.RawIOBase):
    """Reads a file through, and remembers what it saw."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._position = 0
        self.size = 0  # as far as it was read
        self.start = b""

    def read(self, count: int = -1, /) -> bytes:
        data = self._file.read(count)
        if self._position < KEPT and len(self.start) == self._position:
            self.start += data[: KEPT - self._position]
        self._position += len(data)
        self.size = max(self.size, self._position)
        return data

    def seekable(self) -> bool:
        # Bodies of HTTP answers and other partial file objects often lack the method altogether.
        seekable = getattr(self._file, "seekable", None)
        return bool(seekable and seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._position = self._file.seek(offset, whence)
        return self._position

    def readable(self) -> bool:
        return True


def looks_like(start: bytes) -> str:
    """What a file that is no archive is, in a few words."""
    if start[:4] == b"RIFF" and start[8:12] == b"WAVE":
        return "it is a WAVE sound file"
    if start.lstrip()[:14].lower().startswith(HTML):
        return "it is an HTML page"
    for signature, words in FOREIGN:
        if start.startswith(signature):
            return words
    if start and start.isascii() and all(byte >= 32 or byte in b"\t\r\n\f" for byte in start):
        return "it is text without any record"
    return "no record begins anywhere in it"


# --- What one file alone cannot tell, asked of the archive around it: an optional look-up.


class Original(NamedTuple):
    """The capture that a revisit repeats, as the archive knows it."""

    payload_digest: str | None
    target_uri: str | None
    date: str | None  # as WARC-Date writes it


class Archive(Protocol):
    """The files of an archive other than the one under validation."""

    def has(self, record_id: str) -> bool:
        """Whether a record with this id (as written, with < and >) is in another file."""

    def original(self, revisit: Mapping[str, str]) -> Original | None:
        """The original of a revisit, given by its fields (names in lower case); None where there is none."""


def check_original(first: Mapping[str, str], original: Original | None) -> list[Finding]:
    """Judge a revisit by its original (ISO 28500:2017, 6.7.2, 5.12 and 5.13)."""
    if original is None:
        value = first.get("warc-refers-to") or first.get("warc-refers-to-target-uri") or "of this revisit"
        return [("warc-refers-to-absent", {"value": value})]
    compared = (
        ("the payload digest", first.get("warc-payload-digest"), original.payload_digest),
        ("the address", first.get("warc-refers-to-target-uri"), original.target_uri),
        ("the date", first.get("warc-refers-to-date"), original.date),
    )
    return [
        ("warc-refers-to-differs", {"what": what, "value": stated, "original": known})
        for what, stated, known in compared
        if stated is not None and known is not None and stated != known
    ]
