"""A file cut at any byte: every whole record is read, and the reader says where they end.

Each of the last 16,384 bytes is tried, of the last 65,536 with --all. A cut concerns the record it falls
into: reading begins one record before it, and for a sample of cuts at the file's beginning.
"""

import bisect
import io
import random

import pytest

from armarium.formats.warc.reader import ArchiveReader
from armarium.formats.warc.writer import plan_recovery
from tests.unit.formats.warc.samples import member, record

LAST = 16 * 1024


def file(compressed: bool, last: int = LAST) -> tuple[bytes, list[int]]:
    chance = random.Random(7)
    pieces: list[bytes] = []
    while sum(map(len, pieces)) < last + 3000:
        size = chance.choice([0, 1, 20, 300, 900, 2000])
        body = chance.randbytes(size) if chance.random() < 0.8 else b"word " * size
        one = record(body, uri=f"http://example.org/{len(pieces)}", content_type="text/plain")
        pieces.append(member(one) if compressed else one)
    ends = [0]
    for piece in pieces:
        ends.append(ends[-1] + len(piece))
    return b"".join(pieces), ends


def whole_records(data: bytes) -> tuple[list[int], ArchiveReader, bool]:
    reader = ArchiveReader(io.BytesIO(data))
    offsets, damaged = [], False
    for one in reader:
        one.block.read()
        one.finish()
        if reader.end == one.offset + one.length:
            offsets.append(one.offset)
        damaged = damaged or bool(one.problems)
    return offsets, reader, damaged or bool(reader.problems)


@pytest.mark.parametrize("compressed", [True, False])
def test_a_file_cut_at_any_of_its_last_bytes_gives_every_whole_record(
    request: pytest.FixtureRequest, compressed: bool
) -> None:
    last = 4 * LAST if request.config.getoption("--all") else LAST
    data, ends = file(compressed, last)
    for cut in range(len(data) - last, len(data) + 1):
        whole = bisect.bisect_right(ends, cut) - 1  # records that end at or before the cut
        begin = ends[max(whole - 1, 0)]
        offsets, reader, damaged = whole_records(data[begin:cut])
        assert offsets == [0]
        assert reader.end + begin == ends[whole]
        assert damaged == (cut != ends[whole])


@pytest.mark.parametrize("compressed", [True, False])
def test_the_same_read_from_the_beginning(compressed: bool) -> None:
    data, ends = file(compressed)
    for cut in range(0, len(data), 1999):
        whole = bisect.bisect_right(ends, cut) - 1
        offsets, reader, _ = whole_records(data[:cut])
        assert offsets == ends[:whole]
        assert reader.end == ends[whole]


def test_a_plan_for_recovery_keeps_the_whole_records() -> None:
    data, ends = file(compressed=True)
    cut = len(data) - 10
    plan = plan_recovery(io.BytesIO(data[:cut]), cut)
    assert (plan.keep, plan.lost, plan.records) == (ends[-2], cut - ends[-2], len(ends) - 2)
    assert plan.problems
