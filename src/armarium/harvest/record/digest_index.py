"""Captures of earlier harvests of which the payload is known, from CDXJ files.

The files stay where they are; a `HashTable` leads to their lines. Of several lines for one key the last one
counts: it is the newest of its file.
"""

import hashlib
import mmap
import os
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from xxhash import xxh3_64_intdigest

from armarium.core.errors import NotFound, Refused
from armarium.formats.cdx import CdxLine, parse_line
from armarium.formats.url import surt
from armarium.formats.warc.fields import parse_date

# --- A table on disk from 64-bit hashes to positions in a file: constant memory, whatever its size.
#
# header (64 bytes)   magic (8) · slots (8) · entries (8) · fingerprint of what it was made from (40)
# slot   (16 bytes)   hash (8) · position + 1 (8); all zero where free
#
# Slots are tried one after the other from `hash % slots`. A hash that is put again replaces its position.
# Whoever looks up compares with what stands at the position: a hash is no proof, and neither is a table that
# a
# dying machine left behind. Numbers are in the byte order of the machine: the table is a cache, made anew
# when
# its header does not fit.


MAGIC = int.from_bytes(b"ARMHASH1", "big")
HEADER = 64
FINGERPRINT = 40
_FIRST = HEADER // 8
_LEAST_SLOTS = 1 << 14


class HashTable:
    """One table, open for reading and writing."""

    def __init__(self, path: Path, *, expected: int = 0, fingerprint: bytes = b"") -> None:
        """Open the table of that fingerprint, or begin an empty one with room for `expected` entries."""
        self._path = path
        self._fingerprint = fingerprint[:FINGERPRINT].ljust(FINGERPRINT, b"\0")
        self.fresh = not self._fits()
        if self.fresh:
            self._create(max(_LEAST_SLOTS, expected * 2))
        self._open()

    def __len__(self) -> int:
        return self._words[2]

    def get(self, key: int) -> int | None:
        words, slots = self._words, self._slots
        place = _FIRST + 2 * (key % slots)
        end = _FIRST + 2 * slots
        while position := words[place + 1]:
            if words[place] == key:
                return position - 1
            place += 2
            if place == end:
                place = _FIRST
        return None

    def put(self, key: int, position: int) -> None:
        if 3 * self._words[2] >= 2 * self._slots:
            self._grow()
        words, slots = self._words, self._slots
        place = _FIRST + 2 * (key % slots)
        end = _FIRST + 2 * slots
        while words[place + 1]:
            if words[place] == key:
                break
            place += 2
            if place == end:
                place = _FIRST
        else:
            words[2] += 1
        words[place] = key
        words[place + 1] = position + 1

    def close(self) -> None:
        self._words.release()
        self._map.close()

    def finish(self) -> None:
        """Say that the table is complete: from now on it is opened again instead of made anew."""
        self._map[24:HEADER] = self._fingerprint
        self.fresh = False

    def _fits(self) -> bool:
        try:
            with self._path.open("rb") as file:
                header = file.read(HEADER)
            size = self._path.stat().st_size
        except FileNotFoundError:
            return False
        words = memoryview(header).cast("Q") if len(header) == HEADER else None
        return (
            words is not None
            and words[0] == MAGIC
            and size == HEADER + 16 * words[1]
            and header[24:] == self._fingerprint
        )

    def _create(self, slots: int) -> None:
        with self._path.open("wb") as file:
            # Not sparse: a hole in a mapped file kills the process when the disk has no room to fill it.
            os.posix_fallocate(file.fileno(), 0, HEADER + 16 * slots)
            file.write(b"".join(number.to_bytes(8, sys.byteorder) for number in (MAGIC, slots, 0)))

    def _open(self) -> None:
        with self._path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), 0)
        self._words = memoryview(self._map).cast("Q")
        self._slots = self._words[1]

    def _grow(self) -> None:
        old, old_map, old_slots = self._words, self._map, self._slots
        header = bytes(old_map[24:HEADER])
        path, self._path = self._path, self._path.with_suffix(".growing")
        try:
            self._create(old_slots * 2)
            self._open()
        except OSError:  # the table stays as it is: another attempt may find more room
            self._path.unlink(missing_ok=True)
            self._path = path
            raise
        for place in range(_FIRST, _FIRST + 2 * old_slots, 2):
            if old[place + 1]:
                self.put(old[place], old[place + 1] - 1)
        self._map[24:HEADER] = header
        self._path.replace(path)
        self._path = path
        old.release()
        old_map.close()


# --- Captures of earlier harvests of which the payload is known, from CDXJ files.


_DIGEST = re.compile(rb'"digest": ?"(?:[^":]+:)?([^":]+)"')
_NOT_OK = re.compile(rb'"status": ?"?(?!200\b)[0-9]')
_REVISIT = re.compile(rb'"mime": ?"warc/revisit"|"filename": ?"-"')
_LINE_GUESS = 150  # bytes; the table grows where lines are shorter


