"""The search for members after damage: what it finds, and what it may cost."""

import gzip
import io
import random
import struct
import time
import zlib

import pytest

from armarium.formats.gzip import search
from armarium.formats.gzip.members import Members
from armarium.formats.source import Source

HEADER = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"
RECORD = b"WARC/1.1\r\nWARC-Type: resource\r\n\r\n"


def is_record(data: bytes) -> bool:
    return data.startswith(b"WARC/")


def contents(data: bytes) -> tuple[list[bytes], list[str], float]:
    """What comes out of the members, the codes between them, and the seconds it took."""
    begin = time.thread_time()
    members = Members(Source(io.BytesIO(data)), is_record)
    found = []
    while (entered := members.enter()) is not None:
        member, piece = entered
        found.append(piece[:100])
        while member.read():
            pass
    return found, [problem.code for problem in members.problems], time.thread_time() - begin


def nested(count: int, inflated: int) -> bytes:
    """Member heads one after the other, each holding all that follow, and one damaged end for all."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    tail = deflate.compress(bytes(inflated)) + deflate.flush(zlib.Z_FULL_FLUSH) + b"\x07\x07"
    unit = len(HEADER) + 5 + len(RECORD)
    heads = b""
    for number in range(count):
        rest = (count - number) * unit - len(HEADER) - 5
        heads += HEADER + b"\0" + struct.pack("<HH", rest, rest ^ 0xFFFF) + RECORD
    return heads + tail


def test_members_that_run_over_each_other_are_found_as_long_as_it_costs_little() -> None:
    found, _, _ = contents(nested(20, 500_000))
    assert len(found) == 20


def test_members_that_run_over_each_other_cost_what_they_inflate_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PATIENCE", 1_000_000)
    found, _, _ = contents(nested(200, 500_000))
    assert len(found) < 5


def test_a_damaged_member_may_be_searched_once_whatever_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PATIENCE", 1000)
    cut = gzip.compress(RECORD + random.Random(5).randbytes(100_000).hex().encode())[:50_000]
    found, _, _ = contents(cut + gzip.compress(RECORD + b"whole"))
    assert found[-1] == RECORD + b"whole"


@pytest.mark.parametrize(
    "flood",
    [
        b"\x1f\x8b\x08",
        b"\x1f\x8b\x08\x08aaaa\x02\xffname",  # a name without end
        b"\x1f\x8b\x08\x04aaaa\x02\xff\xff\xff",  # an extra field that is too long
        b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x07",
    ],
)
def test_a_flood_of_what_looks_like_members_costs_little_for_each(flood: bytes) -> None:
    one = gzip.compress(RECORD)
    found, codes, seconds = contents(one + b"?" + flood * (300_000 // len(flood)))
    assert found == [RECORD]
    assert codes == ["gzip-trailing-data"]
    assert seconds < 5


def test_a_search_that_is_led_astray_too_often_ends_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PROBED", 100 * search.PROBE)
    one = gzip.compress(RECORD)
    found, codes, _ = contents(one + b"?" + gzip.compress(b"no record") * 200 + one)
    assert found == [RECORD]
    assert codes == ["gzip-search-ended"]


def test_members_that_are_found_do_not_use_up_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "PROBED", 10 * search.PROBE)
    found, _, _ = contents((gzip.compress(RECORD) + b"?") * 50)
    assert len(found) == 50


def test_members_with_names_are_found_after_damage() -> None:
    named = b"\x1f\x8b\x08\x08\0\0\0\0\0\x03some.warc\0" + gzip.compress(RECORD)[10:]
    found, codes, _ = contents(gzip.compress(RECORD) + b"lost" + named)
    assert found == [RECORD, RECORD]
    assert codes == ["gzip-lost-range"]
