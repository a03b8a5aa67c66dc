"""Files from collectors: whole, once, and resumed after anything that can happen on the way."""

import errno
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.core.collecting import FileOffered, Held
from armarium.db.database import Database
from armarium.planning.arrivals import folder
from armarium.planning.arrivals import service as arrivals_module
from armarium.planning.arrivals.service import UNTOUCHED_SECONDS, Arrivals
from armarium.planning.collectors.model import Code, Declined
from armarium.planning.tables.harvests import arrival
from tests.integration.planning.collectors.world import Crawler, World, called, offer, piece

NAME, WHOLE = called(1, "host"), called(1, "whole")
CONTENT = bytes(range(256)) * 40


@pytest.fixture
def crawler(world: World) -> Crawler:
    return world.crawler()


def declined(call: Any, *given: Any) -> Declined:
    with pytest.raises(Declined) as caught:
        call(*given)
    return caught.value


def test_a_file_arrives_in_pieces_and_has_landed_when_it_is_whole(world: World, crawler: Crawler) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    state = arrivals.offer(c, number, offer(task, NAME, CONTENT))
    assert (state.state, state.received) == ("receiving", 0)
    state = arrivals.receive(c, number, piece(task, NAME, 0, CONTENT[:1000]))
    assert (state.state, state.received) == ("receiving", 1000)
    assert not (world.home / "arrivals" / str(number) / NAME).exists()
    state = arrivals.receive(c, number, piece(task, NAME, 1000, CONTENT[1000:]))
    assert (state.state, state.received) == ("landed", len(CONTENT))
    assert (world.home / "arrivals" / str(number) / NAME).read_bytes() == CONTENT
    assert [path.name for path in (world.home / "arrivals" / str(number)).iterdir()] == [NAME]


def test_everything_may_be_repeated(world: World, crawler: Crawler) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    offered = offer(task, NAME, CONTENT)
    for _ in range(2):
        arrivals.offer(c, number, offered)
    arrivals.receive(c, number, piece(task, NAME, 0, CONTENT[:1000]))
    assert arrivals.offer(c, number, offered).received == 1000
    again = declined(arrivals.receive, c, number, piece(task, NAME, 0, CONTENT[:1000]))
    assert (again.code, again.facts) == (Code.OFFSET, {"received": 1000})
    for state in ("landed", "stored"):
        assert arrivals.receive(c, number, piece(task, NAME, 1000, CONTENT[1000:])).state == state
    assert arrivals.offer(c, number, offered).state == "stored"
    assert arrivals.state(c, number, task.attempt, NAME).state == "stored"
    assert len(world.rows(sa.select(arrival))) == 1


def test_an_empty_file_is_stored_with_its_offer(world: World, crawler: Crawler) -> None:
    number = world.job()
    task = crawler.take()
    assert world.arrivals.offer(crawler.collector, number, offer(task, NAME, b"")).state == "landed"


def test_one_damaged_on_the_way_is_dropped_and_sent_again(world: World, crawler: Crawler) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    damaged = CONTENT[:-1] + b"x"
    assert declined(arrivals.receive, c, number, piece(task, NAME, 0, damaged)).code is Code.CHECKSUM
    state = arrivals.offer(c, number, offer(task, NAME, CONTENT))
    assert (state.state, state.received) == ("receiving", 0)
    assert arrivals.receive(c, number, piece(task, NAME, 0, CONTENT)).state == "landed"


def test_another_file_of_the_same_name_is_refused(world: World, crawler: Crawler) -> None:
    number, other, arrivals, c = world.job(), world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    second = crawler.take(jobs=[number])
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    assert declined(arrivals.offer, c, number, offer(task, NAME, b"other")).code is Code.OTHER_CONTENT
    arrivals.receive(c, number, piece(task, NAME, 0, CONTENT))
    assert declined(arrivals.offer, c, number, offer(task, NAME, b"other")).code is Code.OTHER_CONTENT
    assert declined(arrivals.offer, c, other, offer(second, NAME, b"other")).code is Code.VALUES
    assert (world.home / "arrivals" / str(number) / NAME).read_bytes() == CONTENT


def test_a_piece_in_the_wrong_place_or_beyond_the_end_is_refused(world: World, crawler: Crawler) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    assert declined(arrivals.receive, c, number, piece(task, NAME, 0, b"x")).code is Code.NO_OFFER
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    assert declined(arrivals.receive, c, number, piece(task, NAME, 5, b"x")).code is Code.OFFSET
    assert declined(arrivals.receive, c, number, piece(task, NAME, 0, CONTENT + b"x")).code is Code.VALUES
    assert declined(arrivals.receive, c, number, piece(task, NAME, 0, b"")).code is Code.VALUES
    assert declined(arrivals.offer, c, number, offer(task, "a.part", b"x")).code is Code.VALUES


