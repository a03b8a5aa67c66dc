"""Why was it harvested, or why not; and what belongs to another process."""

import pytest

from armarium.harvest.frontier import Whereabouts
from armarium.harvest.frontier import enquiry as enquiry_module
from armarium.harvest.frontier.queue_names import shard_of
from armarium.harvest.model import Candidate, Status
from tests.unit.harvest.frontier.conftest import Open

A = "http://a.example/"


def test_a_fate_tells_how_an_address_was_found_and_what_became_of_it(crawl: Open) -> None:
    talk = crawl()
    talk.found(A, hops="")
    talk.found(A + "page", hops="L", via=A, rule="host")
    states = []
    for _ in range(3):
        fate = talk.frontier.look_up(A)
        assert fate is not None
        states.append(fate.state)
        if fate.state is Whereabouts.QUEUED:
            talk.asks()
        elif fate.state is Whereabouts.IN_FLIGHT:
            talk.answered(A, 301, 7)
    page = talk.frontier.look_up(A + "page")

    assert states == [Whereabouts.QUEUED, Whereabouts.IN_FLIGHT, Whereabouts.FINISHED]
    assert page is not None
    assert (page.hops, page.via, page.source, page.context, page.rule) == ("L", A, "seed", "a/@href", "host")
    assert talk.frontier.look_up(A + "never") is None


def test_a_fate_tells_which_rule_turned_an_address_away(crawl: Open) -> None:
    talk = crawl()
    for _ in range(3):
        talk.frontier.reject(Candidate(A + "~x", "L", A, "seed"), "trap", Status.OUT_OF_SCOPE)
    talk.frontier.commit()
    talk.killed()

    fate = talk.frontier.look_up(A + "%7Ex")
    assert fate is not None
    assert (fate.state, fate.rule, fate.status) == (Whereabouts.REJECTED, "trap", -5000)


def test_only_the_latest_rejections_are_kept(crawl: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(enquiry_module, "REJECTED_ROWS", 5)
    talk = crawl()
    for number in range(7):
        talk.frontier.reject(Candidate(A + str(number), "L", A, "seed"), "filter", Status.BLOCKED)

    known = [number for number in range(7) if talk.frontier.look_up(A + str(number)) is not None]
    assert known == [2, 3, 4, 5, 6]


def test_addresses_of_another_process_leave_by_the_outbox_once(crawl: Open) -> None:
    urls = [f"http://host-{number}.example/" for number in range(40)]
    mine, other = crawl(shard=0, shards=2), crawl(shard=1, shards=2)
    assert all(mine.found(*urls))
    assert not any(mine.found(*urls))
    foreign = mine.frontier.outgoing(100)

    assert {one.candidate.url for one in foreign} == {
        url for url in urls if shard_of(url[len("http://") : -1], 2) == 1
    }
    assert other.frontier.incoming([one.candidate for one in foreign]) == len(foreign)
    assert sorted(mine.asks_all() + other.asks_all()) == sorted(urls)
    mine.frontier.delivered([one.id for one in foreign[:5]])
    mine.frontier.commit()
    mine.killed()
    assert mine.frontier.outgoing(100) == foreign[5:]
    fate = mine.frontier.look_up(foreign[0].candidate.url)
    assert fate is not None
    assert fate.state is Whereabouts.FOREIGN


def test_facts_of_the_engine_are_kept_with_the_commit(crawl: Open) -> None:
    talk = crawl()
    talk.frontier.remember("position", 12)
    talk.frontier.commit()
    talk.frontier.remember("position", 99)
    assert talk.frontier.recall("position") == 99
    talk.killed()

    assert talk.frontier.recall("position") == 12
    assert talk.frontier.recall("nothing") is None
