"""Dialogues about budgets by source: what may be collected from the seeds of one tag, wherever they lead."""

from typing import Any

from armarium.core.crawl_order import Budget, CrawlOrder, Limits, Politeness, Retries, Scope, ScopeKind
from armarium.harvest.frontier import Whereabouts
from armarium.harvest.frontier.enquiry import FrontierReader
from armarium.harvest.model import Candidate
from tests.unit.harvest.frontier.conftest import BEGINNING, Dialogue, Open

ANY_SITE = [f"http://site{number}.example/" for number in range(9)]


def begin(crawl: Open, kind: ScopeKind = ScopeKind.PAGE, **sources: Budget) -> Dialogue:
    """A crawl with these budgets; tags are names of domains without their dots."""
    talk = crawl()
    talk.order = CrawlOrder(
        scope=Scope(kind=kind),
        limits=Limits(sources={tag.replace("_", "."): budget for tag, budget in sources.items()}),
        politeness=Politeness(delay_factor=0, min_delay=0, max_delay=0),
        retries=Retries(attempts=1),
    )
    talk.killed()
    return talk


def lead(talk: Dialogue, source: str, *urls: str, hops: str = "L", **more: Any) -> None:
    for url in urls:
        talk.frontier.add(Candidate(url, hops, "", source, ""), **more)


def test_a_budget_holds_wherever_the_seeds_lead(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_objects=3))
    lead(talk, "a.example", *ANY_SITE)
    lead(talk, "b.example", "http://site0.example/b", "http://other.example/")

    assert len([url for url in talk.asks_all() if url in ANY_SITE]) == 3
    purse = talk.frontier.purses["a.example"]
    assert (purse.objects, purse.shelved) == (3, 6)
    assert talk.frontier.counts.queued == 6


def test_downloads_under_way_are_within_the_budget(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_objects=3))
    lead(talk, "a.example", *ANY_SITE)

    assert len([talk.asks() for _ in range(5)]) == 5
    assert len(talk.out) == 3


def test_what_no_server_answers_is_not_collected_and_makes_room_for_others(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_objects=2))
    lead(talk, "a.example", *ANY_SITE[:4])
    for status in (-2, 404, -2, 200):
        url = talk.asks()
        assert url is not None
        talk.answered(url, status)

    assert talk.frontier.purses["a.example"].objects == 2
    assert talk.frontier.counts.queued == 0


def test_bytes_are_a_budget_as_well(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_bytes=250))
    lead(talk, "a.example", *ANY_SITE)

    assert len(talk.asks_all()) == 3
    assert talk.frontier.purses["a.example"].spent_by_bytes


def test_what_is_only_needed_for_something_else_costs_nothing(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_objects=1))
    lead(talk, "a.example", "http://site0.example/robots.txt", hops="P")
    lead(talk, "a.example", ANY_SITE[0])

    assert len(talk.asks_all()) == 2
    assert talk.frontier.purses["a.example"].objects == 1


def test_a_spent_budget_is_spent_after_a_kill_and_what_was_left_is_known(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_objects=2))
    lead(talk, "a.example", *ANY_SITE[:5])
    asked = talk.asks_all()
    talk.frontier.commit()
    talk.killed()

    assert talk.asks_all() == []
    left = next(url for url in ANY_SITE[:5] if url not in asked)
    fate = talk.frontier.look_up(left)
    assert fate is not None
    assert (fate.state, fate.source) == (Whereabouts.LEFT, "a.example")
    reader = FrontierReader(talk.path)
    found = reader.look_up(left)
    reader.close()
    assert found is not None
    assert found.state is Whereabouts.LEFT
    assert sum(one.number for one in talk.frontier.shelved_by_source()) == 3


def test_a_raised_budget_brings_back_what_was_left(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_objects=2))
    lead(talk, "a.example", *ANY_SITE)
    talk.asks_all()
    talk.frontier.commit()
    talk.killed()

    assert talk.frontier.set_budget("a.example", objects=5) == 1
    assert len(talk.asks_all()) == 3
    talk.frontier.commit()
    talk.killed()
    assert talk.frontier.set_budget("a.example", objects=-1) == 1
    assert len(talk.asks_all()) == 4
    assert talk.frontier.counts.queued == 0


def test_a_capture_taken_over_from_before_a_kill_is_charged(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_objects=2))
    first = Candidate(ANY_SITE[0], "L", "", "a.example", "")
    lead(talk, "a.example", *ANY_SITE)

    assert talk.frontier.settle(first, 200, 100, now=BEGINNING)
    assert len(talk.asks_all()) == 1


def test_in_a_crawl_of_whole_sites_each_pays_for_its_own_site(crawl: Open) -> None:
    budgets = {"a_example": Budget(max_objects=2), "b_example": Budget(max_objects=5)}
    pages = [f"http://www.b.example/{number}" for number in range(9)]
    whole = begin(crawl, ScopeKind.DOMAIN, **budgets)
    lead(whole, "a.example", *pages)
    assert len(whole.asks_all()) == 5
    assert whole.frontier.purses["a.example"].objects == 0


def test_from_page_to_page_the_seed_pays_that_led_there(crawl: Open) -> None:
    talk = begin(crawl, a_example=Budget(max_objects=2), b_example=Budget(max_objects=5))
    lead(talk, "a.example", *[f"http://www.b.example/{number}" for number in range(9)])
    assert len(talk.asks_all()) == 2
    assert talk.frontier.purses["a.example"].objects == 2