def test_the_next_attempt_of_the_same_machine_goes_on_where_the_last_one_was(
    world: World, crawler: Crawler
) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    arrivals.receive(c, number, piece(task, NAME, 0, CONTENT[:1000]))
    crawler.give(task, WHOLE, b"whole")
    world.let_lease_end(number)
    again = crawler.take(held=[Held(job=number, attempt=1)])
    assert declined(arrivals.receive, c, number, piece(task, NAME, 1000, b"late")).code is Code.LEASE_LOST
    assert declined(arrivals.receive, c, number, piece(again, NAME, 1000, b"x")).code is Code.NO_OFFER
    assert arrivals.offer(c, number, offer(again, NAME, CONTENT)).received == 1000
    arrivals.receive(c, number, piece(again, NAME, 1000, CONTENT[1000:]))
    assert arrivals.offer(c, number, offer(again, WHOLE, b"whole")).state == "stored"
    assert crawler.end(again, files=(NAME, WHOLE)) == "done"


def test_an_unfinished_part_of_a_dead_attempt_is_cleared_away(world: World, crawler: Crawler) -> None:
    number, arrivals = world.job(), world.arrivals
    task = crawler.take()
    arrivals.offer(crawler.collector, number, offer(task, NAME, CONTENT))
    arrivals.receive(crawler.collector, number, piece(task, NAME, 0, CONTENT[:1000]))
    part = arrivals.folder.part(number, NAME)
    os.utime(part, (0, part.stat().st_mtime - UNTOUCHED_SECONDS - 60))
    assert arrivals.clear_away() == 0  # its lease holds: the rest may come
    world.let_lease_end(number)
    other = world.crawler("c2")
    second = other.take()
    assert arrivals.clear_away() == 1
    assert not part.exists()
    other.give(second, NAME, b"of the second attempt")
    assert other.end(second, files=(NAME,)) == "done"


def test_what_a_killed_process_wrote_but_did_not_count_is_cut_off(world: World, crawler: Crawler) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    arrivals.receive(c, number, piece(task, NAME, 0, CONTENT[:1000]))
    with arrivals.folder.part(number, NAME).open("ab") as part:
        part.write(b"more than was counted" * 1000)
    assert arrivals.state(c, number, 1, NAME).received == 1000
    assert arrivals.receive(c, number, piece(task, NAME, 1000, CONTENT[1000:])).state == "landed"


def test_a_file_that_was_closed_but_not_noted_is_found(world: World, crawler: Crawler) -> None:
    """Killed between the disk and the database."""
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    arrivals.receive(c, number, piece(task, NAME, 0, CONTENT[:1000]))
    arrivals.folder.append(number, NAME, 1000, CONTENT[1000:])
    arrivals.folder.close(number, NAME)
    assert arrivals.receive(c, number, piece(task, NAME, 1000, CONTENT[1000:])).state == "landed"


def test_a_part_that_the_disk_lost_begins_anew(world: World, crawler: Crawler) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    arrivals.receive(c, number, piece(task, NAME, 0, CONTENT[:1000]))
    arrivals.folder.part(number, NAME).unlink()
    assert arrivals.offer(c, number, offer(task, NAME, CONTENT)).received == 0


def test_the_same_piece_sent_by_many_requests_at_once_is_added_once(world: World, crawler: Crawler) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))

    def send(_: int) -> str:
        try:
            return arrivals.receive(c, number, piece(task, NAME, 0, CONTENT[:5000])).state
        except Declined as refusal:
            return refusal.code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(send, range(8))) == [*(["offset"] * 7), "receiving"]
    assert arrivals.receive(c, number, piece(task, NAME, 5000, CONTENT[5000:])).state == "landed"


