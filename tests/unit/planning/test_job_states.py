"""From which state a job may come into which."""

import pytest

from armarium.planning.model import LEASED, TRANSITIONS, JobState, may_become, moved

S = JobState


def test_every_state_has_its_ways_on() -> None:
    assert set(TRANSITIONS) == set(JobState)
    assert not any(state in ways for state, ways in TRANSITIONS.items())


@pytest.mark.parametrize("held", sorted(LEASED))
def test_a_job_that_somebody_holds_can_end_be_freed_and_be_taken_up_again(held: JobState) -> None:
    for to in (S.DONE, S.FAILED, S.NEW, S.SUBMITTED):
        assert moved(held, to) is to
    assert not may_become(held, S.CANCELLED)


def test_a_job_does_not_move_in_ways_that_are_not_in_the_table() -> None:
    assert moved("new", S.NEW) is S.NEW  # to stay is no move
    for present, to in (
        (S.DONE, S.NEW),
        (S.NEW, S.DONE),
        (S.UPLOADING, S.STARTED),
        (S.REJECTED, S.SUBMITTED),
    ):
        with pytest.raises(ValueError, match="cannot become"):
            moved(present, to)
