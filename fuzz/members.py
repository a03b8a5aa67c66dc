"""Fuzzing of gzip members and zstd frames: no bytes may raise, hang, fill the memory, or be lost.

    python fuzz/members.py -max_total_time=600 -rss_limit_mb=200 fuzz/corpus/members

The first byte chooses: the rest as it is; or the rest compressed, with a few bytes of it changed.
"""

import io
import sys
import zlib

import atheris

with atheris.instrument_imports(include=["armarium.formats.gzip", "armarium.formats.zstd"]):
    import zstandard

    from armarium.formats.gzip.header import parse_header
    from armarium.formats.gzip.members import Members
    from armarium.formats.source import Source
    from armarium.formats.zstd.frames import Frames

MOST = 50_000_000  # inflated in one input: bombs are not read to their end


def one_input(data: bytes) -> None:
    if len(data) < 4:
        return
    choice, place, change, rest = data[0], data[1], data[2], data[3:]
    if choice & 1:
        half = len(rest) // 2
        parts = (rest[:half], rest[half:])
        if choice & 2:
            packed = bytearray(b"".join(zstandard.ZstdCompressor().compress(part) for part in parts))
        else:
            packed = bytearray(b"".join(zlib.compress(part, 6, wbits=31) for part in parts))
        packed[place % len(packed)] ^= change
        rest = bytes(packed)
        if not change:
            assert decoded(Members(Source(io.BytesIO(rest))), len(rest)) == b"".join(parts) or choice & 2
    decoded(Members(Source(io.BytesIO(rest))), len(rest))
    decoded(Frames(Source(io.BytesIO(rest))), len(rest))
    try:
        header = parse_header(rest)
    except ValueError:
        return
    if header is not None:
        repr((header.subfields(), header.crc16_matches))


def decoded(coding: Members | Frames, size: int) -> bytes:
    found = []
    total, last = 0, -1
    while total < MOST and (segment := coding.next()) is not None:
        assert segment.offset > last
        last = segment.offset
        while total < MOST and (piece := segment.read()):
            total += len(piece)
            found.append(piece)
        assert total >= MOST or segment.offset < segment.end <= size
    return b"".join(found)


if __name__ == "__main__":
    atheris.Setup(sys.argv, one_input)
    atheris.Fuzz()
