"""A question and its query string are the same thing."""

from dataclasses import fields
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.core.errors import Refused
from armarium.selection.model import Budget, Depth, Frequency, Origin, RecordState
from armarium.selection.search.fields import Amounts, Days
from armarium.selection.search.labels import LABELS, Names, chips, in_words
from armarium.selection.search.model import KINDS, ORDERS, Question

TEXTS = st.text("aé7 &=%+?\"'/", max_size=12).map(lambda text: " ".join(text.split()))
NUMBERS = st.frozensets(st.integers(1, 2**63 - 1), max_size=4).map(lambda found: tuple(sorted(found)))
NAMES = st.frozensets(TEXTS.filter(bool), max_size=3).map(lambda found: tuple(sorted(found)))
DAYS = st.builds(Days, *(st.none() | st.dates(date(1990, 1, 1), date(9998, 12, 31)) for _ in range(2)))
AMOUNTS = st.builds(Amounts, *(st.none() | st.integers(0, 2**63 - 1) for _ in range(2)))


def _some(
    words: type[Budget | Frequency | Depth | RecordState | Origin],
) -> st.SearchStrategy[tuple[object, ...]]:
    return st.frozensets(st.sampled_from(list(words))).map(
        lambda found: tuple(one for one in words if one in found)
    )


BY_DEFAULT = {"": TEXTS, None: st.none() | st.booleans(), Days(): DAYS, Amounts(): AMOUNTS}
SPECIAL = {
    **dict.fromkeys(("number", "collection", "theme", "job"), NUMBERS),
    **dict.fromkeys(("responsible", "language", "keyword"), NAMES),
    "budget": _some(Budget),
    "frequency": _some(Frequency),
    "depth": _some(Depth),
    "state": _some(RecordState),
    "origin": _some(Origin),
    "order": st.sampled_from([*ORDERS, *(f"-{one}" for one in ORDERS)]),
}
QUESTIONS = st.fixed_dictionaries(
    {},
    optional={
        one.name: SPECIAL[one.name] if one.name in SPECIAL else BY_DEFAULT[one.default]  # type: ignore[index]
        for one in fields(Question)
    },
).map(lambda values: Question(**values))  # type: ignore[arg-type]
few = settings(max_examples=60)


@few
@given(QUESTIONS)
def test_a_question_survives_its_query_string(question: Question) -> None:
    assert Question.parse(question.query()) == question


@few
@given(QUESTIONS)
def test_a_query_string_is_canonical(question: Question) -> None:
    once = question.query()
    shuffled = "&".join(reversed(once.split("&")))
    assert Question.parse(once).query() == once
    assert Question.parse(shuffled).but(order=question.order).query() == once


@settings(max_examples=20)
@given(QUESTIONS)
def test_each_chip_takes_one_thing_away(question: Question) -> None:
    found = chips(question, Names())
    assert bool(found) == question.narrows
    for chip in found:
        less = Question.parse(chip.without)
        assert less != question
        assert len(chips(less, Names())) == len(found) - 1
        assert less.order == question.order


def test_every_field_has_words() -> None:
    assert set(LABELS) == set(KINDS)
    assert in_words(Question(), Names()) == "All records"
    words = in_words(
        Question.parse("q=lyon&state=refused&bytes_from=10MB&active=no&collection=3"), Names({3: "Press"})
    )
    expected = "Text: lyon · Collection: Press · State: Rejected · Active: no · Bytes from: 10.0 MB"
    assert words.replace("\N{NO-BREAK SPACE}", " ") == expected


def test_parameters_of_others_are_left_alone() -> None:
    assert Question.parse("?page=3&q=lyon&utm_source=x") == Question(q="lyon")
    assert Question.parse("").query() == ""


@pytest.mark.parametrize("field", ["collection", "theme", "job", "keyword", "language", "responsible"])
def test_nobody_keeps_the_site_busy_with_thousands_of_values(field: str) -> None:
    """A page says each of them with a link to the question without it; the database compares each."""
    with pytest.raises(Refused) as refused:
        Question.parse("&".join(f"{field}={n}" for n in range(1, 102)))
    assert refused.value.field == field


def test_a_question_takes_as_many_records_as_a_bulk_edit() -> None:
    assert len(Question.parse("&".join(f"number={n}" for n in range(1, 5001))).number) == 5000
