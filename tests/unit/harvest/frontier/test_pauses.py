import pytest

from armarium.core.crawl_order import Politeness, Retries
from armarium.harvest.frontier.servers import (
    BLOCKED_AFTER,
    back_off,
    blocked_pause,
    queue_pause,
    retry_pause,
    server_pause,
    transfer_time,
    tries,
)
from armarium.harvest.model import Status

POLITE = Politeness(delay_factor=5, min_delay=3, max_delay=30, max_crawl_delay=100, max_retry_after=600)
AT_ONCE = Politeness(delay_factor=0, min_delay=0, max_delay=0, max_crawl_delay=0, max_retry_after=0)


@pytest.mark.parametrize(("duration", "pause"), [(0.1, 3), (2, 10), (60, 30)])
def test_a_queue_pauses_in_proportion_to_the_download_within_limits(duration: float, pause: float) -> None:
    assert queue_pause(POLITE, duration) == pause


@pytest.mark.parametrize(("crawl_delay", "pause"), [(1, 10), (50, 50), (9999, 100)])
def test_a_crawl_delay_only_lengthens_a_pause_and_not_without_end(crawl_delay: float, pause: float) -> None:
    assert queue_pause(POLITE, 2, crawl_delay) == pause


def test_a_server_pauses_as_long_as_a_queue_at_least_unless_told_otherwise() -> None:
    assert server_pause(POLITE) == 3
    assert server_pause(POLITE.model_copy(update={"server_min_delay": 0.5})) == 0.5


def test_backing_off_doubles_up_to_the_limit() -> None:
    assert [back_off(POLITE, number) for number in (0, 1, 2, 3, 7, 8, 10**6)] == [0, 6, 12, 24, 384, 600, 600]


@pytest.mark.parametrize(("asked", "pause"), [(2, 6), (120, 120), (10**9, 600), (-5, 6)])
def test_what_the_server_asks_for_is_kept_within_the_limit(asked: float, pause: float) -> None:
    assert back_off(POLITE, 1, asked) == pause


def test_a_server_that_refuses_everything_is_tried_seldom() -> None:
    assert blocked_pause(POLITE, BLOCKED_AFTER - 1) == 0
    assert blocked_pause(POLITE, BLOCKED_AFTER) == 600


def test_a_cap_on_bandwidth_says_how_long_bytes_should_take() -> None:
    assert transfer_time(Politeness(max_bytes_per_second=1000), 5000) == 5
    assert transfer_time(Politeness(), 5000) == 0


def test_all_delays_zero_mean_no_waiting_at_all() -> None:
    assert queue_pause(AT_ONCE, 100, 100) == 0
    assert server_pause(AT_ONCE) == 0
    assert back_off(AT_ONCE, 5, 100) == 0
    assert blocked_pause(AT_ONCE, 1000) == 0
    assert retry_pause(Retries(delay=0), 3, 100, AT_ONCE) == 0


def test_each_further_attempt_waits_twice_as_long() -> None:
    assert [retry_pause(Retries(delay=60), attempts, None, POLITE) for attempts in (1, 2, 3)] == [
        60,
        120,
        240,
    ]


@pytest.mark.parametrize(
    ("hops", "absent", "heard", "expected"),
    [
        ("", False, True, 4),
        ("", True, True, 4),
        ("", False, False, 3),
        ("", True, False, 2),
        ("R", True, False, 2),
        ("L", False, False, 4),
    ],
)
def test_names_of_seeds_are_given_up_early_only_where_nobody_has_answered(
    hops: str, absent: bool, heard: bool, expected: int
) -> None:
    most = tries(Retries(attempts=4), hops, Status.DNS_FAILED, absent=absent, answered=False, heard=heard)
    assert most == expected
    assert (
        tries(Retries(attempts=1), hops, Status.DNS_FAILED, absent=absent, answered=False, heard=heard) == 1
    )
    assert tries(Retries(), hops, Status.TIMEOUT, absent=absent, answered=False, heard=heard) == 4


def test_names_of_seeds_are_asked_again_soon_where_nobody_has_answered() -> None:
    assert [retry_pause(Retries(), attempts, None, POLITE, soon=True) for attempts in (1, 2)] == [30, 60]
    assert retry_pause(Retries(delay=7), 1, None, POLITE, soon=True) == 7
