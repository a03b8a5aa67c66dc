"""Files of an attempt that came to nothing, beside those of the attempt that ended the job."""

import pytest

from armarium.core.collecting import Held
from armarium.db.database import Database
from tests.integration.planning.collectors.world import Crawler, World, called

METADATA = "-metadata-1.warc.gz"
FIRST, SECOND = called(1, "first"), called(1, "second")


@pytest.fixture
def crawler(world: World) -> Crawler:
    return world.crawler()


@pytest.fixture
def second(world: World) -> Crawler:
    return world.crawler("c2")


def on_disk(world: World, number: int) -> dict[str, bytes]:
    folder = world.home / "arrivals" / str(number)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def states(database: Database, number: int) -> dict[str, str]:
    with database.transaction() as connection:
        rows = connection.exec_driver_sql(f"SELECT name, state FROM arrival WHERE job = {number}")
        return {str(row.name): str(row.state) for row in rows}


def test_files_of_a_lost_attempt_are_kept_beside_those_of_the_one_that_ended_the_job(
    world: World, crawler: Crawler, second: Crawler, database: Database
) -> None:
    number = world.job()
    first = crawler.take()
    crawler.give(first, FIRST, b"first")
    crawler.give(first, f"job_1{METADATA}", b"metadata of the first")
    world.let_lease_end(number)
    again = second.take()
    second.give(again, SECOND, b"second")
    second.give(again, f"job_1.2{METADATA}", b"metadata of the second")
    assert second.end(again, files=(SECOND, f"job_1.2{METADATA}")) == "done"

    assert states(database, number) == {
        FIRST: "spare",
        f"job_1{METADATA}": "spare",
        SECOND: "stored",
        f"job_1.2{METADATA}": "stored",
    }
    world.arrivals.clear_away()
    assert sorted(on_disk(world, number).values()) == [
        b"first",
        b"metadata of the first",
        b"metadata of the second",
        b"second",
    ]


def test_the_files_of_each_attempt_that_begins_anew_have_names_of_their_own(
    world: World, crawler: Crawler, second: Crawler
) -> None:
    number = world.job()
    first = crawler.take()
    world.let_lease_end(number)
    again = second.take()
    assert again.order.name == f"{first.order.name}.2"
    assert again.order.recording.values["prefix"] == f"{first.order.recording.values['prefix']}.2"


def test_whoever_goes_on_after_another_has_tried_need_not_send_again_what_it_sent(
    world: World, crawler: Crawler, second: Crawler, database: Database
) -> None:
    number = world.job()
    first = crawler.take()
    crawler.give(first, FIRST, b"first")
    world.let_lease_end(number)
    other = second.take()
    second.give(other, SECOND, b"second")
    world.let_lease_end(number)
    again = crawler.take(held=[Held(job=number, attempt=1)])
    assert again.resume
    crawler.give(again, f"job_1{METADATA}", b"metadata")
    assert crawler.end(again, files=(FIRST, f"job_1{METADATA}")) == "done"
    assert states(database, number) == {
        FIRST: "stored",
        SECOND: "spare",
        f"job_1{METADATA}": "stored",
    }
