"""Questions about jobs, as people write them."""

import pytest

from armarium.core.errors import Refused
from armarium.planning.jobs.filters import job_filter, numbers_in, states_in
from armarium.planning.model import LEASED, JobState


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("12", ((12, 12),)),
        ("12, 40-60", ((12, 12), (40, 60))),
        ("12 13\n14", ((12, 12), (13, 13), (14, 14))),
        ("5 - 7", ((5, 7),)),
    ],
)
def test_numbers_of_jobs_are_read(text: str, expected: tuple[tuple[int, int], ...]) -> None:
    assert numbers_in(text) == expected


@pytest.mark.parametrize("text", ["x", "1-2-3", "-5", "1e3", "9" * 30])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(Refused):
        numbers_in(text)


def test_one_word_may_stand_for_several_states() -> None:
    assert states_in("running, failed") == LEASED | {JobState.FAILED}
    with pytest.raises(Refused):
        states_in("asleep")


def test_a_day_that_is_none_is_refused() -> None:
    with pytest.raises(Refused, match="2026-12-31"):
        job_filter(since="yesterday")
