"""What harvests brought home, by domain, configuration, harvest and run."""

from datetime import timedelta

from armarium.core import clock
from armarium.db.database import Database
from armarium.planning.history.service import History
from armarium.planning.jobs.page_queries import MOST_SAMPLES
from armarium.planning.jobs.service import JobDetails
from armarium.planning.model import JobState
from armarium.server.assembly import House
from tests.integration.planning.jobs.world import NOON, world_in

S = JobState


def test_the_history_of_a_domain_has_every_job_newest_first_and_a_total(
    database: Database, house: House
) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        known, other = world.domain("example.fr"), world.domain("example.org")
        first, second, third = world.job(S.DONE), world.job(S.DONE), world.job(S.NEW)
        world.holds(first, known, objects=10, bytes=100, stop_reason="complete")
        world.holds(first, other, objects=99, bytes=99, stop_reason="complete")
        world.holds(second, known, objects=5, bytes=50, stop_reason="size-limit")
        world.holds(third, known)
    history = History(database)
    rows, total = history.of_domain(known[0], limit=2)
    assert [(row.job, row.objects, row.stop_reason) for row in rows] == [
        (third, None, None),
        (second, 5, "size-limit"),
    ]
    assert (total.entries, total.results, total.objects, total.bytes) == (3, 2, 15, 150)
    assert history.of_configuration(known[1], limit=9)[1] == total
    assert history.domain_named("http://www.example.fr/").id == known[0]


def test_a_run_sums_up_its_jobs(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        known = world.domain("example.fr")
        done = world.job(S.DONE, objects=10, bytes=100, files=2, started_at=NOON, ended_at=NOON)
        world.holds(done, known, stop_reason="complete")
        world.holds(world.job(S.FAILED, objects=1), known, stop_reason="unfinished")
        world.holds(world.job(S.RESUBMITTED), known, stop_reason="unfinished")
    history = History(database)
    (run,), count, total = history.of_harvest(world.harvest, limit=10)
    assert (count, run.objects, run.bytes, run.files) == (1, 10, 100, 2)  # what failed left no files
    assert run.states == {S.DONE: 1, S.FAILED: 1, S.RESUBMITTED: 1}
    assert (total.entries, total.results) == (3, 1)
    assert history.reasons(run) == {"complete": 1, "unfinished": 1}


def test_configurations_of_a_job_are_narrowed_by_reason(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        number = world.job(S.DONE)
        world.holds(number, world.domain("a.example"), objects=1, bytes=1, stop_reason="complete")
        world.holds(number, world.domain("b.example"))
    details = house.services().get(JobDetails)
    rows, counted = details.configurations(number, reason="none", limit=10)
    assert [row.domain_name for row in rows] == ["b.example"]
    assert counted == {"complete": 1, "": 1}


def test_a_long_job_is_thinned_to_what_a_plot_can_show(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        number = world.job(S.DONE)
        world.samples(number, MOST_SAMPLES + 50)
    samples = JobDetails(database).samples(number)
    assert len(samples) == MOST_SAMPLES
    assert samples == sorted(samples, key=lambda one: one.at)


def test_it_is_said_why_a_job_waits(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        number = world.job(S.NEW)
        later = world.job(S.NEW, not_before=clock.now() + timedelta(hours=1))
        planned = world.job(S.PLANNED)
        connection.exec_driver_sql("UPDATE collector SET seen_at = now()")

    def said(job: int) -> str:
        return str(house.jobs.why_waiting(house.jobs.get(job).job))

    assert "Next in line" in said(number)
    assert "no earlier than" in said(later)
    assert "still being created" in said(planned)
    with database.transaction() as connection:
        world.connection = connection
        world.job(S.STARTED)
        world.job(S.STARTED)
    assert "2 of 2" in said(number)
    with database.transaction() as connection:
        connection.exec_driver_sql("UPDATE collector SET seen_at = now() - interval '1 hour'")
    assert "heartbeat" in said(number)
    with database.transaction() as connection:
        connection.exec_driver_sql("UPDATE collector SET channels = '{}'")
    assert "No collector serves" in said(number)
