"""What is known of captures that have no metadata record, until the frontier has heard of them.

Where the order wants no metadata records, the files alone do not tell how an address was found or where it
leads: captures that a killed crawl had sealed would be neither adopted nor cut off, and fetched once more.

    <record id> <bytes>
    <what the metadata record would hold>
"""

import os
from collections.abc import Iterator
from pathlib import Path


class Journal:
    """One for each process. An entry is with the operating system before its capture is."""

    def __init__(self, path: Path) -> None:
        entries = dict(_entries(_bytes_of(path)))
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.ftruncate(self._file, max(entries.values(), default=(0, 0))[1])

    def keep(self, record_id: str, block: bytes) -> None:
        end = os.fstat(self._file).st_size
        entry = memoryview(b"%s %d\n%s\n" % (record_id.encode(), len(block), block))
        try:
            while entry:
                entry = entry[os.write(self._file, entry) :]
        except OSError:  # the disk is full: what comes when there is room must not stand behind a half
            os.ftruncate(self._file, end)
            raise

    def clear(self) -> None:
        """The frontier knows it all."""
        os.ftruncate(self._file, 0)

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def journalled(path: Path) -> dict[str, bytes]:
    """The blocks by record id."""
    data = _bytes_of(path)
    return {name: data[begin : end - 1] for name, (begin, end) in _entries(data)}


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""


def _entries(data: bytes) -> Iterator[tuple[str, tuple[int, int]]]:
    """Record id, and where the block begins and the entry ends; no half ones, as a kill leaves."""
    end = 0
    while (begin := data.find(b"\n", end) + 1) > 0:
        name, _, size = data[end : begin - 1].rpartition(b" ")
        if not size.isdigit() or (end := begin + int(size) + 1) > len(data):
            return
        yield name.decode(errors="replace"), (begin, end)
