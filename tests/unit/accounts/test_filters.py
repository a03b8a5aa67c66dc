"""What strangers type never becomes a part of a filter."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ldap3.operation.search import parse_filter

from armarium.accounts.directory.ldap import escaped, filled


@pytest.mark.parametrize(
    ("value", "written"),
    [  # RFC 4515, section 4
        (
            "Parens (for all)",
            r"Parens\20\28for\20all\29",
        ),
        ("*", r"\2a"),
        ("C:\\MyFile", r"C:\5cMyFile"),
        ("\0\0\0\4", r"\00\00\00\04"),
        ("Lučić", r"Lu\c4\8di\c4\87"),
        ("anna.maier@example.org", "anna.maier@example.org"),
    ],
)
def test_values_are_written_as_the_standard_says(value: str, written: str) -> None:
    assert escaped(value) == written


def test_a_value_is_never_read_as_a_placeholder() -> None:
    assert filled("(&(a={dn})(b={name}))", {"dn": "{name}", "name": "{dn}"}) == "(&(a={name})(b={dn}))"


@given(st.text(min_size=1))
def test_whatever_is_typed_the_filter_stays_one_comparison(value: str) -> None:
    parse: Any = parse_filter
    (found,) = parse(filled("(uid={name})", {"name": value}), None, False, None, None, False).elements
    assert found.elements == []
    assert found.assertion["attr"] == "uid"
    read = re.sub(rb"\\([0-9a-f]{2})", lambda pair: bytes.fromhex(pair[1].decode()), found.assertion["value"])
    assert read == value.encode("utf-8", "surrogatepass")
