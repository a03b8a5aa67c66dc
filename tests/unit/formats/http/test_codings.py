"""Content codings: undone in order, whatever the label says, up to a limit, through damage."""

import gzip
import random
import tracemalloc
import zlib
from collections.abc import Callable, Iterator

import brotli  # type: ignore[import-untyped]
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.formats.http import Decoding, Outcome, decode_content
from tests.cost import processor_seconds


def raw_deflate(data: bytes) -> bytes:
    compressor = zlib.compressobj(wbits=-15)
    return compressor.compress(data) + compressor.flush()


ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": zstandard.compress,
    "identity": bytes,
}
COMPRESSORS = {**ENCODERS, "raw": raw_deflate}
BOMBS: dict[str, Callable[[bytes], bytes]] = {**ENCODERS, "br": lambda data: brotli.compress(data, quality=1)}
TEXT = b"".join(b"<p>Line %d of a page that a crawler recorded.</p>\n" % number for number in range(5000))
NOISE = random.Random(1).randbytes(70_000)


def split(data: bytes, step: int) -> Iterator[bytes]:
    return (data[at : at + step] for at in range(0, len(data), step))


def decode(
    data: bytes, *codings: str, limit: int | None = None, step: int = 1 << 16
) -> tuple[bytes, Decoding]:
    decoding = decode_content(codings, split(data, step), limit)
    return b"".join(decoding), decoding


def codes(decoding: Decoding) -> list[str]:
    return [problem.code for problem in decoding.problems]


@pytest.mark.parametrize("data", [b"", b"x", b"hello", TEXT, NOISE])
@pytest.mark.parametrize("step", [7, 1000, 1 << 20])
@pytest.mark.parametrize("coding", ENCODERS)
def test_every_coding_is_undone(coding: str, step: int, data: bytes) -> None:
    decoded, decoding = decode(ENCODERS[coding](data), coding, step=step)
    assert decoded == data
    assert (codes(decoding), decoding.outcome) == ([], Outcome.COMPLETE)


def test_deflate_without_its_wrapper_is_undone_too() -> None:
    for data in (b"", b"x", TEXT, NOISE):
        decoded, decoding = decode(raw_deflate(data), "deflate")
        assert decoded == data
        assert codes(decoding) == ["http-deflate-raw"]
        assert decoding.outcome is Outcome.COMPLETE


def test_codings_are_undone_last_first() -> None:
    decoded, decoding = decode(gzip.compress(brotli.compress(TEXT)), "br", "gzip")
    assert decoded == TEXT
    assert codes(decoding) == []


@pytest.mark.parametrize("coding", ["gzip", "deflate", "zstd", "br"])
@pytest.mark.parametrize(
    "data", [b"ok", TEXT, b"\xef\xbb\xbfcaf\xc3\xa9" * 9, b"\x89PNG\r\n\x1a\n" + NOISE, b"; x"]
)
def test_a_body_that_is_not_compressed_is_passed_on(coding: str, data: bytes) -> None:
    decoded, decoding = decode(data, coding)
    assert decoded == data
    assert codes(decoding) == ["http-coding-mislabelled"]
    assert decoding.outcome is Outcome.MISLABELLED


@pytest.mark.parametrize(
    ("label", "actual"),
    [
        ("gzip", "deflate"),
        ("gzip", "zstd"),
        ("deflate", "gzip"),
        ("deflate", "zstd"),
        ("zstd", "gzip"),
        ("br", "gzip"),
    ],
)
def test_a_body_compressed_in_another_way_is_undone(label: str, actual: str) -> None:
    decoded, decoding = decode(ENCODERS[actual](TEXT), label)
    assert decoded == TEXT
    assert codes(decoding) == ["http-coding-mislabelled"]


def test_a_body_labelled_twice_but_compressed_once_is_undone() -> None:
    decoded, decoding = decode(gzip.compress(TEXT), "gzip", "gzip")
    assert decoded == TEXT
    assert codes(decoding) == ["http-coding-mislabelled"]


