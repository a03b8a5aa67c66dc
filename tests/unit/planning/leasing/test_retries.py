"""When a job has been tried often enough."""

import pytest

from armarium.planning.leasing.retries import LOST_ANSWERS, Tried, in_vain

LOST = Tried("taken-over", begun=False, objects=0)


@pytest.mark.parametrize(
    ("tried", "failures"),
    [
        ([], 0),
        ([("expired", 0)], 1),
        ([("expired", 10), ("failed", 10), ("expired", 10)], 3),
        ([("expired", 10), ("expired", 20), ("expired", 30)], 1),
        ([("expired", 10), ("expired", 20), ("expired", 15), ("failed", 0)], 3),
        ([("returned", 10), ("taken-over", 20)], 0),
    ],
)
def test_failures_are_counted_from_the_attempt_that_got_furthest(
    tried: list[tuple[str, int]], failures: int
) -> None:
    assert in_vain(Tried(end, True, objects) for end, objects in tried) == failures


def test_many_attempts_that_never_began_are_one_failure() -> None:
    assert in_vain([LOST] * (LOST_ANSWERS - 1)) == 0
    assert in_vain([LOST] * LOST_ANSWERS) == 1


def test_one_that_never_began_gets_nowhere_whatever_the_job_has() -> None:
    assert in_vain([Tried("expired", begun=False, objects=n) for n in range(3)]) == 3