class Original(NamedTuple):
    """A capture that another one repeats."""

    url: str
    date: datetime
    etag: str = ""
    last_modified: str = ""
    mime: str = ""


class Key:
    """What a capture is looked up by: its digest, alone or with its address, or its address alone."""

    def __init__(self, *, with_url: bool) -> None:
        self.with_url = with_url

    def of_payload(self, url_key: bytes, digest: bytes) -> int:
        bare = digest.rpartition(b":")[2].rstrip(b"=").upper()
        return xxh3_64_intdigest(b"%b %b" % (url_key, bare) if self.with_url else bare)

    def of_address(self, url_key: bytes) -> int:
        return xxh3_64_intdigest(url_key + b"\n")


@lru_cache(maxsize=4)  # who looks for duplicates and who writes the index ask one after the other
def url_key(url: str) -> bytes:
    return surt(url).encode(errors="surrogateescape")


class DigestIndex:
    """The captures of earlier harvests."""

    def __init__(self, sources: Sequence[Path], table: Path, *, with_url: bool, addresses: bool) -> None:
        """Open the files; the first time, or when one has changed, go through all of them.

        `addresses`: look-ups by address alone are wanted, for conditional requests.
        """
        self._key = Key(with_url=with_url)
        self._sources = [_mapped(source) for source in sources]
        self._starts = [0]
        for source in self._sources:
            self._starts.append(self._starts[-1] + len(source))
        fingerprint = _fingerprint(sources, f"{with_url} {addresses}")
        self._table = HashTable(table, expected=self._starts[-1] // _LINE_GUESS, fingerprint=fingerprint)
        self._addresses = addresses
        if self._table.fresh:
            self._build(sources)

    def __len__(self) -> int:
        return len(self._table)

    def find(self, key: bytes, digest: str) -> Original | None:
        """A capture with that payload; with that address too, if that was asked for."""
        line = self._line(self._key.of_payload(key, digest.encode()))
        if line is None or not is_payload_of(line, digest):
            return None
        return None if self._key.with_url and line.key.encode() != key else original(line)

    def latest(self, key: bytes) -> Original | None:
        """The newest capture of that address."""
        line = self._line(self._key.of_address(key))
        return original(line) if line is not None and line.key.encode() == key else None

    def close(self) -> None:
        self._table.close()
        for source in self._sources:
            if isinstance(source, mmap.mmap):
                source.close()

    def _line(self, key: int) -> CdxLine | None:
        position = self._table.get(key)
        if position is None or position >= self._starts[-1]:
            return None
        number = bisect_right(self._starts, position) - 1
        source, begin = self._sources[number], position - self._starts[number]
        end = source.find(b"\n", begin)
        line = parse_line(source[begin : end if end >= 0 else len(source)])
        return line if isinstance(line, CdxLine) else None

    def _build(self, sources: Sequence[Path]) -> None:
        put, key, addresses = self._table.put, self._key, self._addresses
        for start, source in zip(self._starts, sources, strict=False):
            for offset, line in _lines(source):
                digest = _DIGEST.search(line)
                if digest is None or _NOT_OK.search(line) or _REVISIT.search(line):
                    continue
                url, _, _ = line.partition(b" ")
                put(key.of_payload(url, digest[1]), start + offset)
                if addresses:
                    put(key.of_address(url), start + offset)
        self._table.finish()


def original(line: CdxLine) -> Original | None:
    date = parse_date(line.text("warc-date") or "") or line.date
    if date is None or line.url is None:
        return None
    etag, modified = line.text("etag") or "", line.text("last-modified") or ""
    return Original(line.url, date.astimezone(UTC), etag, modified, line.mime or "")


def is_payload_of(line: CdxLine, digest: str) -> bool:
    """Whether the line has that digest, with or without its label."""
    return _bare(line.text("digest") or "") == _bare(digest)


def _bare(digest: str) -> str:
    return digest.rpartition(":")[2].rstrip("=").upper()


def _lines(source: Path) -> Iterator[tuple[int, bytes]]:
    # Read, not mapped: pages of a map that were looked at once count as memory of this process.
    offset = 0
    with source.open("rb") as file:
        for line in file:
            yield offset, line
            offset += len(line)


def _mapped(path: Path) -> mmap.mmap | bytes:
    try:
        with path.open("rb") as file:
            if file.read(2) == b"\x1f\x8b":
                raise Refused(f"The digest index {path} is compressed. Unpack it: it is read in place.")
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if path.stat().st_size else b""
    except FileNotFoundError:
        raise NotFound(
            f"There is no digest index {path}. Correct recording.digest_index in the order."
        ) from None


def _fingerprint(sources: Sequence[Path], how: str) -> bytes:
    facts = [how]
    for source in sources:
        stat = source.stat()
        facts.append(f"{source.resolve()} {stat.st_size} {stat.st_mtime_ns}")
    return hashlib.sha256("\n".join(facts).encode()).digest()
