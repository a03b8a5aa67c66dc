"""Fuzzing of WARC files: no bytes may raise, hang, fill the memory, or give records that are not in the file.

    python fuzz/warc.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/warc

The first byte of an input chooses how the rest is read: plain or compressed, at once or in small pieces.
"""

import io
import sys
import zlib

import atheris

with atheris.instrument_imports(include=["armarium.formats.warc", "armarium.formats.source"]):
    from armarium.formats.problem import DamagedArchive
    from armarium.formats.warc.reader import ArchiveReader

PIECE = 1009


class Trickle(io.RawIOBase):
    """A file that cannot seek and gives few bytes at a time."""

    def __init__(self, data: bytes) -> None:
        self._inner = io.BytesIO(data)

    def read(self, count: int = -1) -> bytes:
        return self._inner.read(min(count, PIECE) if count >= 0 else PIECE)


def one_input(data: bytes) -> None:
    if not data:
        return
    choice, file = data[0], data[1:]
    if choice & 1:
        # Members cut wherever the second byte says: records over members, and members of several records.
        step = (file[0] + 1) * 7 if file else 1
        pieces = [file[at : at + step] for at in range(1, len(file), step)][:200]
        file = b"".join(zlib.compress(piece, 1, wbits=31) for piece in pieces)
    check(file)
    if choice & 2:
        for record in ArchiveReader(Trickle(file)):  # type: ignore[arg-type]
            record.block.skip()
    try:
        for record in ArchiveReader(io.BytesIO(file), strict=True):
            record.block.read()
    except DamagedArchive as damage:
        if not damage.problem.code:
            raise AssertionError("damage without a code") from damage


def check(file: bytes) -> None:
    reader = ArchiveReader(io.BytesIO(file))
    last = (-1, -1)
    for record in reader:
        place = (record.offset, record.inner_offset)
        assert place > last, "records come in the order of the file"
        last = place
        repr((record, record.fields, record.date, record.block_digest, record.content_length))
        block = record.block.read()
        assert len(block) <= record.block.length
        assert record.offset + record.length <= len(file)
        assert record.complete or record.problems
        assert all(0 <= problem.offset <= len(file) for problem in record.problems)
    assert 0 <= reader.end <= len(file)
    assert all(0 <= problem.offset <= len(file) for problem in reader.problems)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
