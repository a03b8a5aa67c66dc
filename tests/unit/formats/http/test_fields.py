"""Header fields: order, repetition, folding, and the bytes as recorded."""

from hypothesis import given
from hypothesis import strategies as st

from armarium.formats.http import Fields, parse_response


def codes(lines: bytes) -> list[str]:
    return [problem.code for problem in parse_response(b"HTTP/1.1 200 OK\r\n" + lines + b"\r\n\r\n").problems]


def test_fields_keep_their_order_and_repeat() -> None:
    fields = Fields(b"B: 1\r\na: 2\r\nb: 3\r\n\r\n")
    assert fields.items() == [("B", "1"), ("a", "2"), ("b", "3")]
    assert fields.get("b") == "1"
    assert fields.get_all("B") == ["1", "3"]
    assert "A" in fields
    assert "c" not in fields
    assert fields.get("c", "nothing") == "nothing"


def test_a_folded_value_is_joined_with_spaces() -> None:
    fields = Fields(b"A: one\r\n  two\r\n\tthree\r\nB: x\r\n\r\n")
    assert fields.items() == [("A", "one two three"), ("B", "x")]
    assert fields.get("a") == "one two three"
    assert codes(b"A: one\r\n two") == ["http-field-folded"]


def test_a_line_of_white_space_is_a_fold_and_not_the_end() -> None:
    assert Fields(b"A: one\r\n \r\nB: x\r\n\r\n").items() == [("A", "one"), ("B", "x")]


def test_space_before_the_colon_is_not_part_of_the_name() -> None:
    assert Fields(b"Content-Type : text/html\r\n\r\n").get("content-type") == "text/html"
    assert codes(b"A : b") == ["http-field-space-before-colon"]
    assert codes(b" A: b") == ["http-field-space-before-colon"]


def test_a_line_without_colon_is_kept_but_never_found() -> None:
    fields = Fields(b"Server\r\nServer: x\r\n\r\n")
    assert fields.get("server") == "x"
    assert [field.raw for field in fields] == [b"Server\r\n", b"Server: x\r\n"]
    assert codes(b"Server") == ["http-field-without-colon"]


def test_an_empty_or_impossible_name_is_noted() -> None:
    assert codes(b": x") == ["http-field-name-empty"]
    assert codes(b"a b: x") == ["http-field-name-invalid"]
    assert codes(b"caf\xc3\xa9: x") == ["http-field-name-invalid"]


def test_values_are_utf8_or_else_latin1() -> None:
    assert Fields(b"A: caf\xc3\xa9\r\n").get("a") == "café"
    assert Fields(b"A: caf\xe9\r\n").get("a") == "café"
    assert Fields(b"A: caf\xe9\r\n").get_bytes("a") == b"caf\xe9"
    assert codes(b"A: caf\xe9") == ["http-field-value-not-ascii"]


def test_control_characters_are_noted_and_read_as_space_where_the_standard_says_so() -> None:
    assert Fields(b"A: x\0y\r\n").get("a") == "x y"
    assert Fields(b"A: x\ry\r\n").get("a") == "x y"
    assert codes(b"A: x\0y") == ["http-null-byte"]
    assert codes(b"A: x\ry") == ["http-bare-cr"]
    assert codes(b"A: x\x07y") == ["http-field-value-control"]


def test_lists_go_over_several_lines() -> None:
    assert Fields(b"A: x, y\r\nB: 1\r\na: ,z,\r\n").listed("A") == ["x", "y", "z"]


NAMES = st.text("abcXYZ-09", min_size=1, max_size=8)
VALUES = st.text(
    st.characters(min_codepoint=0x20, max_codepoint=0x2FF, exclude_characters="\x7f"), max_size=20
)


@given(st.lists(st.tuples(NAMES, VALUES.map(str.strip))))
def test_written_fields_are_read_back(pairs: list[tuple[str, str]]) -> None:
    pairs = [(name, value.strip(" \t\xa0\x85")) for name, value in pairs]
    fields = Fields(bytes(Fields.of(pairs)))
    assert fields.items() == pairs
    for name, _ in pairs:
        assert fields.get_all(name) == [value for other, value in pairs if other.lower() == name.lower()]
