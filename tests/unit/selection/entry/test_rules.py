"""What somebody pastes becomes lines."""

import pytest

from armarium.core.errors import Refused
from armarium.selection.entry.model import MOST_LINES
from armarium.selection.entry.rules import read_lines, without


def states(pasted: str) -> list[tuple[object, object]]:
    return [(row["line"], row["state"]) for row in read_lines(pasted)]


def test_empty_lines_and_remarks_are_none() -> None:
    assert states("\n a.example \r\n# remark\n\n b.example\n") == [(1, "waiting"), (2, "waiting")]


def test_the_same_address_in_another_spelling_is_told() -> None:
    rows = read_lines("http://www.a.example/\nhttps://a.example\nA.EXAMPLE/#top")
    assert [(row["state"], row["twin"]) for row in rows] == [("waiting", 0), ("twice", 1), ("twice", 1)]


def test_what_is_no_address_is_kept_with_its_reason() -> None:
    [row] = read_lines("mailto:someone@a.example")
    assert (row["state"], row["trouble"], row["typed"]) == (
        "invalid",
        "no-address",
        "mailto:someone@a.example",
    )


def test_what_the_collection_has_is_known_and_nobody_looks_at_it() -> None:
    rows = read_lines("a.example\nb.example\na.example")
    marked = without(rows, {rows[0]["key"]})  # type: ignore[arg-type]
    assert [row["state"] for row in marked] == ["known", "waiting", "twice"]


def test_the_number_of_lines_is_bounded() -> None:
    assert len(read_lines("\n".join(f"s{n}.example" for n in range(MOST_LINES)))) == MOST_LINES
    with pytest.raises(Refused):
        read_lines("\n".join(f"s{n}.example" for n in range(MOST_LINES + 1)))


@pytest.mark.parametrize("text", ["a\x00b.example", "\ud800.example", "http://" + "a" * 5000])
def test_odd_characters_and_long_lines_are_invalid_and_can_be_stored(text: str) -> None:
    [row] = read_lines(text)
    assert "\x00" not in str(row["typed"])
    str(row["typed"]).encode()
