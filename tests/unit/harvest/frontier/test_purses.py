"""Dialogues about budgets of single queues."""

import pytest

from armarium.core.crawl_order import Budget, QueueBy
from armarium.harvest.frontier import QueueState
from tests.unit.harvest.frontier.conftest import Dialogue, Open

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"


def pages(site: str, count: int = 6) -> list[str]:
    return [f"{site}{number}" for number in range(count)]


def asked_of(talk: Dialogue, *sites: str) -> list[int]:
    asked = talk.asks_all()
    return [sum(url.startswith(site) for url in asked) for site in sites]


def test_a_budget_of_its_own_is_stronger_than_that_of_all_be_it_more_or_less(crawl: Open) -> None:
    talk = crawl(
        max_objects=3, budgets={"a.example": Budget(max_objects=5), "b.example": Budget(max_objects=1)}
    )
    talk.found(*pages(A), *pages(B), *pages(C))

    assert asked_of(talk, A, B, C) == [5, 1, 3]


def test_what_a_budget_does_not_say_is_as_for_all(crawl: Open) -> None:
    talk = crawl(
        max_objects=3, max_bytes=450, budgets={"a.example": Budget(max_bytes=150), "b.example": Budget()}
    )
    talk.found(*pages(A), *pages(B))

    assert asked_of(talk, A, B) == [2, 3]


def test_a_budget_of_nothing_lets_nothing_out(crawl: Open) -> None:
    talk = crawl(budgets={"a.example": Budget(max_objects=0), "b.example": Budget(max_bytes=0)})
    talk.found(*pages(A), *pages(B), *pages(C, 1))

    assert asked_of(talk, A, B, C) == [0, 0, 1]
    assert talk.frontier.queue_states()[QueueState.RETIRED] == 2


def test_all_hosts_of_a_domain_share_its_budget(crawl: Open) -> None:
    talk = crawl(by=QueueBy.DOMAIN, budgets={"a.example": Budget(max_objects=4)})
    talk.found(*pages("http://www.a.example/"), *pages("http://shop.a.example/"), *pages(A))

    assert len(talk.asks_all()) == 4


def test_a_registry_of_the_order_makes_the_domain(crawl: Open) -> None:
    talk = crawl(
        by=QueueBy.DOMAIN,
        registries=("press.example",),
        budgets={"daily.press.example": Budget(max_objects=2)},
    )
    talk.found(*pages("http://www.daily.press.example/"), *pages("http://weekly.press.example/"))

    assert asked_of(talk, "http://www.daily", "http://weekly") == [2, 6]


@pytest.mark.parametrize("active", [1, 10])
def test_budgets_of_their_own_hold_after_a_kill_and_for_queues_that_wait_their_turn(
    crawl: Open, active: int
) -> None:
    talk = crawl(
        active=active, replenish=1, budgets={f"{one}.example": Budget(max_objects=4) for one in "abc"}
    )
    talk.found(*pages(A), *pages(B), *pages(C))
    for _ in range(5):
        talk.answered(talk.asks() or "")
    talk.frontier.commit()
    talk.killed()

    assert len(talk.asks_all()) == 3 * 4 - 5
    assert {queue.objects for queue in talk.frontier.biggest(10)} == {4}


def test_the_report_shows_the_budget_that_holds(crawl: Open) -> None:
    talk = crawl(max_objects=9, budgets={"a.example": Budget(max_bytes=700)})
    talk.found(A, B, C)
    talk.frontier.set_budget("c.example", objects=-1)

    limits = {queue.name: queue.budget for queue in talk.frontier.biggest(10)}
    assert limits == {"a.example": (9, 700), "b.example": (9, None), "c.example": (None, None)}


def test_what_an_operator_says_is_stronger_than_the_order(crawl: Open) -> None:
    talk = crawl(budgets={"a.example": Budget(max_objects=1), "b.example": Budget(max_objects=1)})
    talk.found(*pages(A))
    assert asked_of(talk, A) == [1]
    talk.frontier.set_budget("a.example", objects=3)
    assert asked_of(talk, A) == [2]
    talk.frontier.set_budget("*", objects=4)
    talk.found(*pages(B))

    assert asked_of(talk, A, B) == [1, 4], "the word for all is for queues to come, too"
