"""The digests of earlier captures: for whoever holds the job, and in pieces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from armarium.planning.arrivals.handover import PIECE_BYTES, Digests
from armarium.planning.collectors.model import Code, Declined
from tests.integration.planning.collectors.world import World

LINE = b"example,a)/ 20261115000000 {}\n"


@dataclass
class Captures:
    """So many lines, whatever the domains."""

    number: int | None
    asked: list[Sequence[str]] = field(default_factory=list)

    def lines(self, domains: Sequence[str]) -> Iterator[bytes] | None:
        self.asked.append(domains)
        return None if self.number is None else iter([LINE] * self.number)


def test_the_lines_of_the_domains_of_a_job_come_in_pieces_if_there_are_any(world: World) -> None:
    world.job("b.example", "a.example")
    crawler = world.crawler()
    task = crawler.take()
    for number in (1, 3, 10_000):
        captures = Captures(number)
        pieces = Digests(world.database, captures).pieces(crawler.collector, task.job, task.attempt)
        assert pieces is not None
        found = list(pieces)
        assert b"".join(found) == LINE * number
        assert max(map(len, found)) < PIECE_BYTES + len(LINE)
        assert captures.asked == [["a.example", "b.example"]]
    for none in (None, 0):
        digests = Digests(world.database, Captures(none))
        assert digests.pieces(crawler.collector, task.job, task.attempt) is None


def test_only_the_holder_of_the_job_is_given_them(world: World) -> None:
    number = world.job("a.example")
    crawler, other = world.crawler(), world.crawler("c2")
    task = crawler.take()
    digests = Digests(world.database, Captures(1))
    for collector, attempt in ((other.collector, 1), (crawler.collector, 2)):
        with pytest.raises(Declined) as caught:
            digests.pieces(collector, number, attempt)
        assert caught.value.code is Code.LEASE_LOST
    world.let_lease_end(number)
    with pytest.raises(Declined):
        digests.pieces(crawler.collector, task.job, task.attempt)
