"""What people enter, made fit to be kept."""

import pytest

from armarium.core.errors import Refused
from armarium.selection.model import line, lines


def test_a_line_has_single_spaces() -> None:
    assert line("  Le\u00a0Monde \r\n diplomatique\t", "title", 100) == "Le Monde diplomatique"


@pytest.mark.parametrize("text", ["a\0b", "a\u202eb", "a\ud800b", "x" * 11])
def test_a_line_that_is_unfit_or_too_long_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(Refused, match="at most 10 characters") as refused:
        line(text, "title", 10)
    assert refused.value.field == "title"


def test_lines_keep_their_ends_whatever_machine_wrote_them() -> None:
    assert lines(" one\r\ntwo\rthree\n\n\tfour \n") == "one\ntwo\nthree\n\n\tfour"


@pytest.mark.parametrize("unfit", ["\0", "\x1b", "\x7f", "\x9b", "\ud800", "\u202e", "\u2066"])
def test_what_no_page_and_no_database_takes_is_left_out(unfit: str) -> None:
    assert lines(f"a{unfit}b") == "ab"


@pytest.mark.parametrize(
    "text", ["10\u00a0000\u202f!", "می\u200cخواهم", "東京\u3000都", "👩\u200d🔬", "a\u00adb"]
)
def test_what_languages_need_is_kept(text: str) -> None:
    assert lines(text) == text
