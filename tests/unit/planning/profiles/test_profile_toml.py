"""Profiles as TOML, pasted by hostile hands."""

import pytest

from armarium.core.errors import Refused
from armarium.planning.domains.rules import check_overrides, read_overrides
from armarium.planning.profiles import toml
from armarium.planning.profiles.rules import BadOrder, checked
from tests.cost import processor_seconds

EVIL = {
    "a key of many parts": ".".join(["a"] * 9000) + "=1",
    "quoted parts": ".".join(['"a"'] * 4500) + "=1",
    "with blanks": " . ".join(["a"] * 4500) + "=1",
    "a section of many parts": f"[{'.'.join(['a'] * 9000)}]",
    "behind a string that ends with quotes": 'x = {a = """y""""", ' + ".".join(["b"] * 9000) + " = 1}",
    "deep lists": "a = " + "[" * 5000,
    "deep tables": "a = " + "{a=" * 5000,
    "a number of many digits": "a = " + "9" * 10_000,
    "too long": "#" * 20_001,
}


@pytest.mark.parametrize("text", EVIL.values(), ids=EVIL.keys())
@pytest.mark.parametrize("read", [toml.read, read_overrides])
def test_what_would_lead_a_parser_astray_is_refused_at_once(read: type, text: str) -> None:
    with processor_seconds(0.5), pytest.raises(Refused):
        read(text)


def test_dots_and_brackets_in_strings_and_comments_do_not_count() -> None:
    text = """
    # ................ [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[
    scope.reject = ['a.b.c.d.e.f.g.h.i.j.k.l.m.n', "[[[[[[[[[[[[[[[[[[[[[[[[[[\\\\"]
    """
    assert toml.read(text)["scope"]["reject"][0].count(".") == 13
    assert toml.read("[scope]\naccept = ['''\n" + "a.b\n" * 30 + "''']")["scope"]["accept"]


def test_a_document_that_is_nested_too_deep_is_refused() -> None:
    deep: object = 1
    for _ in range(900):
        deep = [deep]
    with pytest.raises(BadOrder, match="20 deep"):
        checked({"scope": deep})
    with pytest.raises(Refused, match="20 deep"):
        check_overrides({"scope": {"accept": deep}})
