"""One reader at a time: in every process, through every race."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from armarium.access.model import Reader
from armarium.access.readers import locks as module
from armarium.access.readers.locks import LiveLocks
from armarium.access.settings import AccessSettings
from armarium.core import clock
from armarium.db.database import Database

KEY = "org,example)/"
AMELIE, BORIS = Reader(visit="amelie's word"), Reader(visit="boris's word")


@pytest.fixture
def locks(database: Database) -> LiveLocks:
    return LiveLocks(database, AccessSettings())


def test_who_has_a_page_goes_on_having_it(locks: LiveLocks) -> None:
    assert locks.take(KEY, AMELIE)
    assert locks.take(KEY, AMELIE)
    assert not locks.take(KEY, BORIS)
    assert locks.take("org,example)/other", BORIS)


def test_what_is_released_is_free_and_only_one_s_own_is_released(locks: LiveLocks) -> None:
    locks.take(KEY, AMELIE)
    locks.release(BORIS)
    assert not locks.take(KEY, BORIS)
    locks.release(AMELIE, "org,example)/other")
    assert not locks.take(KEY, BORIS)
    locks.release(AMELIE, KEY)
    assert locks.take(KEY, BORIS)


def test_a_page_of_which_nothing_is_heard_becomes_free(
    locks: LiveLocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    locks.take(KEY, AMELIE)
    begin = clock.now()
    monkeypatch.setattr(clock, "now", lambda: begin + timedelta(minutes=14))
    assert locks.renew(AMELIE, KEY)
    monkeypatch.setattr(clock, "now", lambda: begin + timedelta(minutes=28))
    assert not locks.take(KEY, BORIS)
    monkeypatch.setattr(clock, "now", lambda: begin + timedelta(minutes=30))
    assert not locks.renew(AMELIE, KEY)
    assert locks.take(KEY, BORIS)
    assert not locks.renew(AMELIE, KEY)


def test_a_reader_who_cannot_be_told_from_others_gets_nothing(locks: LiveLocks) -> None:
    assert not locks.take(KEY, Reader())
    assert not locks.renew(Reader(), KEY)
    locks.release(Reader())


def test_of_many_who_race_in_several_processes_one_wins(database: Database) -> None:
    settings = AccessSettings()
    processes = [LiveLocks(database, settings) for _ in range(4)]
    readers = [Reader(visit=f"word {number}") for number in range(16)]
    for attempt in range(5):
        key = f"org,example)/{attempt}"
        with ThreadPoolExecutor(8) as pool:
            got = list(
                pool.map(lambda one: processes[one[0] % 4].take(key, one[1]), enumerate(readers))  # noqa: B023
            )
        assert got.count(True) == 1


def test_what_another_process_released_is_noticed_within_seconds(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = (LiveLocks(database, AccessSettings()) for _ in range(2))
    assert here.take(KEY, AMELIE)
    there.release(AMELIE)
    assert there.take(KEY, BORIS)
    monkeypatch.setattr(module, "SURE", 0.0)
    assert not here.take(KEY, AMELIE)


def test_a_visit_holds_only_so_many_pages(locks: LiveLocks, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = clock.now()
    for number in range(module.MOST_HELD + 2):
        moment = begin + timedelta(seconds=number)
        monkeypatch.setattr(clock, "now", lambda moment=moment: moment)
        assert locks.take(f"org,example)/{number}", AMELIE)
    assert locks.take("org,example)/0", BORIS)
    assert locks.take("org,example)/1", BORIS)
    assert not locks.take("org,example)/2", BORIS)


def test_the_table_names_nobody(locks: LiveLocks, database: Database) -> None:
    locks.take(KEY, AMELIE)
    with database.transaction() as connection:
        (row,) = connection.exec_driver_sql("SELECT holder FROM access_lock").all()
    assert row.holder == AMELIE.visit


def test_a_ticket_is_spent_once_and_forgotten_when_its_time_is_over(
    locks: LiveLocks, database: Database
) -> None:
    now = clock.now()
    assert locks.spend("one", now + timedelta(seconds=60))
    assert not locks.spend("one", now + timedelta(seconds=60))
    assert locks.spend("old", now - timedelta(seconds=1))
    locks.spend("two", now + timedelta(seconds=60))
    with database.transaction() as connection:
        found = connection.exec_driver_sql("SELECT key FROM access_lock ORDER BY key").scalars().all()
    assert found == ["ticket one", "ticket two"]
