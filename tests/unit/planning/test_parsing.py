"""Sizes as people write them, and as they get them back."""

import pytest

from armarium.languages.speech import speaking
from armarium.planning.parsing import bytes_in, means_no_limit, written_size


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("500 MB", 500_000_000),
        ("1,5 Go", 1_500_000_000),
        ("1.5gb", 1_500_000_000),
        ("7", 7),
        ("500\u00a0kB", 500_000),
        ("many", None),
        ("-1", None),
        ("9999999999 PB", None),
    ],
)
def test_a_size_is_read(text: str, expected: int | None) -> None:
    assert bytes_in(text) == expected


def test_what_is_shown_can_be_written_back() -> None:
    for value in (0, 7, 1000, 500_000_000, 1_500_000_000):
        assert bytes_in(written_size(value)) == value
    assert written_size(None) == ""


def test_no_limit_is_said_in_words_too() -> None:
    assert means_no_limit("-1")
    assert means_no_limit(" No limit ")
    with speaking("fr"):
        assert means_no_limit("no limit")
    assert not means_no_limit("0")
