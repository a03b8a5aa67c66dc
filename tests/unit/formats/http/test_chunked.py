"""The chunked transfer coding, right and wrong."""

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.http import Dechunker
from tests.cost import processor_seconds


def dechunk(body: bytes, step: int | None = None) -> tuple[bytes, Dechunker]:
    dechunker = Dechunker()
    step = step or max(1, len(body))
    out = [dechunker.feed(body[at : at + step]) for at in range(0, len(body), step)]
    out.append(dechunker.finish())
    return b"".join(out), dechunker


@pytest.mark.parametrize("step", [1, 2, 3, 7, None])
@pytest.mark.parametrize(
    ("body", "entity", "expected"),
    [
        (b"4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n", b"Wikipedia", []),
        (b"0\r\n\r\n", b"", []),
        (b"", b"", ["http-chunk-last-missing"]),
        (b'4;name=value;b="c;d"\r\nWiki\r\n0\r\n\r\n', b"Wiki", []),
        (b"0004\r\nWiki\r\n000\r\n\r\n", b"Wiki", []),
        (b"A\r\n0123456789\r\n0\r\n\r\n", b"0123456789", []),
        (b"4  \r\nWiki\r\n0\r\n\r\n", b"Wiki", ["http-chunk-size-padded"]),
        (b"4\r\nWiki\r\n0\r\nX-Sum: 1\r\n\r\n", b"Wiki", []),
        (b"4\nWiki\n0\n\n", b"Wiki", ["http-chunk-line-end-lf"]),
        (b"4\r\nWiki\r\n0\r\n\r\ngarbage", b"Wiki", ["http-chunk-data-after"]),
        (b"4\r\nWiki\r\n0\r\n", b"Wiki", ["http-chunk-trailer-unterminated"]),
        (b"4\r\nWiki\r\n0\r\nX: y", b"Wiki", ["http-chunk-trailer-unterminated"]),
        (b"4\r\nWiki\r\n0", b"Wiki", ["http-chunk-trailer-unterminated"]),
        (b"4\r\nWiki\r\n", b"Wiki", ["http-chunk-last-missing"]),
        (b"4\r\nWiki", b"Wiki", ["http-chunk-last-missing"]),
        (b"4\r\nWiki\r\n5", b"Wiki", ["http-chunk-last-missing"]),
        (b"4\r\nWiki\r\n9\r\npedia", b"Wikipedia", ["http-chunk-truncated"]),
        (b"FF\r\nWiki", b"Wiki", ["http-chunk-truncated"]),
        (b"4\r\nWiki0\r\n\r\n", b"4\r\nWiki0\r\n\r\n", ["http-chunked-already-decoded"]),
        (b"4\r\nWiki\r\n5\r\npedia0\r\n\r\n", b"Wikipedia", ["http-chunk-end-missing"]),
        (b"4\r\nWiki\r\n\r\n5\r\npedia\r\n0\r\n\r\n", b"Wikipedia", ["http-chunk-empty-line"]),
        (b"4\r\nWiki\r\nxyz\r\nrest", b"Wikixyz\r\nrest", ["http-chunk-size-invalid"]),
        (b"4\r\nWiki\r\n-5\r\npedia", b"Wiki-5\r\npedia", ["http-chunk-size-invalid"]),
        (b"4\r\nWiki\r\n0x5\r\npedia", b"Wiki0x5\r\npedia", ["http-chunk-size-invalid"]),
        (
            b"4\r\nWiki\r\nFFFFFFFFFFFFFFFFF\r\nx",
            b"WikiFFFFFFFFFFFFFFFFF\r\nx",
            ["http-chunk-size-too-large"],
        ),
    ],
)
def test_a_chunked_body_is_decoded(body: bytes, entity: bytes, expected: list[str], step: int | None) -> None:
    decoded, dechunker = dechunk(body, step)
    assert decoded == entity
    assert [problem.code for problem in dechunker.problems] == expected
    assert all(0 <= problem.offset <= len(body) for problem in dechunker.problems)


