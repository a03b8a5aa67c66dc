"""Which type of an answer is believed: the one that browsers believe."""

import pytest

from armarium.access.replay.capture import believed_type, with_one_type


@pytest.mark.parametrize(
    ("said", "believed"),
    [
        (["text/html"], "text/html"),
        (["Text/HTML; Charset=UTF-8"], "text/html; charset=UTF-8"),
        (["image/png, text/html"], "text/html"),
        (["image/png;x=1, text/html"], "text/html"),
        (["image/png", "text/html"], "text/html"),
        (["text/html", "image/png"], "image/png"),
        (['image/png;x="a, text/html"'], "image/png"),
        (['image/png;x="a\\", text/html"'], "image/png"),
        (["text/html;charset=utf-8, text/html"], "text/html; charset=utf-8"),
        (["text/html, */*"], "text/html"),
        (["nonsense"], ""),
        (["text/html nonsense"], ""),
        ([""], ""),
        ([], ""),
    ],
)
def test_the_last_that_can_be_read_is_believed(said: list[str], believed: str) -> None:
    assert believed_type(said) == believed


def test_only_one_type_is_left_and_the_other_fields_stay() -> None:
    fields = [("Date", "today"), ("content-type", "image/png"), ("X-A", "b"), ("Content-Type", "text/html")]
    assert with_one_type(fields) == [("Date", "today"), ("Content-Type", "text/html"), ("X-A", "b")]
    assert with_one_type([("Content-Type", "nonsense")]) == []
