"""Dialogues about second attempts."""

import pytest

from armarium.core.crawl_order import Retries
from armarium.harvest.frontier import QueueState, Whereabouts
from armarium.harvest.frontier.servers import tries
from armarium.harvest.model import Status
from tests.unit.harvest.frontier.conftest import Open

A = "http://a.example/"


def test_what_failed_for_the_moment_is_tried_again_later_and_later(crawl: Open) -> None:
    talk = crawl(attempts=3, delay=60)
    talk.found(A)
    assert talk.asks() == A
    assert talk.failed(A, Status.TIMEOUT) is True
    assert talk.asks(at=59) is None
    assert talk.wakes() == 60
    assert talk.asks(at=60) == A
    assert talk.failed(A, Status.TIMEOUT, at=60) is True
    assert talk.asks(at=179) is None
    assert talk.asks(at=180) == A

    assert talk.failed(A, Status.TIMEOUT, at=180) is False
    talk.answered(A, Status.TOO_MANY_RETRIES, at=180)
    assert talk.frontier.counts.failed == 1


def test_an_address_that_waits_does_not_hold_up_its_queue(crawl: Open) -> None:
    talk = crawl()
    talk.found(A + "1", A + "2")
    talk.failed(talk.asks() or "", Status.CONNECTION_LOST)

    assert talk.asks() == A + "2"
    talk.answered(A + "2")
    assert talk.asks() is None
    assert talk.frontier.queue_states()[QueueState.SNOOZED] == 1
    assert talk.asks(at=60) == A + "1"


def test_what_waits_for_its_robots_txt_holds_up_nobody(crawl: Open) -> None:
    talk = crawl()
    talk.found(A, A + "b")
    assert talk.asks() == A
    talk.failed(A, Status.ROBOTS_PREREQUISITE_FAILED, wait=3000)
    assert talk.asks() == A + "b"
    talk.answered(A + "b")
    assert talk.asks(at=2999) is None
    assert talk.asks(at=3001) == A


def test_a_server_that_asks_for_patience_is_given_it(crawl: Open) -> None:
    talk = crawl(delay=60)
    talk.found(A)
    talk.asks()
    talk.failed(A, 503, retry_after=500)

    assert talk.asks(at=499) is None
    assert talk.asks(at=500) == A


def test_attempts_outlive_the_process(crawl: Open) -> None:
    talk = crawl(attempts=2)
    talk.found(A)
    talk.asks()
    talk.failed(A, Status.DNS_FAILED)
    talk.frontier.commit()
    talk.killed()
    fate = talk.frontier.look_up(A)
    assert fate is not None
    assert (fate.state, fate.attempts) == (Whereabouts.WAITING, 1)

    assert talk.asks(at=60) == A
    assert talk.failed(A, Status.DNS_FAILED, at=60) is False


def test_what_waits_comes_back_into_a_queue_that_has_left_the_rotation(crawl: Open) -> None:
    talk = crawl(active=1, delay=60)
    talk.found(A)
    talk.asks()
    talk.failed(A, Status.TIMEOUT)
    talk.found("http://b.example/1", "http://b.example/2")
    assert talk.asks(at=1) == "http://b.example/1"

    talk.answered("http://b.example/1", at=61)
    assert sorted(talk.asks_all(at=62)) == [A, "http://b.example/2"]


def test_without_delay_the_next_attempt_is_at_once(crawl: Open) -> None:
    talk = crawl(delay=0)
    talk.found(A)
    talk.asks()
    talk.failed(A, Status.TIMEOUT)

    assert talk.asks() == A


@pytest.mark.parametrize(
    ("hops", "expected"),
    [("", 4), ("R", 4), ("LL", 2), ("M", 2), ("LE", 1), ("LER", 1), ("X", 1), ("LXP", 1), ("I", 1)],
)
def test_a_name_that_does_not_exist_is_given_up_by_class(hops: str, expected: int) -> None:
    assert tries(Retries(), hops, Status.DNS_FAILED, absent=True, answered=False) == expected
    assert tries(Retries(), hops, Status.TIMEOUT, absent=False, answered=False) == 4


def test_where_name_servers_are_silent_only_guesses_at_new_hosts_are_given_up(crawl: Open) -> None:
    talk = crawl(attempts=3, min_delay=3)
    talk.found("http://new.example/x.js", hops="X")
    talk.found("http://new.example/x.png", hops="E")
    assert talk.asks() == "http://new.example/x.png"
    assert talk.failed("http://new.example/x.png", Status.DNS_FAILED) is True
    assert talk.asks() == "http://new.example/x.js", "no server was asked, so none needs a pause"
    assert talk.failed("http://new.example/x.js", Status.DNS_FAILED) is False

    talk.found(A)
    assert talk.asks_all() == [A]
    talk.found(A + "x.js", hops="X")
    assert talk.asks(at=20) == A + "x.js"
    assert talk.failed(A + "x.js", Status.CONNECT_FAILED, at=20) is True, "the host was there just now"


@pytest.mark.parametrize(("job", "absent", "expected"), [(None, False, 3), (7, False, 5), (7, True, 2)])
def test_seeds_of_a_planned_job_outlast_name_servers_that_are_away(
    crawl: Open, job: int | None, absent: bool, expected: int
) -> None:
    talk = crawl(attempts=5, delay=60, job=job)
    talk.found(A, hops="")
    for attempt in range(1, expected + 1):
        assert talk.asks(at=attempt * 10_000) == A
        again = talk.failed(A, Status.DNS_FAILED, at=attempt * 10_000, absent=absent)
        assert again is (attempt < expected)
