"""The captures of this very crawl, so that a later one with the same payload can refer to them.

`captures.cdxj` in the folder of the crawl's state, and a table that leads to its lines. A capture is written
there only after its records are safe on disk: nothing may ever refer to a capture that a crash took away.
Until then it is kept in memory.
"""

import errno
import os
from datetime import datetime
from pathlib import Path

from armarium.formats.cdx import CdxLine, parse_line
from armarium.formats.warc.new_record import warc_date
from armarium.harvest.record.digest_index import HashTable, Key, Original, is_payload_of, original

MOST_CAPTURES = 10_000_000  # about 2.5 GB on disk; what comes later is recorded whole
_LONGEST_LINE = 64 * 1024


class CrawlCaptures:
    def __init__(self, folder: Path, *, with_url: bool, most: int = MOST_CAPTURES) -> None:
        self._key = Key(with_url=with_url)
        self._most = most
        self._path = folder / "captures.cdxj"
        self._file = self._path.open("a+b", buffering=0)
        self._end = self._file.seek(0, os.SEEK_END)
        fingerprint = f"captures {'url' if with_url else 'digest'}".encode()
        self._table = HashTable(folder / "captures.table", fingerprint=fingerprint)
        self._fresh: dict[int, tuple[bytes, str, Original]] = {}
        if self._table.fresh:
            self._build()

    def find(self, url_key: bytes, digest: str) -> Original | None:
        key = self._key.of_payload(url_key, digest.encode())
        fresh = self._fresh.get(key)
        if fresh is not None:
            return fresh[2]
        position = self._table.get(key)
        if position is None or position >= self._end:
            return None
        line = parse_line(self._read(position))
        if not isinstance(line, CdxLine) or not is_payload_of(line, digest):
            return None
        return None if self._key.with_url and line.key.encode() != url_key else original(line)

    def add(self, url_key: bytes, digest: str, url: str, date: datetime) -> None:
        if len(self._table) + len(self._fresh) < self._most:
            key = self._key.of_payload(url_key, digest.encode())
            self._fresh[key] = (url_key, digest, Original(url, date))

    def write(self) -> None:
        """Keep what was added. To be called when the records are safe, and not before."""
        lines = [_line(*fresh) for fresh in self._fresh.values()]
        data = b"".join(lines)
        os.ftruncate(self._file.fileno(), self._end)  # what a full disk took at an earlier attempt
        if self._file.write(data) < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self._path))
        for key, line in zip(self._fresh, lines, strict=True):
            self._table.put(key, self._end)
            self._end += len(line)
        self._fresh.clear()

    def close(self) -> None:
        self._table.close()
        self._file.close()

    def _read(self, position: int) -> bytes:
        return os.pread(self._file.fileno(), _LONGEST_LINE, position).partition(b"\n")[0]

    def _build(self) -> None:
        """The table was lost, or never finished: make it from the lines."""
        position = 0
        with self._path.open("rb") as file:
            for raw in file:
                line = parse_line(raw)
                if isinstance(line, CdxLine) and (digest := line.text("digest")):
                    self._table.put(self._key.of_payload(line.key.encode(), digest.encode()), position)
                position += len(raw)
        self._table.finish()


def _line(url_key: bytes, digest: str, known: Original) -> bytes:
    fields = {"url": known.url, "digest": digest, "warc-date": warc_date(known.date)}
    timestamp = known.date.strftime("%Y%m%d%H%M%S")
    return CdxLine(url_key.decode(errors="surrogateescape"), timestamp, fields).to_cdxj() + b"\n"
