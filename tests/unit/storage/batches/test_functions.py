"""Which functions there are, and what they are given."""

from pathlib import Path

import pytest

from armarium.core.errors import Refused
from armarium.storage.batches.functions import function_named, functions
from armarium.storage.batches.model import SelectionKind, checked, selection
from armarium.storage.batches.queries import pattern


def test_those_that_we_ship_are_there() -> None:
    known = functions(None)

    assert list(known.found) == ["checksums", "records", "types", "find"]
    assert all(one.text for one in known.found.values())
    assert [one.name for one in known.found["find"].parameters] == ["text", "ignore_case"]


def test_a_folder_adds_its_own_and_bad_files_are_told(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def batch_one(file, most: int, share: 'float' = 0.5):\n    '''Does one.'''\n\ndef other(file): ...\n"
    )
    (tmp_path / "broken.py").write_text("def batch_two(file:\n")
    (tmp_path / "leaving.py").write_text("import sys\nsys.exit(1)\n")
    (tmp_path / "unfit.py").write_text("def batch_three(file, wanted: list): ...\n")
    (tmp_path / "loose.py").write_text("def batch_four(file, **wanted): ...\n")

    known = functions(tmp_path)

    assert "mine.one" in known.found
    assert "mine.other" not in known.found
    assert set(known.troubles) == {"broken.py", "leaving.py", "unfit.py", "loose.py"}
    assert "SyntaxError" in known.troubles["broken.py"]
    assert "str, int, float or bool" in known.troubles["unfit.py"]


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    assert functions(tmp_path / "missing").troubles


def test_arguments_are_typed_as_the_signature_says(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "def batch_one(file, text: str, most: int = 5, share: float = 0.5, all: bool = True): ..."
    )
    one = function_named("mine.one", tmp_path)

    assert checked(one, {"text": "x"}) == {"text": "x", "most": 5, "share": 0.5, "all": True}
    typed = {"text": "x", "most": " 7 ", "share": "1", "all": "no"}
    assert checked(one, typed) == {"text": "x", "most": 7, "share": 1.0, "all": False}
    assert checked(one, {"text": "x", "most": 7, "share": 1, "all": False})["share"] == 1.0


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({}, "argument_text"),
        ({"text": ""}, "argument_text"),
        ({"text": "x", "ignore_case": "perhaps"}, "argument_ignore_case"),
        ({"text": 5}, "argument_text"),
        ({"text": "x", "other": 1}, "argument_other"),
        ({"text": "x" * 2000}, "argument_text"),
    ],
)
def test_what_does_not_fit_is_refused_at_its_field(given: dict[str, object], field: str) -> None:
    with pytest.raises(Refused) as refusal:
        checked(function_named("find", None), given)
    assert refusal.value.field == field


def test_files_are_chosen_by_number_or_name() -> None:
    assert selection("all", "whatever").kind is SelectionKind.ALL
    assert selection("job", " 12 ").value == "12"
    for kind, value in (("job", "x"), ("job", ""), ("name", ""), ("nothing", "1"), ("job", "9" * 40)):
        with pytest.raises(Refused):
            selection(kind, value)


def test_a_pattern_is_taken_literally_but_for_stars_and_question_marks() -> None:
    assert pattern("50%_*.warc?") == r"50\%\_%.warc_"
    assert pattern("a_b") == r"%a\_b%"
