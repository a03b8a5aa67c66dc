"""The end of a chunked body, wherever it is cut into portions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.formats.http import Dechunker
from armarium.harvest.fetch.chunks import Chunks, joined

REGULAR = b"5\r\nfirst\r\n6\r\nsecond\r\n0\r\n\r\n"


def end_of(body: bytes, portion: int) -> int:
    """Where the body ends when it is fed in portions; -1: nowhere."""
    chunks = Chunks()
    for start in range(0, len(body), portion):
        end = chunks.feed(body[start : start + portion])
        if end >= 0:
            return start + end
    return -1


@pytest.mark.parametrize("portion", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    "body",
    [
        REGULAR,
        b"0\r\n\r\n",
        b"000005\r\nfirst\r\n000\r\n\r\n",
        b"5;name=value\r\nfirst\r\n0;last\r\n\r\n",
        b"5  \r\nfirst\r\n0 \r\n\r\n",
        b"5\nfirst\n0\n\n",
        b"A\r\n0123456789\r\n0\r\nX-One: 1\r\nX-Two: 2\r\n\r\n",
        b"5\r\nfirst\r\n\r\n5\r\nagain\r\n0\r\n\r\n",
        b"5\r\nfirst5\r\nagain\r\n0\r\n\r\n",
    ],
)
def test_the_end_is_found_whatever_the_portions(body: bytes, portion: int) -> None:
    assert end_of(body, portion) == len(body)
    assert end_of(body + b"HTTP/1.1 200 OK\r\n", portion) == len(body)


@pytest.mark.parametrize("portion", [1, 4, 1000])
@pytest.mark.parametrize(
    "body",
    [
        b"this is no size\r\nat all",
        b"5\r\nfirst\r\nzzz\r\n",
        b"-5\r\nfirst\r\n",
        b"0x5\r\nfirst\r\n",
        b"ffffffffffffffffff\r\n",
        b"\r\n\r\n",
        b"1" * 10_000,
    ],
)
def test_sizes_that_make_no_sense_are_given_up(body: bytes, portion: int) -> None:
    chunks = Chunks()
    ends = [chunks.feed(body[start : start + portion]) for start in range(0, len(body), portion)]

    assert set(ends) == {-1}
    assert chunks.unreadable


def test_a_trailer_without_an_end_is_ended() -> None:
    chunks = Chunks()
    assert chunks.feed(b"0\r\n") == -1

    assert any(chunks.feed(b"X-Field: %d\r\n" % number) >= 0 for number in range(100_000))


@pytest.mark.parametrize(
    ("body", "data"),
    [
        (REGULAR, b"firstsecond"),
        (b"0\r\n\r\n", b""),
        (b"A\r\n0123456789\r\n0\r\n\r\n", b"0123456789"),
        (REGULAR + b"x", None),
        (REGULAR[:-2], None),
        (REGULAR[:-5], None),
        (b"5;x\r\nfirst\r\n0\r\n\r\n", None),
        (b"6\r\nfirst\r\n0\r\n\r\n", None),
        (b"0\r\nX: y\r\n\r\n", None),
        (b"", None),
    ],
)
def test_only_regular_chunks_are_joined_the_quick_way(body: bytes, data: bytes | None) -> None:
    assert joined(body) == data


sizes = st.lists(st.integers(1, 300), max_size=10)


@settings(max_examples=200, deadline=None)
@given(sizes, st.lists(st.integers(1, 50), min_size=1, max_size=20), st.binary(max_size=20))
def test_the_end_is_where_the_decoder_of_the_archive_sees_it(
    lengths: list[int], portions: list[int], after: bytes
) -> None:
    body = b"".join(b"%X\r\n%b\r\n" % (length, (b"\r\n0\r\n\r\n" * 50)[:length]) for length in lengths)
    body += b"0\r\n\r\n"
    whole, chunks, decoder, at, end = body + after, Chunks(), Dechunker(), 0, -1

    for portion in portions * (len(whole) // sum(portions) + 1):
        data = whole[at : at + portion]
        decoder.feed(data)
        if end < 0 and (found := chunks.feed(data)) >= 0:
            end = at + found
        at += portion

    assert end == len(body)
    assert joined(body) == Dechunker().feed(body)
    assert decoder.done
    assert decoder.data_after == len(after)
