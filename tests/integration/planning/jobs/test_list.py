"""The list of jobs: what is found, in which order, page by page."""

from datetime import date, timedelta

import pytest

from armarium.db.database import Database
from armarium.planning.jobs.filters import job_filter
from armarium.planning.jobs.model import JobFilter, Order
from armarium.planning.jobs.service import Jobs
from armarium.planning.model import JobState
from armarium.server.assembly import House
from tests.integration.planning.jobs.world import NOON, world_in

S = JobState


def numbers(jobs: Jobs, wanted: JobFilter) -> list[int]:
    return [row.id for row in jobs.page(wanted, limit=100).jobs]


@pytest.mark.parametrize("since", [None, date(2026, 1, 1)])
@pytest.mark.parametrize("order", list(Order))
def test_every_job_stands_on_one_page_whatever_the_order(
    database: Database, house: House, order: Order, since: date | None
) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        made = {
            world.job(S.DONE, objects=n % 3, bytes=n % 2, ended_at=NOON + timedelta(minutes=n % 4))
            for n in range(11)
        }
    wanted, mark = JobFilter(order=order, since=since), ""
    stretches: list[list[int]] = []
    seen: list[int] = []
    while True:
        found = house.jobs.page(wanted, mark=mark, limit=3)
        stretches.append([row.id for row in found.jobs])
        seen += stretches[-1]
        if not found.forward:
            break
        mark = found.forward
    assert sorted(seen) == sorted(made)
    assert seen == numbers(house.jobs, wanted)
    back = house.jobs.page(wanted, mark=found.back or "", limit=3)
    assert [row.id for row in back.jobs] == stretches[-2]


def test_a_mark_that_is_none_leads_to_the_beginning(database: Database, house: House) -> None:
    with database.transaction() as connection:
        number = world_in(connection).job(S.NEW)
    for mark in ("x", "-", "7_", "_", "-x_y"):
        for order in Order:
            expected = [number] if order in (Order.NEWEST, Order.OLDEST) else []  # it has not ended
            found = house.jobs.page(JobFilter(order=order), mark=mark, limit=3)
            assert [row.id for row in found.jobs] == expected


def test_jobs_are_narrowed_by_state_harvest_channel_collector_and_run(
    database: Database, house: House
) -> None:
    with database.transaction() as connection:
        world, other = world_in(connection), world_in(connection, "News")
        waits, runs = world.job(S.NEW), world.job(S.STARTED)
        fails = other.job(S.FAILED)
    assert numbers(house.jobs, job_filter(state="waiting")) == [waits]
    assert numbers(house.jobs, job_filter(state="running,failed")) == [fails, runs]
    assert numbers(house.jobs, job_filter(harvest="new")) == [fails]
    assert numbers(house.jobs, job_filter(harvest=str(world.harvest))) == [runs, waits]
    assert numbers(house.jobs, job_filter(channel="news")) == [fails]
    assert numbers(house.jobs, job_filter(collector="at-sites-of-the-day")) == [runs]
    assert numbers(house.jobs, job_filter(run=other.run)) == [fails]
    assert numbers(house.jobs, job_filter(channel="no-such-channel")) == []


def test_jobs_are_narrowed_by_day_and_by_number(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        first = world.job(S.DONE)
        second = world.job(S.DONE, created_at=NOON + timedelta(days=1))
        third = world.job(S.DONE, created_at=NOON + timedelta(days=2))
    assert numbers(house.jobs, job_filter(since="2026-05-02", until="2026-05-02")) == [second]
    assert numbers(house.jobs, job_filter(until="2026-05-01")) == [first]
    assert numbers(house.jobs, job_filter(jobs=f"{first}, {second}-{third}")) == [third, second, first]


def test_one_box_finds_a_job_by_number_harvest_domain_address_and_file(
    database: Database, house: House
) -> None:
    with database.transaction() as connection:
        world, other = world_in(connection), world_in(connection, "News")
        one, two = world.job(S.DONE), other.job(S.DONE)
        world.holds(one, world.domain("example.fr"))
        other.file(two, "strange.warc.gz")
    for text, expected in {
        str(one): [one],
        f"job-{two}": [two],
        "sites of": [one],
        "example.fr": [one],
        "https://www.example.fr/a?b=c": [one],
        "strange.warc.gz": [two],
        "exam": [one],
        "www.exam": [one],
        "strange": [two],
        "strange.w": [two],
        "range.warc.gz": [],
        f"data/BNF-{one}-{world.harvest}-20260501120000000-00000-host.warc.gz": [one],
        "nothing of the kind": [],
    }.items():
        assert numbers(house.jobs, job_filter(q=text)) == expected, text


def test_a_harvest_whose_name_is_a_number_is_found_as_well(database: Database, house: House) -> None:
    with database.transaction() as connection:
        number = world_in(connection, "2026").job(S.DONE)
    assert numbers(house.jobs, job_filter(q="2026")) == [number]


def test_priority_asks_for_jobs_that_wait(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        urgent, usual = world.job(S.NEW, priority=5), world.job(S.NEW)
        world.job(S.DONE, priority=5)
    assert numbers(house.jobs, job_filter(priority="high")) == [urgent]
    assert numbers(house.jobs, job_filter(priority="usual")) == [usual]


def test_states_are_counted(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        for state in (S.NEW, S.NEW, S.FAILED):
            world.job(state)
    counts = house.jobs.counts()
    assert {state: count.number for state, count in counts.items() if count.number} == {S.NEW: 2, S.FAILED: 1}
    assert house.jobs.count(job_filter(state="new")).number == 2


def test_running_jobs_are_found_by_a_domain(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        one, two = world.job(S.STARTED), world.job(S.UPLOADING)
        world.job(S.NEW)
        world.holds(two, world.domain("example.fr"))
    assert [found.job.id for found in house.jobs.running()] == [one, two]
    assert [found.job.id for found in house.jobs.running("www.example.fr")] == [two]
    assert [found.job.id for found in house.jobs.running("examp")] == [two]
