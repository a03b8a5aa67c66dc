"""The rooms joined: a file lands, is stored, indexed, found, and known to the next harvest."""

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.core.collecting import EndKind, TaskOrder
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.formats.cdx.query import Query
from armarium.planning.arrivals.handover import Digests, EarlierFiles
from armarium.planning.arrivals.service import Arrivals
from armarium.planning.collectors.model import Code, Declined
from armarium.planning.tables.harvests import arrival
from armarium.server.services.storage import StorageServices
from armarium.storage.files.queries import unfinished
from armarium.storage.intake.service import Intake
from armarium.storage.model import FileState
from armarium.storage.tables import storage_event, stored_file
from armarium.tasks.failure import TaskFailed
from armarium.workflow.join import Clearing
from tests.integration.index.chain.archive import write_companion, write_warc
from tests.integration.planning.collectors.world import Crawler, World, called, offer, piece

NAME, OTHER = called(1, "captures"), called(2, "captures")
PAGES = ["http://a.example/", "http://www.a.example:8080/deep", "http://a.example:8080/port"]


class WholeHouse(World):
    """Its files go to the real archive."""

    @cached_property
    def services(self) -> Services:
        return self.house.services()

    @cached_property
    def arrivals(self) -> Arrivals:
        return self.services.get(Arrivals)

    @property
    def keeping(self) -> StorageServices:
        return self.house.storage

    def digests(self, crawler: Crawler, task: TaskOrder) -> list[bytes]:
        pieces = self.services.get(Digests).pieces(crawler.collector, task.job, task.attempt)
        return b"".join(pieces or ()).splitlines()

    def found(self, url: str) -> list[str]:
        return [line.filename or "" for line in self.keeping.chain.lookup().search(Query(url)).lines]

    def work(self, number: int) -> None:
        """What workers do for a file."""
        self.keeping.files.store(number)
        self.keeping.chain.index(number)

    def cleared(self, *, old: bool = False) -> list[str]:
        """The names of arrivals that are cleared away now."""
        before = [path for path in (self.home / "arrivals").glob("[0-9]*/*") if path.is_file()]
        for path in before if old else ():
            os.utime(path, (0, 0))
        self.services.get(Clearing).clear()
        return sorted(path.name for path in before if not path.exists())

    def states(self) -> list[str]:
        return [row.state for row in self.rows(sa.select(arrival.c.state).order_by(arrival.c.id))]


@pytest.fixture
def there(database: Database, tmp_path: Path) -> Iterator[WholeHouse]:
    world = WholeHouse(database, tmp_path / "home")
    yield world
    world.house.close()


@pytest.fixture
def warc(tmp_path: Path) -> bytes:
    path = tmp_path / NAME
    write_warc(path, PAGES)
    return path.read_bytes()


def test_a_file_that_landed_is_stored_indexed_found_and_then_cleared_away(
    there: WholeHouse, warc: bytes
) -> None:
    number, crawler = there.job("a.example"), there.crawler()
    task = crawler.take()
    crawler.give(task, NAME, warc)
    landed = there.arrivals.folder.whole(number, NAME)
    assert (there.states(), there.found(PAGES[0])) == (["landed"], [])
    there.work(1)
    assert (there.states(), there.found(PAGES[0])) == (["stored"], [NAME])
    for name in ("one", "two"):
        [copy] = (there.home / "replicas" / name / "files").rglob(NAME)
        assert copy.read_bytes() == warc
    assert landed.exists()
    assert there.keeping.files.clean() == 1
    assert not landed.exists()
    with there.keeping.reader.open(NAME) as file:
        assert file.read() == warc
    assert crawler.end(task, objects=3, files=(NAME,)) == "done"


@pytest.mark.parametrize("lost", ["altered", "gone"])
def test_a_file_that_is_lost_before_it_is_stored_is_wanted_from_its_collector_again(
    there: WholeHouse, warc: bytes, lost: str
) -> None:
    number, crawler = there.job("a.example"), there.crawler()
    task = crawler.take()
    crawler.give(task, NAME, warc)
    landed = there.arrivals.folder.whole(number, NAME)
    landed.unlink() if lost == "gone" else landed.write_bytes(warc[:-1] + b"x")
    with pytest.raises(TaskFailed):
        there.work(1)
    assert there.states() == ["receiving"]
    asked = there.arrivals.offer(crawler.collector, task.job, offer(task, NAME, warc))
    assert (asked.state, asked.received) == ("receiving", 0)
    with pytest.raises(TaskFailed):  # asked for once, however often it is tried meanwhile
        there.work(1)
    crawler.give(task, NAME, warc)
    there.work(1)
    assert (there.states(), there.found(PAGES[0])) == (["stored"], [NAME])
    assert crawler.end(task, objects=3, files=(NAME,)) == "done"


