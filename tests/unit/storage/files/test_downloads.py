"""Which bytes a Range header, or a person, asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from armarium.storage.files.downloads import NotThere, Stretch, in_header, stretch


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("0-0", Stretch(0, 1)),
        ("0-499", Stretch(0, 500)),
        ("500-", Stretch(500, 1000)),
        ("-1", Stretch(999, 1000)),
        ("-5000", Stretch(0, 1000)),
        ("990-5000", Stretch(990, 1000)),
    ],
)
def test_both_ends_are_included_and_what_lies_behind_the_end_is_left_out(text: str, found: Stretch) -> None:
    assert stretch(text, 1000) == found


@pytest.mark.parametrize("text", ["1000-", "1000-1001", "-0"])
def test_bytes_that_the_file_does_not_have_are_not_there(text: str) -> None:
    with pytest.raises(NotThere, match="1000 bytes"):
        stretch(text, 1000)


@pytest.mark.parametrize("text", ["", "-", "5-4", "a-b", "1-2,4-5", "--1", "1" * 30 + "-"])
def test_what_is_no_range_is_none(text: str) -> None:
    assert stretch(text, 1000) is None


@pytest.mark.parametrize("header", ["", "lines=1-2", "bytes=0-1, 3-4", "bytes"])
def test_a_header_that_asks_for_something_else_gets_the_whole(header: str) -> None:
    assert in_header(header, 1000) is None


def test_units_are_told_apart_without_regard_to_case() -> None:
    assert in_header("Bytes=1-2", 10) == Stretch(1, 3)


def test_an_empty_file_has_no_stretch() -> None:
    with pytest.raises(NotThere):
        stretch("0-", 0)


@given(st.text(alphabet="0123456789-, ", max_size=12), st.integers(0, 2000))
def test_whatever_is_asked_lies_in_the_file(text: str, size: int) -> None:
    try:
        found = stretch(text, size)
    except NotThere:
        return
    assert found is None or 0 <= found.start < found.end <= size
