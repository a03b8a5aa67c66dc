"""Files that have landed: the archive takes them, and says when they are stored."""

from hashlib import sha256
from typing import Any

import pytest
import sqlalchemy as sa
from structlog.testing import capture_logs

from armarium.core.collecting import FileState
from armarium.planning.arrivals.handover import EarlierFiles, note_stored
from armarium.planning.arrivals.service import LARGEST_INDEX
from armarium.planning.collectors.model import Code, Declined
from armarium.planning.tables.harvests import arrival
from tests.integration.planning.collectors.world import A, B, Crawler, World, called, offer, piece

NAME, OTHER = called(1, "captures"), called(1, "other")
INDEX, C = NAME + ".cdxj", called(1, "c")


@pytest.fixture
def crawler(world: World) -> Crawler:
    return world.crawler()


def declined(call: Any, *given: Any, **facts: Any) -> Declined:
    with pytest.raises(Declined) as caught:
        call(*given, **facts)
    return caught.value


def states(world: World) -> dict[str, str]:
    return {row.name: row.state for row in world.rows(sa.select(arrival.c.name, arrival.c.state))}


def store(world: World, *names: str) -> None:
    """The archive has brought these into all replicas."""
    with world.database.transaction() as connection:
        for file in world.archive.taken:
            if file.name in names:
                note_stored(connection, file.name, file.sha256)


def send_index(crawler: Crawler, task: Any, content: bytes, **changed: Any) -> FileState:
    arrivals, c = crawler.world.arrivals, crawler.collector
    offered = offer(task, INDEX, content).model_copy(update={"kind": "index", **changed})
    arrivals.offer(c, task.job, offered)
    return arrivals.receive(c, task.job, piece(task, INDEX, 0, content))


def test_a_job_ends_only_when_the_archive_has_stored_its_files(world: World, crawler: Crawler) -> None:
    world.job("a.example")
    world.archive.waits = True
    task = crawler.take()
    crawler.give(task, NAME, b"captures")
    assert world.arrivals.state(crawler.collector, task.job, task.attempt, NAME).state == "landed"
    assert declined(crawler.end, task, objects=1, files=(NAME,)).code is Code.NOT_STORED
    store(world, NAME)
    assert world.arrivals.state(crawler.collector, task.job, task.attempt, NAME).state == "stored"
    assert crawler.end(task, objects=1, files=(NAME,)) == "done"


def test_the_archive_gets_a_file_with_its_job_and_the_index_that_came_first(
    world: World, crawler: Crawler
) -> None:
    number = world.job()
    task = crawler.take()
    assert send_index(crawler, task, b"lines").state == "landed"
    crawler.give(task, NAME, b"captures")
    crawler.give(task, OTHER, b"others")
    with_index, without = world.archive.taken
    assert (with_index.name, with_index.job, with_index.harvest) == (NAME, number, world.row(number).harvest)
    assert (with_index.path.read_bytes(), with_index.size) == (b"captures", 8)
    assert with_index.companion is not None
    assert with_index.companion.read_bytes() == b"lines"
    assert with_index.companion_sha256 == sha256(b"lines").hexdigest()
    assert (without.companion, without.companion_sha256) == (None, "")
    assert crawler.end(task, files=(NAME, OTHER)) == "done"
    assert states(world) == {NAME: "stored", INDEX: "landed", OTHER: "stored"}


def test_an_index_has_its_own_names_and_a_bound(world: World, crawler: Crawler) -> None:
    world.job()
    task = crawler.take()
    wrong = offer(task, NAME, b"lines").model_copy(update={"kind": "index"})
    assert declined(world.arrivals.offer, crawler.collector, task.job, wrong).code is Code.VALUES
    assert declined(crawler.give, task, INDEX, b"captures").code is Code.VALUES
    large = declined(send_index, crawler, task, b"lines", size=LARGEST_INDEX + 1)
    assert large.code is Code.TOO_LARGE


