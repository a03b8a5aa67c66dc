"""Orders as they are shown."""

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from armarium.planning.orders import as_toml, without_secrets

VALUES = some.one_of(
    some.text(), some.integers(-(2**63), 2**63 - 1), some.booleans(), some.lists(some.text(), max_size=3)
)
DOCUMENTS = some.dictionaries(
    some.text(),
    some.recursive(VALUES, lambda inner: some.dictionaries(some.text(), inner, min_size=1, max_size=3)),
    max_size=4,
)


@given(DOCUMENTS)
def test_an_order_as_toml_says_what_it_says_as_json(facts: dict[str, Any]) -> None:
    assert tomllib.loads(as_toml(facts)) == facts


def test_what_is_not_said_is_left_out_of_toml() -> None:
    assert (
        as_toml({"a": None, "limits": {"max_objects": None, "max_bytes": 5}}) == "[limits]\nmax_bytes = 5\n"
    )


def test_secrets_are_masked_wherever_they_stand() -> None:
    order = {"fetching": {"credentials": [{"user": "u", "password": "hush"}], "proxy": "http://u:hush@p:1"}}
    assert "hush" not in str(without_secrets(order))
