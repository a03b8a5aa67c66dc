"""Queues of a crawl that several processes share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.core.crawl_order import CrawlOrder, QueueBy, Queues
from armarium.harvest.frontier import Frontier
from armarium.harvest.frontier.queue_names import shard_of
from armarium.harvest.model import Candidate

NOW = 1_800_000_000.0


@pytest.fixture
def team(tmp_path: Path) -> Iterator[list[Frontier]]:
    members = [Frontier(tmp_path / f"{number}.sqlite", CrawlOrder(), number, 2) for number in range(2)]
    yield members
    for member in members:
        member.close()


def found(url: str) -> Candidate:
    return Candidate(url, "L", "http://via.example/", "seed")


def host_of_shard(shard: int) -> str:
    return next(
        f"host-{number}.example" for number in range(100) if shard_of(f"host-{number}.example", 2) == shard
    )


def address_of_shard(shard: int) -> str:
    return next(f"192.0.2.{number}" for number in range(100) if shard_of(f"192.0.2.{number}", 2) == shard)


def deliver(sender: Frontier, receiver: Frontier) -> int:
    outgoing = sender.outgoing(100)
    receiver.incoming([one.candidate for one in outgoing])
    sender.delivered(one.id for one in outgoing)
    return len(outgoing)


def test_a_queue_moves_as_a_whole_to_where_its_server_is_asked(team: list[Frontier]) -> None:
    home, owner = team
    host, address = host_of_shard(0), address_of_shard(1)
    for page in range(3):
        assert home.add(found(f"http://{host}/{page}"))
    item = home.next(NOW)
    assert item is not None
    assert home.hand_over(item, address, NOW)
    assert home.next(NOW) is None
    assert home.counts.queued == 0
    assert deliver(home, owner) == 3
    assert home.unsent == 0
    there = owner.next(NOW)
    assert there is not None
    assert not owner.hand_over(there, address, NOW)
    assert owner.counts.queued == 3


def test_what_is_found_later_is_sent_on_and_counts_once(team: list[Frontier]) -> None:
    home, owner = team
    host, address = host_of_shard(0), address_of_shard(1)
    home.add(found(f"http://{host}/"))
    item = home.next(NOW)
    assert item is not None
    home.hand_over(item, address, NOW)
    deliver(home, owner)
    assert home.add(found(f"http://{host}/later"))
    assert owner.add(found(f"http://{host}/later"))
    assert not owner.outgoing(10)
    deliver(home, owner)
    assert owner.counts.queued == 2


def test_what_was_sent_to_where_the_name_points_comes_back_with_its_queue(team: list[Frontier]) -> None:
    owner, home = team
    page = f"http://{host_of_shard(1)}/"
    assert owner.add(found(page))
    deliver(owner, home)
    item = home.next(NOW)
    assert item is not None
    assert home.hand_over(item, address_of_shard(0), NOW)
    deliver(home, owner)
    back = owner.next(NOW)
    assert back is not None
    assert back.url == page


def test_a_capture_is_taken_over_by_who_made_it_even_if_its_route_was_lost(team: list[Frontier]) -> None:
    owner, _ = team
    page = f"http://{host_of_shard(1)}/"
    assert owner.settle(found(page), 200, 10, now=NOW)
    assert owner.is_finished(page)
    assert not owner.outgoing(10)


def test_a_queue_that_moved_stays_where_it_is(team: list[Frontier], tmp_path: Path) -> None:
    home, owner = team
    host = host_of_shard(0)
    home.add(found(f"http://{host}/"))
    item = home.next(NOW)
    assert item is not None
    home.hand_over(item, address_of_shard(1), NOW)
    deliver(home, owner)
    there = owner.next(NOW)
    assert there is not None
    # Its name has now another address, which points back: it would wander for ever.
    assert not owner.hand_over(there, address_of_shard(0), NOW)
    owner.commit()
    owner.close()
    team[1] = Frontier(tmp_path / "1.sqlite", CrawlOrder(), 1, 2)
    assert team[1].is_own(f"http://{host}/")


def test_a_domain_whose_server_is_known_does_not_leave_with_its_budget_half_spent(tmp_path: Path) -> None:
    order = CrawlOrder(queues=Queues(by=QueueBy.DOMAIN))
    home = Frontier(tmp_path / "domains.sqlite", order, 0, 2)
    domain = host_of_shard(0)
    home.add(found(f"http://www.{domain}/"))
    item = home.next(NOW)
    assert item is not None
    assert not home.hand_over(item, address_of_shard(0), NOW)
    home.finish(item, 200, 100, duration=0, now=NOW)
    home.add(found(f"http://shop.{domain}/"))
    item = home.next(NOW + 60)
    assert item is not None
    assert not home.hand_over(item, address_of_shard(1), NOW + 60)
    home.close()


def test_alone_nothing_is_handed_over(tmp_path: Path) -> None:
    frontier = Frontier(tmp_path / "alone.sqlite", CrawlOrder())
    frontier.add(found("http://a.example/"))
    item = frontier.next(NOW)
    assert item is not None
    assert not frontier.hand_over(item, "192.0.2.1", NOW)
    frontier.close()


def test_what_was_sent_away_and_comes_back_with_its_queue_is_not_lost(team: list[Frontier]) -> None:
    home, other = team
    host, address = host_of_shard(1), address_of_shard(0)
    assert home.add(found(f"http://{host}/"))
    assert deliver(home, other) == 1
    item = other.next(NOW)
    assert item is not None
    assert other.hand_over(item, address, NOW)
    assert deliver(other, home) == 1

    back = home.next(NOW)
    assert back is not None
    assert (back.url, home.counts.queued) == (f"http://{host}/", 1)
    assert home.incoming([found(f"http://{host}/")]) == 0  # told twice