def test_an_altered_file_that_nobody_will_send_again_is_lost_until_somebody_imports_it(
    there: WholeHouse, warc: bytes, tmp_path: Path
) -> None:
    number, first, second = there.job("a.example"), there.crawler(), there.crawler("c2")
    task = first.take()
    first.give(task, NAME, warc)
    there.arrivals.folder.whole(number, NAME).write_bytes(warc[:-1] + b"x")
    first.end(task, EndKind.RETURNED)
    again = second.take()
    anew = called(number, "anew")
    second.give(again, anew, b"harvested once more")
    there.keeping.files.store(2)
    second.end(again, files=(anew,))
    with pytest.raises(TaskFailed):
        there.keeping.files.store(1)
    assert there.keeping.files.get(1).state is FileState.LOST
    assert there.states() == ["abandoned", "stored"]
    assert there.keeping.files.store(1) is FileState.LOST  # and is not tried any more
    with there.database.transaction() as connection:
        assert 1 not in unfinished(connection, 10)
    bring_from_outside(there, tmp_path, warc, NAME)
    assert there.keeping.files.get(1).state is FileState.STORED


def test_the_next_job_for_the_domain_is_given_what_the_archive_has(there: WholeHouse, warc: bytes) -> None:
    there.job("a.example", "b.example")
    crawler = there.crawler()
    task = crawler.take()
    assert there.digests(crawler, task) == []
    crawler.give(task, NAME, warc)
    there.work(1)
    lines = there.digests(crawler, task)
    assert sorted(lines) == lines
    assert len(lines) == len(PAGES)
    there.keeping.files.withdraw(SYSTEM, 1, "by mistake")
    assert there.digests(crawler, task) == []
    there.keeping.files.restore(SYSTEM, 1, "it was right")
    there.keeping.chain.index(1)
    assert there.digests(crawler, task) == lines


def test_the_index_that_came_with_a_file_is_used(there: WholeHouse, warc: bytes, tmp_path: Path) -> None:
    number, crawler = there.job("a.example"), there.crawler()
    task = crawler.take()
    give_index(crawler, task, write_companion(tmp_path / NAME).read_bytes())
    crawler.give(task, NAME, warc)
    there.work(1)
    indexed = there.keeping.chain.get(1)
    assert indexed is not None
    assert (indexed.made_from, indexed.lines, indexed.job) == ("companion", len(PAGES), number)
    there.keeping.files.clean()
    assert not list((there.home / "arrivals" / str(number)).iterdir())


def test_an_index_that_was_altered_after_it_came_is_not_used(
    there: WholeHouse, warc: bytes, tmp_path: Path
) -> None:
    number, crawler = there.job("a.example"), there.crawler()
    task = crawler.take()
    give_index(crawler, task, write_companion(tmp_path / NAME).read_bytes())
    crawler.give(task, NAME, warc)
    path = there.home / "arrivals" / str(number) / f"{NAME}.cdxj"
    path.write_bytes(path.read_bytes().rstrip(b"\n"))  # its lines are still true: only the digest tells
    there.work(1)
    indexed = there.keeping.chain.get(1)
    assert indexed is not None
    assert indexed.made_from != "companion"
    assert indexed.lines == len(PAGES)


def give_index(crawler: Crawler, task: TaskOrder, content: bytes, of: str = NAME) -> None:
    arrivals, name = crawler.world.arrivals, f"{of}.cdxj"
    offered = offer(task, name, content).model_copy(update={"kind": "index"})
    arrivals.offer(crawler.collector, task.job, offered)
    arrivals.receive(crawler.collector, task.job, piece(task, name, 0, content))


def bring_from_outside(there: WholeHouse, folder: Path, content: bytes, name: str = NAME) -> None:
    """Somebody imports a file."""
    path = folder / "outside" / name
    path.parent.mkdir()
    path.write_bytes(content)
    there.services.get(Intake).take(SYSTEM, [path], accession_name="outside")


def test_another_file_of_a_name_that_the_archive_has_is_refused_and_both_are_kept(
    there: WholeHouse, warc: bytes, tmp_path: Path
) -> None:
    bring_from_outside(there, tmp_path, warc)
    number, crawler = there.job("a.example"), there.crawler()
    with pytest.raises(Declined) as caught:
        crawler.give(crawler.take(), NAME, b"something else")
    assert caught.value.code is Code.OTHER_CONTENT
    assert there.arrivals.folder.whole(number, NAME).read_bytes() == b"something else"
    assert (there.states(), len(there.rows(sa.select(stored_file)))) == (["receiving"], 1)