def test_a_full_disk_is_said_and_nothing_is_lost(
    world: World, crawler: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    arrivals.receive(c, number, piece(task, NAME, 0, CONTENT[:1000]))
    write, left = os.pwrite, [500]

    def nearly_full(descriptor: int, data: Any, offset: int) -> int:
        if not left[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = write(descriptor, data[: left[0]], offset)
        left[0] -= written
        return written

    monkeypatch.setattr(os, "pwrite", nearly_full)
    assert declined(arrivals.receive, c, number, piece(task, NAME, 1000, CONTENT[1000:])).code is Code.NO_ROOM
    monkeypatch.undo()
    assert arrivals.folder.part(number, NAME).read_bytes() == CONTENT[:1000]
    assert arrivals.state(c, number, 1, NAME).received == 1000
    assert arrivals.receive(c, number, piece(task, NAME, 1000, CONTENT[1000:])).state == "landed"


def test_a_file_for_which_there_is_no_room_is_not_begun(database: Database, tmp_path: Path) -> None:
    world = World(database, tmp_path / "home", {"ARMARIUM_PLANNING_ARRIVALS_RESERVE_BYTES": str(10**17)})
    number, crawler = world.job(), world.crawler()
    task = crawler.take()
    refused = declined(world.arrivals.offer, crawler.collector, number, offer(task, NAME, CONTENT))
    assert refused.code is Code.NO_ROOM


def test_files_are_for_the_archive_alone(world: World, crawler: Crawler) -> None:
    world.job()
    task = crawler.take()
    crawler.give(task, NAME, CONTENT)
    found = Arrivals(world.database, world.home, world.settings, world.archive).folder.whole(task.job, NAME)
    assert found.stat().st_mode & 0o077 == 0


def test_no_connection_is_kept_while_the_disk_is_at_work(
    world: World, crawler: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There are ten of them: as many slow uploads would leave none for heartbeats and pages."""
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task, kept, pool = crawler.take(), [], world.database._engine.pool
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    digest, sync = folder.digest_of, os.fsync

    def watched_digest(path: Path) -> str:
        kept.append(pool.checkedout())  # type: ignore[attr-defined]
        return digest(path)

    def watched_sync(descriptor: int) -> None:
        kept.append(pool.checkedout())  # type: ignore[attr-defined]
        sync(descriptor)

    monkeypatch.setattr(arrivals_module, "digest_of", watched_digest)
    monkeypatch.setattr(os, "fsync", watched_sync)
    assert arrivals.receive(c, number, piece(task, NAME, 0, CONTENT)).state == "landed"
    assert (len(kept) > 2, set(kept)) == (True, {0})


def test_a_file_whose_lease_ends_while_it_is_verified_is_a_part_again(
    world: World, crawler: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    digest = folder.digest_of

    def slow_digest(path: Path) -> str:
        world.let_lease_end(number)
        return digest(path)

    with monkeypatch.context() as patched:
        patched.setattr(arrivals_module, "digest_of", slow_digest)
        refused = declined(arrivals.receive, c, number, piece(task, NAME, 0, CONTENT))
    assert refused.code is Code.LEASE_LOST
    assert not arrivals.folder.whole(number, NAME).exists()
    assert [row.state for row in world.rows(sa.select(arrival.c.state))] == ["receiving"]
    again = crawler.take(held=[Held(job=number, attempt=1)])
    assert arrivals.offer(c, number, offer(again, NAME, CONTENT)).received == 0
    assert arrivals.receive(c, number, piece(again, NAME, 0, CONTENT)).state == "landed"


def test_offers_count_on_the_room_that_others_were_promised(world: World, crawler: Crawler) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    room = arrivals.folder.free_bytes() - world.settings.arrivals_reserve_bytes
    most = FileOffered(attempt=1, name=called(1, "0"), size=room * 9 // 10, sha256="0" * 64)
    arrivals.offer(c, number, most)
    for place in range(1, 5):
        more = most.model_copy(update={"name": called(1, str(place))})
        assert declined(arrivals.offer, c, number, more).code is Code.NO_ROOM
    arrivals.offer(c, number, most)  # what was promised is promised
    crawler.give(task, called(1, "small"), b"small")


def test_a_piece_that_would_take_the_reserve_is_refused(
    world: World, crawler: Crawler, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, arrivals, c = world.job(), world.arrivals, crawler.collector
    task = crawler.take()
    arrivals.offer(c, number, offer(task, NAME, CONTENT))
    reserve = world.settings.arrivals_reserve_bytes
    with monkeypatch.context() as full:
        full.setattr(type(arrivals.folder), "free_bytes", lambda _: reserve + 999)
        refusal = declined(arrivals.receive, c, number, piece(task, NAME, 0, CONTENT[:1000]))
        assert refusal.code is Code.NO_ROOM
    assert arrivals.receive(c, number, piece(task, NAME, 0, CONTENT)).state == "landed"


def test_nobody_takes_the_name_of_a_file_away_from_another_job_even_of_one_to_come(
    world: World, crawler: Crawler
) -> None:
    first, second = world.job(), world.job()
    thief, honest = crawler, world.crawler("c2")
    stolen, task = thief.take(), honest.take()
    assert (stolen.job, task.job) == (first, second)
    names = (f"job_{second}-metadata-1.warc.gz", called(second))
    to_come = (f"job_{second + 1}-metadata-1.warc.gz", called(second + 1), "anything.warc.gz")
    for name in (*names, *to_come):
        assert declined(thief.give, stolen, name, b"not what it seems").code is Code.VALUES
    for name in names:
        honest.give(task, name, b"captures")
    assert honest.end(task, files=names) == "done"
