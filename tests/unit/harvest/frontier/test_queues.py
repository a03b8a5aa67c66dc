"""Dialogues about order, rotation and budgets."""

import sqlite3  # noqa: TID251  (reads as an operator would)
from pathlib import Path

import pytest

from armarium.core.errors import Misconfigured
from armarium.harvest.frontier import Frontier, QueueState
from armarium.harvest.model import Status
from tests.unit.harvest.frontier.conftest import Open

A, B = "http://a.example/", "http://b.example/"


def test_an_address_is_added_once_however_it_is_written(crawl: Open) -> None:
    talk = crawl()

    assert talk.found(A + "caf%C3%A9", A + "caf%c3%a9", A + "%7Euser", A + "~user") == [
        True,
        False,
        True,
        False,
    ]


def test_an_address_is_known_after_a_commit_and_after_a_kill(crawl: Open) -> None:
    talk = crawl()
    talk.found(A + "1")
    talk.frontier.commit()
    assert talk.found(A + "1") == [False]
    talk.killed()

    assert talk.found(A + "1") == [False]
    assert talk.asks() == A + "1"


def test_a_finished_address_can_be_wanted_again(crawl: Open) -> None:
    talk = crawl()
    talk.found(A)
    assert talk.found(A, force=True) == [False]
    assert talk.asks_all() == [A]

    assert talk.found(A, force=True) == [True]
    assert talk.frontier.counts.succeeded == 0
    assert talk.asks_all() == [A]


def test_a_page_and_its_parts_go_before_other_pages(crawl: Open) -> None:
    talk = crawl()
    talk.found(A + "guess", hops="X")
    talk.found(A + "far", hops="LL")
    talk.found(A + "page", A + "page2", hops="L")
    talk.found(A + "robots.txt", hops="P")
    assert [talk.asks()] == [A + "robots.txt"]
    talk.answered(A + "robots.txt")
    assert [talk.asks()] == [A + "page"]
    talk.found(A + "image", A + "style", hops="LE")
    talk.answered(A + "page")

    assert talk.asks_all() == [A + name for name in ("image", "style", "page2", "far", "guess")]


def test_a_flood_of_embeds_stays_in_order_beyond_what_memory_holds(crawl: Open) -> None:
    talk = crawl()
    pages = [A + f"page{number}" for number in range(1000)]
    parts = [A + f"part{number}" for number in range(3000)]
    talk.found(*pages, hops="L")
    talk.found(*parts, hops="LE")

    assert talk.asks_all() == parts + pages


def test_queues_take_turns_object_by_object(crawl: Open) -> None:
    talk = crawl()
    talk.found(A + "1", A + "2", B + "1", B + "2")

    assert talk.asks_all() == [A + "1", B + "1", A + "2", B + "2"]


def test_more_queues_than_active_progress_evenly(crawl: Open) -> None:
    talk = crawl(active=2, replenish=3)
    hosts = [f"http://host-{number}.example/" for number in range(6)]
    talk.found(*[host + str(page) for host in hosts for page in range(6)])
    assert talk.frontier.queue_states()[QueueState.INACTIVE] == 4

    asked = talk.asks_all()
    assert len(asked) == 36
    assert all(sum(url.startswith(host) for url in asked[:18]) == 3 for host in hosts)
    assert talk.frontier.queue_states()[QueueState.EXHAUSTED] == 6


def test_a_queue_downloads_as_many_at_once_as_the_order_says(crawl: Open) -> None:
    talk = crawl(parallel=2)
    talk.found(A + "1", A + "2", A + "3")

    assert [talk.asks(), talk.asks(), talk.asks()] == [A + "1", A + "2", None]


def test_a_queue_that_spent_its_budget_retires_until_it_is_raised(crawl: Open) -> None:
    talk = crawl(max_objects=2)
    talk.found(*[A + str(number) for number in range(5)])
    assert len(talk.asks_all()) == 2
    assert talk.frontier.queue_states()[QueueState.RETIRED] == 1
    assert talk.frontier.wake() is None
    talk.frontier.commit()
    talk.killed()
    assert talk.asks() is None

    assert talk.frontier.set_budget("a.example", objects=3) == 1
    assert talk.asks_all() == [A + "2"]
    assert talk.frontier.set_budget("*.example", objects=-1) == 1
    assert talk.asks_all() == [A + "3", A + "4"]


def test_a_budget_for_all_is_for_queues_to_come_too(crawl: Open) -> None:
    talk = crawl(max_objects=1)
    talk.frontier.set_budget("*", objects=2)
    talk.found(A + "1", A + "2", A + "3")

    assert talk.asks_all() == [A + "1", A + "2"]


def test_a_budget_in_bytes_and_the_penalty_for_failures(crawl: Open) -> None:
    talk = crawl(max_bytes=150, max_objects=10, error_penalty=9)
    talk.found(A + "1", A + "2", A + "3", B + "1", B + "2")
    assert talk.asks_all()[:2] == [A + "1", B + "1"]
    talk.found("http://c.example/1", "http://c.example/2")

    talk.answered(talk.asks() or "", Status.TIMEOUT)
    assert talk.asks() is None
    assert talk.frontier.queue_states()[QueueState.RETIRED] == 2


def test_deleted_addresses_do_not_come_out(crawl: Open) -> None:
    talk = crawl(active=1)
    talk.found(A + "1", A + "2", A + "calendar/1", B + "calendar/2", B + "1")
    assert talk.asks() == A + "1"

    assert talk.frontier.delete(lambda url: "/calendar/" in url, now=0) == 2
    talk.answered(A + "1")
    assert talk.asks_all() == [A + "2", B + "1"]
    assert talk.frontier.counts.disregarded == 2


def test_an_address_that_is_not_out_cannot_come_back(crawl: Open) -> None:
    talk = crawl()
    talk.found(A)
    item = talk.frontier.next(0.0)
    assert item is not None
    talk.frontier.put_back(item)

    with pytest.raises(ValueError, match="is not in flight"):
        talk.frontier.finish(item, 200, 0, duration=0, now=0)


def test_the_file_can_be_read_by_others_while_it_is_written(crawl: Open) -> None:
    talk = crawl()
    talk.found(A + "page", hops="")
    talk.found(A + "image", hops="E", via=A + "page", rule="host")
    talk.answered(talk.asks() or "", 200, 1234, mime="image/png")
    talk.frontier.commit()
    talk.found(A + "uncommitted")

    reader = sqlite3.connect(f"file:{talk.path}?mode=ro", uri=True)
    rows = reader.execute("SELECT url, via, rule, status, size, mime FROM addresses ORDER BY id").fetchall()
    reader.close()
    assert rows == [
        (A + "page", "", "", None, None, None),
        (A + "image", A + "page", "host", 200, 1234, "image/png"),
    ]


def test_a_checkpoint_opens_like_the_original(crawl: Open, tmp_path: Path) -> None:
    talk = crawl()
    talk.found(A + "1", A + "2")
    talk.asks()
    folder = tmp_path / "checkpoint"
    folder.mkdir()
    copy = Frontier(talk.frontier.checkpoint(folder), talk.order)

    assert (copy.counts.queued, copy.counts.in_flight) == (2, 0)
    copy.close()


def test_a_file_that_is_no_frontier_is_named(crawl: Open, tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    path.write_bytes(b"not a database " * 1000)

    with pytest.raises(Misconfigured, match=r"other\.sqlite is not a frontier"):
        Frontier(path, crawl().order)
