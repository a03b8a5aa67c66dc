"""A record of any size is read and written in bounded memory."""

import subprocess
import sys

READ_PLAIN = """
import io, resource
from armarium.formats.warc.reader import ArchiveReader

HEAD = b"WARC/1.1\\r\\nWARC-Type: resource\\r\\nContent-Length: %d\\r\\n\\r\\n" % SIZE
class Endless(io.RawIOBase):
    at, piece = 0, bytes(1 << 20)
    def read(self, count=-1):
        if self.at == 0:
            self.at = 1
            return HEAD
        count = min(count, SIZE + 1 - self.at, len(self.piece))
        self.at += count
        return self.piece[:count] if count else b""
reader = ArchiveReader(Endless())
total = 0
for record in reader:
    for piece in record.block:
        total += len(piece)
assert total == SIZE, total
"""

READ_GZIP = """
import io, resource, zlib
from isal import isal_zlib
from armarium.formats.warc.reader import ArchiveReader

HEAD = b"WARC/1.1\\r\\nWARC-Type: resource\\r\\nContent-Length: %d\\r\\n\\r\\n" % SIZE
class Endless(io.RawIOBase):
    def __init__(self):
        self.deflate = isal_zlib.compressobj(1, isal_zlib.DEFLATED, 31)
        self.left, self.ready, self.piece = SIZE, self.deflate.compress(HEAD), bytes(1 << 20)
    def read(self, count=-1):
        while len(self.ready) < count and self.deflate is not None:
            if self.left:
                step = min(self.left, len(self.piece))
                self.ready += self.deflate.compress(self.piece[:step])
                self.left -= step
            else:
                self.ready += self.deflate.compress(b"\\r\\n\\r\\n") + self.deflate.flush()
                self.deflate = None
        given, self.ready = self.ready[:count], self.ready[count:]
        return given
total = sum(len(piece) for record in ArchiveReader(Endless()) for piece in record.block)
assert total == SIZE, total
"""

WRITE = """
import resource
from datetime import UTC, datetime
from armarium.formats.warc.new_record import resource as new_resource
from armarium.formats.warc.writer import WarcWriter

class Nowhere:
    def write(self, data): return len(data)
piece = bytes(1 << 20)
pieces = (piece for _ in range(SIZE >> 20))
record = new_resource("file:///a", datetime(2026, 1, 1, tzinfo=UTC), pieces, "x/y")
assert WarcWriter(Nowhere()).write(record).content_length == SIZE
"""

MEASURE = "\nprint(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"


def peak(program: str, size: int) -> int:
    """The most memory that a Python running the program had, in MB."""
    code = f"SIZE = {size}\n" + program + MEASURE
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(run.stdout) // 1024


def test_reading_a_plain_record_of_four_gigabytes_takes_no_more_than_a_small_one() -> None:
    assert peak(READ_PLAIN, 4 << 30) < peak(READ_PLAIN, 1 << 20) + 20


def test_reading_a_compressed_record_of_two_gigabytes_takes_no_more_than_a_small_one() -> None:
    assert peak(READ_GZIP, 2 << 30) < peak(READ_GZIP, 1 << 20) + 20


def test_writing_a_record_of_several_hundred_megabytes_takes_no_more_than_a_small_one() -> None:
    assert peak(WRITE, 256 << 20) < peak(WRITE, 1 << 20) + 30