def test_what_the_archive_had_already_is_stored_at_once_and_its_bytes_are_cleared_away_in_time(
    there: WholeHouse, warc: bytes, tmp_path: Path
) -> None:
    bring_from_outside(there, tmp_path, warc)
    there.job("a.example")
    crawler = there.crawler()
    task = crawler.take()
    give_index(crawler, task, b"an index that nobody needs")
    crawler.give(task, NAME, warc)
    give_index(crawler, task, b"of a file that never comes", called(1, "never"))
    assert there.states() == ["landed", "stored", "landed"]
    there.keeping.files.clean()
    assert there.cleared() == []  # it came a moment ago
    assert there.cleared(old=True) == [NAME]
    crawler.end(task, files=(NAME,))
    assert there.cleared(old=True) == sorted([NAME + ".cdxj", called(1, "never") + ".cdxj"])
    with there.keeping.reader.open(NAME) as file:
        assert file.read() == warc


def test_what_the_register_will_need_or_does_not_have_is_not_cleared_away(
    there: WholeHouse, warc: bytes, tmp_path: Path
) -> None:
    there.job("a.example"), there.job("b.example")
    crawler = there.crawler()
    first = crawler.take()
    give_index(crawler, first, write_companion(tmp_path / NAME).read_bytes())
    crawler.give(first, NAME, warc)
    second = crawler.take(jobs=[first.job])
    crawler.give(second, OTHER, b"no replica has it yet")
    crawler.end(second, EndKind.FAILED, error="It broke.")
    assert there.cleared(old=True) == []
    there.keeping.files.store(1)
    crawler.end(first, files=(NAME,))
    assert there.cleared(old=True) == []  # the index is still to be made


def test_of_a_domain_the_next_job_is_given_only_what_jobs_for_it_have_brought(
    there: WholeHouse, tmp_path: Path
) -> None:
    crawler = there.crawler()
    sent: dict[int, TaskOrder] = {}
    for domain in ("a.example", "b.example"):
        there.job(domain)
        task = crawler.take(jobs=list(sent))
        path = tmp_path / called(task.job, "captures")
        write_warc(path, [f"http://a.example/{domain}", f"http://b.example/{domain}"])
        crawler.give(task, path.name, path.read_bytes())
        there.work(task.job)
        sent[task.job] = task
    write_warc(tmp_path / "outside.warc.gz", ["http://a.example/", "http://b.example/"])
    bring_from_outside(there, tmp_path, (tmp_path / "outside.warc.gz").read_bytes(), "outside.warc.gz")
    there.keeping.chain.index(3)
    assert len(there.found("http://a.example/")) == 1
    for task, domain in zip(sent.values(), ("a.example", "b.example"), strict=True):
        [line] = there.digests(crawler, task)
        assert f"http://{domain}/{domain}".encode() in line


def test_files_of_an_earlier_version_come_into_the_archive(there: WholeHouse, warc: bytes) -> None:
    there.job("a.example")
    crawler = there.crawler()
    task = crawler.take()
    with there.database.transaction() as connection:
        facts = {"job": task.job, "attempt": 1, "collector": crawler.collector.id, "kind": "data"}
        file = offer(task, NAME, warc)
        known = {"name": NAME, "size": file.size, "sha256": file.sha256, "received": file.size}
        made = sa.insert(arrival).values(**facts, **known, state="spare", begun_at=sa.func.now())
        connection.execute(made)
    shelf = there.arrivals.folder
    shelf.append(task.job, NAME, 0, warc)
    shelf.close(task.job, NAME)
    assert there.services.get(EarlierFiles).some() == 1
    there.work(1)
    assert (there.states(), there.found(PAGES[0])) == (["spare"], [NAME])


def test_an_earlier_file_that_the_archive_refuses_is_refused_once(
    there: WholeHouse, warc: bytes, tmp_path: Path
) -> None:
    there.job("a.example")
    crawler = there.crawler()
    crawler.give(crawler.take(), NAME, warc)
    there.change(sa.update(arrival).values(name="strange.warc.gz", state="stored", taken_at=None))
    shelf = there.arrivals.folder
    shelf.whole(1, NAME).rename(shelf.whole(1, "strange.warc.gz"))
    write_warc(tmp_path / "strange.warc.gz", ["http://strange.example/"])
    bring_from_outside(there, tmp_path, (tmp_path / "strange.warc.gz").read_bytes(), "strange.warc.gz")
    adoption = there.services.get(EarlierFiles)
    assert [adoption.some(), adoption.some()] == [0, 0]
    refused = there.rows(sa.select(storage_event).where(storage_event.c.kind == "refused"))
    assert len(refused) == 1
    [kept] = there.rows(sa.select(arrival.c.refusal))
    assert "strange.warc.gz" in kept.refusal
    assert shelf.whole(1, "strange.warc.gz").read_bytes() == warc
