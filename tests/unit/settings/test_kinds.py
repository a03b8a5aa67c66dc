from enum import Enum, StrEnum
from pathlib import Path
from typing import Annotated, Any, Literal, Optional

import pytest
from pydantic import Field, SecretStr

from armarium.settings.kinds import Unfit
from armarium.settings.section import kind_of


class Colour(StrEnum):
    RED = "red"
    GREEN = "green"


class Size(Enum):
    ONE = 1
    TWO = 2


TOML_ACCEPTED: list[tuple[Any, object, object]] = [
    (bool, True, True),
    (int, 8000, 8000),
    (int, -(2**63), -(2**63)),
    (float, 1.5, 1.5),
    (float, 2, 2.0),
    (str, "", ""),
    (str, "Bücher", "Bücher"),
    (Path, "a/../b", Path("a/../b")),
    (Colour, "red", Colour.RED),
    (Size, 2, Size.TWO),
    (Literal["obey", "ignore"], "obey", "obey"),
    (Literal[1, 2], 1, 1),
    (list[str], [], []),
    (list[str], ["a", "b,c"], ["a", "b,c"]),
    (list[Colour], ["red"], [Colour.RED]),
    (tuple[int, ...], [1, 2], (1, 2)),
    (int | None, 5, 5),
    (int | None, "", None),
    (Path | None, "", None),
    (Optional[str], "", None),  # noqa: UP045  (the older notation must work as well)
    (Annotated[int, Field(ge=1)] | None, 3, 3),
]


@pytest.mark.parametrize(("declared", "value", "expected"), TOML_ACCEPTED)
def test_a_value_of_the_file_becomes_the_declared_type(
    declared: Any, value: object, expected: object
) -> None:
    typed = kind_of(declared).from_toml(value)
    assert typed == expected
    assert type(typed) is type(expected)


TOML_REFUSED: list[tuple[Any, object]] = [
    (bool, "true"),
    (bool, 1),
    (int, "8000"),
    (int, True),
    (int, 1.0),
    (int, 2**63),
    (float, "1.5"),
    (float, True),
    (float, float("nan")),
    (float, float("inf")),
    (float, 2**2000),
    (str, 5),
    (str, True),
    (str, "a\0b"),
    (Path, ""),
    (Path, "a\0b"),
    (Path, 5),
    (Colour, "blue"),
    (Colour, "RED"),
    (Size, True),
    (Size, "1"),
    (Literal[1, 2], True),
    (Literal["1"], 1),
    (SecretStr, 5),
    (list[str], "a,b"),
    (list[str], ["a", 5]),
    (list[str], [["a"]]),
    (list[str], {"a": "b"}),
    (int | None, "5"),
    (str | None, {}),
]


@pytest.mark.parametrize(("declared", "value"), TOML_REFUSED)
def test_a_value_of_the_file_of_another_type_is_refused(declared: Any, value: object) -> None:
    with pytest.raises(Unfit):
        kind_of(declared).from_toml(value)


TEXT_ACCEPTED: list[tuple[Any, str, object]] = [
    *[(bool, text, True) for text in ("true", "1", "yes", "on", "TRUE", " On ")],
    *[(bool, text, False) for text in ("false", "0", "no", "off", "No")],
    (int, "8000", 8000),
    (int, " -3 ", -3),
    (float, "1.5", 1.5),
    (float, "2", 2.0),
    (float, "1e-3", 0.001),
    (str, "", ""),
    (str, " kept as it is ", " kept as it is "),
    (Path, "/srv/armarium", Path("/srv/armarium")),
    (Colour, "green", Colour.GREEN),
    (Size, "2", Size.TWO),
    (list[str], "", []),
    (list[str], "a, b ,c,", ["a", "b", "c"]),
    (list[str], '["a,b", "c"]', ["a,b", "c"]),
    (list[str], " [] ", []),
    (list[int], "1,2", [1, 2]),
    (list[int], "[1, 2]", [1, 2]),
    (tuple[str, ...], "a,b", ("a", "b")),
    (bool | None, "no", False),
    (bool | None, "", None),
    (int | None, " ", None),
    (list[str] | None, "", None),
]


@pytest.mark.parametrize(("declared", "text", "expected"), TEXT_ACCEPTED)
def test_a_variable_becomes_the_declared_type(declared: Any, text: str, expected: object) -> None:
    typed = kind_of(declared).from_text(text)
    assert typed == expected
    assert type(typed) is type(expected)


TEXT_REFUSED: list[tuple[Any, str]] = [
    (bool, ""),
    (bool, "ja"),
    (bool, "2"),
    (int, ""),
    (int, "8000.0"),
    (int, "8_000"),
    (int, "0x10"),
    (int, "٣"),
    (int, "9" * 19),
    (int, "9" * 5000),
    (float, "nan"),
    (float, "inf"),
    (float, "1e999"),
    (float, "1.2.3"),
    (float, "."),
    (str, "caf\udce9"),
    (Path, ""),
    (Path, "caf\udce9"),
    (SecretStr, "\udce9"),
    (Colour, ""),
    (Size, "3"),
    (list[str], "[1, 2]"),
    (list[str], "[::1],::2"),
    (list[str], "[" * 100_000),
    (list[int], "1,two"),
    (list[int], "[1, true]"),
    (list[int], "[" + "9" * 5000 + "]"),
]


@pytest.mark.parametrize(("declared", "text"), TEXT_REFUSED)
def test_a_variable_that_is_not_of_the_type_is_refused(declared: Any, text: str) -> None:
    with pytest.raises(Unfit):
        kind_of(declared).from_text(text)


def test_a_secret_is_wrapped_from_file_and_variable() -> None:
    for secret in (kind_of(SecretStr).from_toml("hunter2"), kind_of(SecretStr | None).from_text("hunter2")):
        assert isinstance(secret, SecretStr)
        assert secret.get_secret_value() == "hunter2"


def test_the_wrong_item_of_a_list_is_named() -> None:
    with pytest.raises(Unfit) as caught:
        kind_of(list[str]).from_toml(["a", "b", 5])
    assert caught.value.found == "item 3 is 5"
