import pytest

from armarium.tasks.failure import becomes_of_lost, delay_before_next_attempt
from armarium.tasks.model import BACK_OFF, NEVER_AGAIN, Retry


def test_delays_follow_the_table_and_end_with_the_attempts() -> None:
    retry = Retry(attempts=9)
    delays = [delay_before_next_attempt(retry, failures, permanent=False) for failures in range(1, 11)]
    assert delays == [*BACK_OFF, BACK_OFF[-1], None, None]


def test_a_permanent_failure_has_no_next_attempt() -> None:
    assert delay_before_next_attempt(Retry(), 1, permanent=True) is None


def test_never_again_means_one_attempt() -> None:
    assert delay_before_next_attempt(NEVER_AGAIN, 1, permanent=False) is None


def test_without_delays_the_next_attempt_is_at_once() -> None:
    assert delay_before_next_attempt(Retry(attempts=2, delays=()), 1, permanent=False) == 0


@pytest.mark.parametrize(
    ("losses", "cancelled", "status"),
    [
        (1, False, "todo"),
        (2, False, "todo"),
        (3, False, "failed"),
        (1, True, "aborted"),
        (9, True, "aborted"),
    ],
)
def test_a_task_whose_worker_died_runs_again_until_it_counts_as_poison(
    losses: int, cancelled: bool, status: str
) -> None:
    assert becomes_of_lost(losses, 3, cancelled=cancelled) == status
