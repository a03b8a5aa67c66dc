"""Watched folders: what is quiet is taken once, what is still written waits."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.intake.watching import WatchOrders
from tests.integration.storage.outside import Outside, warc


def test_what_is_quiet_is_taken_once_into_one_accession_a_day(world: Outside) -> None:
    world.put("a.warc.gz", warc(b"one"))
    world.put("notes.txt", b"about them")
    watching = world.watching(world.outside)

    assert watching.take() == 2
    assert watching.take() == 0
    world.put("b.warc.gz", warc(b"two"))
    assert watching.take() == 1

    found, total = world.intake.page(limit=10)
    assert total == 1
    assert found[0].accession.created_by == SYSTEM.name
    assert Catalogue(world.database).figures().files == 2


def test_what_changed_a_moment_ago_is_left_alone(world: Outside) -> None:
    world.put("a.warc.gz", warc())

    watching = world.watching(world.outside, later=timedelta(0))

    assert watching.take() == 0
    [seen] = watching.folders()
    assert (seen.taken, seen.restless) == (0, 1)


def test_a_file_that_was_refused_is_tried_again_only_when_it_has_changed(world: Outside) -> None:
    path = world.put("a.warc.gz", b"nothing")
    watching = world.watching(world.outside)
    assert watching.take() == 1
    assert watching.take() == 0

    path.write_bytes(warc())

    assert watching.take() == 1
    assert world.files.named("a.warc.gz").name == "a.warc.gz"


def test_a_folder_that_is_not_there_is_said_and_keeps_nobody(world: Outside) -> None:
    world.put("a.warc.gz", warc())
    watching = world.watching(world.home / "missing", world.outside)

    assert watching.take() == 1
    assert [bool(folder.trouble) for folder in watching.folders()] == [True, False]


def test_folders_in_which_no_name_changed_are_not_looked_into_again_for_an_hour(world: Outside) -> None:
    path = world.put("deep/a.warc.gz", warc(b"one"))
    watching = world.watching(world.outside)
    now = clock.now()
    later = timedelta(minutes=2)
    watching._now = lambda: now + later

    watching.take()
    watching.take()
    path.write_bytes(warc(b"changed in its place"))
    later = timedelta(minutes=4)
    assert watching.take() == 0
    later = timedelta(minutes=70)
    assert watching.take() == 1
    world.put("deep/b.warc.gz", warc(b"two"))
    later = timedelta(minutes=75)
    assert watching.take() == 1


def test_people_may_ask_for_a_look_at_once(world: Outside) -> None:
    orders = WatchOrders(world.database, world.tasks)

    assert orders.look(SYSTEM)
    assert not orders.look(SYSTEM)
    assert len(world.deferred("storage.watch")) == 1


def test_nothing_is_taken_beside_replicas_of_an_archive_whose_database_was_lost(world: Outside) -> None:
    path = world.put("a.warc.gz", warc(b"one"))
    with world.database.transaction() as connection:
        lost = connection.scalar(sa.text("SELECT id FROM archive"))
        connection.execute(sa.text("UPDATE archive SET id = 'another'"))
    watching = world.watching(world.outside)

    assert watching.take() == 0
    assert "store rebuild --archive" in watching.folders()[0].trouble
    with pytest.raises(Refused, match="belongs to another archive"):
        world.intake.take(SYSTEM, [path])
    assert Catalogue(world.database).figures().files == 0
    assert world.intake.page(limit=1)[1] == 0

    world.rebuild.adopt(SYSTEM, str(lost))
    assert watching.take() == 1