@pytest.mark.parametrize("coding", ["compress", "x-compress", "sdch", "exi", "dcb"])
def test_an_unknown_coding_is_named_and_left_alone(coding: str) -> None:
    decoded, decoding = decode(b"\x1f\x9d...", coding)
    assert decoded == b"\x1f\x9d..."
    assert codes(decoding) == ["http-coding-unknown"]
    assert coding in decoding.problems[0].message
    assert decoding.outcome is Outcome.UNKNOWN_CODING


def test_what_lies_outside_an_unknown_coding_is_undone() -> None:
    decoded, decoding = decode(gzip.compress(b"\x1f\x9d..."), "compress", "gzip")
    assert decoded == b"\x1f\x9d..."
    assert decoding.outcome is Outcome.UNKNOWN_CODING


def test_a_charset_in_the_place_of_a_coding_is_ignored() -> None:
    decoded, decoding = decode(gzip.compress(TEXT), "gzip", "UTF-8")
    assert decoded == TEXT
    assert codes(decoding) == ["http-coding-not-one"]
    assert decoding.outcome is Outcome.COMPLETE


@pytest.mark.parametrize("name", [name for name in COMPRESSORS if name != "identity"])
@pytest.mark.parametrize("keep", [0.2, 0.5, 0.99])
def test_a_truncated_stream_gives_what_there_is(name: str, keep: float) -> None:
    coded = COMPRESSORS[name](TEXT + NOISE)
    decoded, decoding = decode(coded[: int(len(coded) * keep)], "deflate" if name == "raw" else name)
    assert decoding.outcome is Outcome.TRUNCATED
    assert (TEXT + NOISE).startswith(decoded)
    assert len(decoded) > len(TEXT) * keep * 0.4


@pytest.mark.parametrize("wbits", [31, 15, -15])
@pytest.mark.parametrize("step", [1, 100, 1 << 16])
def test_a_damaged_stream_gives_everything_before_the_damage(wbits: int, step: int) -> None:
    compressor = zlib.compressobj(wbits=wbits)
    coded = compressor.compress(TEXT) + compressor.flush(zlib.Z_FULL_FLUSH)
    decoded, decoding = decode(coded + b"\xff" * 3000, "gzip" if wbits == 31 else "deflate", step=step)
    assert decoded == TEXT
    assert decoding.outcome is Outcome.DAMAGED
    assert codes(decoding)[-1] == "http-coding-damaged"


