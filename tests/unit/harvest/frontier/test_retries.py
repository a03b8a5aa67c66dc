"""Dialogues about second attempts."""

from armarium.harvest.frontier import QueueState, Whereabouts
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
