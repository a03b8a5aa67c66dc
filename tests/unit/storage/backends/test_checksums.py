"""The notes of a checksum replica."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.storage.backends.checksums import understood, written
from armarium.storage.backends.place import Sums

SUMS = Sums(123, "a" * 64, "b" * 64)
NOTE = written("name.warc.gz", SUMS)


def test_a_note_is_understood_by_those_who_come_later() -> None:
    assert understood("name.warc.gz", NOTE) == SUMS
    assert json.loads(NOTE)["sha256"] == SUMS.sha256


def test_a_note_under_another_name_is_none() -> None:
    with pytest.raises(ValueError, match="does not agree"):
        understood("other.warc.gz", NOTE)


@pytest.mark.parametrize("content", [b"", b"[]", b"7", b"null", b"{}", b'"note"', b"\xff"])
def test_what_is_no_note_is_not_understood(content: bytes) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        understood("name.warc.gz", content)


@given(st.integers(0, len(NOTE) * 8 - 1))
def test_a_note_with_a_flipped_bit_never_says_other_sums(bit: int) -> None:
    damaged = bytearray(NOTE)
    damaged[bit // 8] ^= 1 << (bit % 8)
    try:
        found = understood("name.warc.gz", bytes(damaged))
    except (ValueError, KeyError, TypeError):
        return
    assert found == SUMS  # a space became another one