@pytest.mark.parametrize("name", ["br", "zstd"])
def test_damage_in_the_other_codings_ends_in_a_finding(name: str) -> None:
    coded = bytearray(COMPRESSORS[name](TEXT + NOISE))
    for at in range(len(coded) // 2, len(coded), 100):
        coded[at] ^= 0x55
    decoded, decoding = decode(bytes(coded), name)
    assert decoding.outcome in (Outcome.DAMAGED, Outcome.TRUNCATED, Outcome.COMPLETE)
    assert len(decoded) <= len(TEXT + NOISE)


@pytest.mark.parametrize("name", ["gzip", "deflate"])
def test_a_wrong_checksum_costs_no_byte(name: str) -> None:
    coded = bytearray(COMPRESSORS[name](TEXT))
    coded[-1 if name == "deflate" else -5] ^= 1
    decoded, decoding = decode(bytes(coded), name)
    assert decoded == TEXT
    assert codes(decoding) == ["http-coding-checksum"]
    assert decoding.outcome is Outcome.DAMAGED


@pytest.mark.parametrize("step", [1, 10, 1 << 16])
@pytest.mark.parametrize("name", [name for name in COMPRESSORS if name != "identity"])
def test_bytes_after_the_stream_are_noted_and_left_out(name: str, step: int) -> None:
    for data in (b"short", TEXT):
        decoded, decoding = decode(
            COMPRESSORS[name](data) + b"\r\n<!-- after -->", "deflate" if name == "raw" else name, step=step
        )
        assert decoded == data
        assert "http-coding-data-after" in codes(decoding)
        assert decoding.outcome is Outcome.COMPLETE


@pytest.mark.parametrize("step", [1, 3, 1 << 16])
@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_streams_that_follow_one_another_are_one(name: str, step: int) -> None:
    coded = COMPRESSORS[name](b"one, ") + COMPRESSORS[name](b"") + COMPRESSORS[name](b"two") + bytes(9)
    decoded, decoding = decode(coded, name, step=step)
    assert decoded == b"one, two"
    assert codes(decoding) == []


def test_many_empty_members_are_read_without_recursion() -> None:
    decoded, decoding = decode(gzip.compress(b"") * 20_000 + gzip.compress(b"end"), "gzip")
    assert decoded == b"end"
    assert codes(decoding) == []


def test_no_body_is_no_problem() -> None:
    for coding in ENCODERS:
        decoded, decoding = decode(b"", coding)
        assert decoded == b""
        assert codes(decoding) == []


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd"])
def test_a_bomb_is_stopped_at_the_limit_in_little_memory(name: str) -> None:
    bomb = BOMBS[name](bytes(200_000_000))
    tracemalloc.start()
    decoding = decode_content([name], [bomb], limit=50_000_000)
    size = sum(map(len, decoding))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size == decoding.size == 50_000_000
    assert decoding.outcome is Outcome.TOO_LARGE
    assert peak < 20_000_000


def test_a_bomb_in_a_bomb_is_stopped_too() -> None:
    inner = gzip.compress(bytes(300_000_000))
    decoded, decoding = decode(
        gzip.compress(gzip.compress(b"") + inner * 20), "gzip", "gzip", limit=1_000_000
    )
    assert len(decoded) <= 1_000_000
    assert decoding.outcome is Outcome.TOO_LARGE


def test_a_payload_of_exactly_the_limit_is_complete() -> None:
    decoded, decoding = decode(gzip.compress(TEXT), "gzip", limit=len(TEXT))
    assert decoded == TEXT
    assert decoding.outcome is Outcome.COMPLETE


def test_more_codings_than_anybody_uses_are_refused() -> None:
    decoded, decoding = decode(b"x", *["gzip"] * 100)
    assert decoded == b"x"
    assert codes(decoding) == ["http-codings-too-many"]


@given(st.binary(max_size=300), st.lists(st.sampled_from(list(ENCODERS)), max_size=4), st.integers(1, 50))
@settings(deadline=None)
def test_encoding_then_decoding_is_the_identity(data: bytes, codings: list[str], step: int) -> None:
    coded = data
    for coding in codings:
        coded = ENCODERS[coding](coded)
    decoded, decoding = decode(coded, *codings, step=step)
    assert decoded == data
    assert codes(decoding) == []


@given(
    st.one_of(st.binary(max_size=200), st.binary(max_size=40).map(lambda data: gzip.compress(data) + data)),
    st.lists(st.sampled_from([*ENCODERS, "compress"]), max_size=3),
    st.integers(1, 30),
)
@settings(deadline=None)
def test_any_bytes_in_any_portions_give_the_same(data: bytes, codings: list[str], step: int) -> None:
    whole, one = decode(data, *codings)
    parts, other = decode(data, *codings, step=step)
    assert whole == parts
    assert codes(one) == codes(other)


@pytest.mark.parametrize("step", [1000, 1 << 20])
def test_padding_behind_a_stream_costs_no_time(step: int) -> None:
    data = gzip.compress(b"x") + bytes(2_000_000) + gzip.compress(b"y")
    with processor_seconds(0.5):
        decoded, decoding = decode(data, "gzip", step=step)
    assert (decoded, codes(decoding)) == (b"xy", [])