@pytest.mark.parametrize("step", [1, 5, None])
@pytest.mark.parametrize(
    "body",
    [
        b"<html>\r\n<p>Not chunked</p>\r\n",
        b"2023\nwas a year, and not the size of a chunk.\n",
        b"add\r\nthis to that, and there is more than a chunk of it",  # 0xadd bytes are announced: see below
        b"\x1f\x8b\x08\x00 gzip",
        b"x",
        b"5",
        b"\r\n\r\n<html>",
        b"abc",
        b"FFFFFFFFFFFFFFFFFFFFFFFF\r\nabc",
    ],
)
def test_a_body_decoded_before_it_was_stored_is_recognised(body: bytes, step: int | None) -> None:
    if body.startswith(b"add"):
        body += b"." * 0xADD
    decoded, dechunker = dechunk(body, step)
    assert decoded == body
    assert dechunker.already_decoded
    assert [problem.code for problem in dechunker.problems] == ["http-chunked-already-decoded"]


def test_the_trailer_is_kept() -> None:
    _, dechunker = dechunk(b"1\r\nx\r\n0\r\nDigest: abc\r\nB: c\r\n\r\n")
    assert dechunker.done
    assert dechunker.trailer.items() == [("Digest", "abc"), ("B", "c")]


def test_bytes_after_the_end_are_counted() -> None:
    _, dechunker = dechunk(b"0\r\n\r\nmore", 1)
    assert dechunker.data_after == 4


def test_memory_stays_constant_in_a_large_chunk() -> None:
    dechunker = Dechunker()
    piece = bytes(1 << 16)
    tracemalloc.start()
    dechunker.feed(b"40000000\r\n")  # 1 GiB
    size = sum(len(dechunker.feed(piece)) for _ in range(2000))
    size += len(dechunker.finish())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == 2000 * len(piece)
    assert peak < 1 << 20


@pytest.mark.parametrize(
    "body",
    [
        b"1\r\nx\r\n" * 200_000,
        b"1\r\nx\r\n0\r\n" + b"a: b\r\n" * 200_000,
        b"1\r\nx\r\n0\r\n" + b"a" * 1_000_000,
        b"1\r\nx\r\n" + b"\r\n" * 500_000,
        b"1\r\nx\r\n" + b"1;" + b"x" * 1_000_000,
        b" " * 1_000_000,
        b"0" * 1_000_000,
    ],
)
@pytest.mark.parametrize("step", [1000, None])
def test_no_framing_makes_decoding_slow(body: bytes, step: int | None) -> None:
    with processor_seconds(10):
        dechunk(body, step)


CHUNKS = st.lists(st.binary(min_size=1, max_size=40))
EXTENSIONS = st.sampled_from([b"", b";a", b";a=b", b'; c="d e"'])
PIECES = st.one_of(
    st.binary(max_size=4), st.sampled_from([b"\r\n", b"\n", b"0", b"1", b"3\r\nabc\r\n", b"0\r\n\r\n"])
)


@given(CHUNKS, EXTENSIONS, st.sampled_from([b"\r\n", b"\n"]), st.integers(1, 9))
def test_encoding_then_decoding_is_the_identity(
    chunks: list[bytes], ext: bytes, end: bytes, step: int
) -> None:
    coded = (
        b"".join(b"%x%b%b%b%b" % (len(chunk), ext, end, chunk, end) for chunk in chunks) + b"0" + end + end
    )
    decoded, dechunker = dechunk(coded, step)
    assert decoded == b"".join(chunks)
    assert dechunker.done


@given(st.lists(PIECES).map(b"".join), st.integers(1, 9))
def test_any_bytes_in_any_portions_give_the_same(body: bytes, step: int) -> None:
    whole, one = dechunk(body)
    parts, other = dechunk(body, step)
    assert whole == parts
    assert [(problem.code, problem.offset) for problem in one.problems] == [
        (problem.code, problem.offset) for problem in other.problems
    ]
    assert one.already_decoded == other.already_decoded
    assert one.trailer.raw == other.trailer.raw
