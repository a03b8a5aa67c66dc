"""A table on disk from 64-bit hashes to positions in a file: constant memory, whatever its size.

    header (64 bytes)   magic (8) · slots (8) · entries (8) · fingerprint of what it was made from (40)
    slot   (16 bytes)   hash (8) · position + 1 (8); all zero where free

Slots are tried one after the other from `hash % slots`. A hash that is put again replaces its position.
Whoever looks up compares with what stands at the position: a hash is no proof, and neither is a table that a
dying machine left behind. Numbers are in the byte order of the machine: the table is a cache, made anew when
its header does not fit.
"""

import mmap
import os
import sys
from pathlib import Path

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