def test_a_file_that_the_archive_refuses_is_kept_and_may_be_offered_again(
    world: World, crawler: Crawler
) -> None:
    world.job()
    task = crawler.take()
    world.archive.refusal = "It has another file of this name."
    refusal = declined(crawler.give, task, NAME, b"captures")
    assert (refusal.code, "another file" in str(refusal)) == (Code.OTHER_CONTENT, True)
    assert states(world) == {NAME: "receiving"}
    kept = world.arrivals.folder.whole(task.job, NAME)
    world.arrivals.clear_away()
    assert kept.read_bytes() == b"captures"
    again = declined(world.arrivals.offer, crawler.collector, task.job, offer(task, NAME, b"captures"))
    assert again.code is Code.OTHER_CONTENT
    world.archive.refusal = ""
    world.arrivals.offer(crawler.collector, task.job, offer(task, NAME, b"captures"))
    assert [file.name for file in world.archive.taken] == [NAME]
    assert kept.read_bytes() == b"captures"


def test_a_landed_file_of_a_lost_attempt_stays_in_the_archive(world: World, crawler: Crawler) -> None:
    number, second = world.job(), world.crawler("c2")
    world.archive.waits = True
    first = crawler.take()
    crawler.give(first, NAME, b"captures")
    world.let_lease_end(number)
    again = second.take()
    second.give(again, OTHER, b"other captures")
    store(world, OTHER)
    assert second.end(again, files=(OTHER,)) == "done"
    assert states(world) == {NAME: "spare", OTHER: "stored"}
    store(world, NAME)
    assert states(world)[NAME] == "spare"
    assert all(world.rows(sa.select(arrival.c.stored_at.is_not(None))))


def test_the_same_file_of_two_jobs_as_earlier_versions_took_it_is_stored_for_both(
    world: World, crawler: Crawler
) -> None:
    first, second = world.job(), world.job()
    world.archive.waits = True
    for held in ([], [first]):
        task = crawler.take(jobs=held)
        crawler.give(task, called(task.job, "captures"), b"captures")
    world.change(sa.update(arrival).where(arrival.c.job == second).values(name=NAME))
    store(world, NAME)
    assert [row.state for row in world.rows(sa.select(arrival.c.state))] == ["stored", "stored"]


# Files of an earlier version


@pytest.fixture
def adoption(world: World) -> EarlierFiles:
    return EarlierFiles(world.database, world.arrivals.handover)


def arrived_before(world: World, crawler: Crawler, *names: str) -> None:
    world.job()
    task = crawler.take()
    for name in names:
        crawler.give(task, name, name.encode())
    world.archive.taken.clear()
    world.change(sa.update(arrival).values(taken_at=None))


def test_files_that_came_before_the_archive_are_handed_over_once(
    world: World, crawler: Crawler, adoption: EarlierFiles
) -> None:
    arrived_before(world, crawler, A, B, C)
    world.change(sa.update(arrival).where(arrival.c.name == C).values(state="spare"))
    assert [adoption.some(2), adoption.some(2), adoption.some(2)] == [2, 1, 0]
    assert [file.name for file in world.archive.taken] == [A, B, C]
    assert states(world)[C] == "spare"


def test_of_a_file_that_is_gone_the_log_says_so_once_and_the_others_are_taken(
    world: World, crawler: Crawler, adoption: EarlierFiles
) -> None:
    arrived_before(world, crawler, A, B)
    world.arrivals.folder.whole(1, A).unlink()
    with capture_logs() as logs:
        assert [adoption.some(), adoption.some()] == [1, 0]
    assert [line["file"] for line in logs if "is gone from the folder" in line["event"]] == [A]
    assert [file.name for file in world.archive.taken] == [B]


def test_a_worker_on_another_machine_leaves_the_files_alone(
    world: World, crawler: Crawler, adoption: EarlierFiles
) -> None:
    arrived_before(world, crawler, A)
    arrivals = world.home / "arrivals"
    arrivals.rename(world.home / "elsewhere")
    with capture_logs() as logs:
        assert adoption.some() == 0
    assert "another machine" in logs[0]["event"]
    (world.home / "elsewhere").rename(arrivals)
    assert adoption.some() == 1


def test_a_file_that_landed_long_ago_is_asked_about_again(
    world: World, crawler: Crawler, adoption: EarlierFiles
) -> None:
    world.job()
    world.archive.waits = True
    crawler.give(crawler.take(), NAME, b"captures")
    assert adoption.some() == 0
    world.change(sa.update(arrival).values(taken_at=sa.text("now() - interval '1 hour'")))
    world.archive.waits = False
    assert adoption.some() == 1
    assert states(world) == {NAME: "stored"}
