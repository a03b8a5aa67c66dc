"""A schedule as a form, and in words."""

from datetime import UTC, datetime

import pytest

from armarium.core.errors import Refused
from armarium.planning.model import Unit
from armarium.planning.schedules.model import Rhythm, Schedule, in_words
from armarium.planning.schedules.pages import rhythm_of
from armarium.planning.schedules.rules import zone_of
from armarium.web.form_values import typed
from armarium.web.forms import Form, Sparse


def form(**values: object) -> Form:
    return Form(values=Sparse({name: value for name, value in values.items() if value is not None}))


def test_what_is_typed_comes_back_from_the_form() -> None:
    schedule = Schedule(
        Unit.WEEK,
        every=2,
        weekday=5,
        hour=4,
        minute=30,
        zone="Europe/Paris",
        starts_at=datetime(2027, 7, 1, 10, 0, tzinfo=UTC),
        max_runs=7,
        name="fortnightly",
    )
    values = typed(schedule, zone_of(schedule))
    assert values["starts_at"] == "2027-07-01T12:00"
    rhythm = rhythm_of(form(**values))
    assert vars(rhythm) == {name: getattr(schedule, name) for name in Rhythm.__dataclass_fields__}


@pytest.mark.parametrize(
    ("wrong", "field"),
    [({"unit": "year"}, "unit"), ({"hour": "noon"}, "hour"), ({"starts_at": "tomorrow"}, "starts_at")],
)
def test_what_cannot_be_read_is_refused_at_its_field(wrong: dict[str, str], field: str) -> None:
    with pytest.raises(Refused) as refused:
        rhythm_of(form(**{"unit": "day", **wrong}))
    assert refused.value.field == field


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Refused) as refused:
        rhythm_of(form(unit="year", hour="noon", day="99", zone="Atlantis", max_runs="0"))
    found = [refused.value.field, *(one.field for one in refused.value.also)]
    assert sorted(map(str, found)) == ["day", "hour", "max_runs", "unit", "zone"]


@pytest.mark.parametrize(
    ("rhythm", "words"),
    [
        (Rhythm(Unit.ONCE), "Once"),
        (Rhythm(Unit.MINUTE, every=15), "Every 15 minutes"),
        (Rhythm(Unit.HOUR, minute=5), "Every hour at minute 05"),
        (Rhythm(Unit.DAY, hour=3), "Every day at 03:00"),
        (Rhythm(Unit.WEEK, every=2, weekday=7, hour=3, minute=9), "Every 2 weeks on Sunday at 03:09"),
        (Rhythm(Unit.MONTH, day=31), "Every month on day 31 at 00:00"),
        (Rhythm(Unit.DAY, every=10, anytime=True, hour=3), "10 days after the last run"),
    ],
)
def test_a_schedule_is_said_in_words(rhythm: Rhythm, words: str) -> None:
    assert str(in_words(rhythm)) == words
