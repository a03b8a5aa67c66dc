"""Resubmitting, rejecting, cancelling and hurrying jobs."""

import json

import pytest
import sqlalchemy as sa

from armarium.audit.model import Question
from armarium.core.errors import NotFound, Refused
from armarium.db.database import Database
from armarium.planning.jobs.contexts import shown_job
from armarium.planning.jobs.page_queries import order_parts
from armarium.planning.model import JobState
from armarium.planning.orders import unpacked
from armarium.planning.tables.harvests import arrival
from armarium.planning.tables.jobs import job_configuration
from armarium.server.assembly import House
from tests.integration.planning.jobs.world import ADA, World, state_of, world_in

S = JobState


def failed(world: World) -> int:
    number = world.job(S.FAILED, error="It broke.", configurations=1, estimate=5000, objects=10)
    world.holds(
        number, world.domain("example.fr"), objects=10, bytes=99, stop_reason="unfinished", max_bytes=1000
    )
    world.order(number, [("http://example.fr/", "example.fr")])
    return number


def actions(house: House, number: int) -> list[str]:
    entries, _ = house.audit.page(Question(object_kind="job", object_id=str(number)), limit=20)
    return [entry.action for entry in entries]


def test_a_resubmitted_job_has_the_order_of_the_old_one_and_files_of_its_own(
    database: Database, house: House
) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        old = failed(world)
    done = house.jobs.resubmit(ADA, [old])
    (new,) = done.made
    made = house.jobs.get(new).job
    assert (made.state, made.resubmission_of, made.attempt, made.objects) == (S.NEW, old, 0, 0)
    assert (made.harvest, made.run, made.estimate) == (world.harvest, world.run, 5000)
    assert state_of(database, old) == "resubmitted"
    with database.transaction() as connection:
        first, second = (unpacked(part) for part in order_parts(connection, new))
        held = sa.select(job_configuration).where(job_configuration.c.job == new)
        row = connection.execute(held).mappings().one()
    assert first["order"]["name"] == f"job-{new}"
    assert first["order"]["recording"]["values"]["prefix"] == f"BNF-{new}-{world.harvest}"
    assert second["seeds"] == [["http://example.fr/", "example.fr"]]
    assert (row["max_bytes"], row["objects"], row["stop_reason"]) == (1000, None, None)
    assert actions(house, old) == ["job.resubmitted"]
    assert actions(house, new) == ["job.copied"]


def test_of_several_chosen_jobs_those_in_another_state_are_left(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        broken, waits = failed(world), world.job(S.NEW)
    done = house.jobs.resubmit(ADA, [broken, waits])
    assert (done.changed, done.left) == ([broken], [waits])
    assert state_of(database, waits) == "new"


def test_a_job_is_resubmitted_once(database: Database, house: House) -> None:
    with database.transaction() as connection:
        number = failed(world_in(connection))
    house.jobs.resubmit(ADA, [number])
    assert house.jobs.resubmit(ADA, [number]).left == [number]


def test_the_current_settings_come_from_the_generator(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        number = failed(world)
        made = (
            "INSERT INTO seed_list (domain, name, seeds) SELECT id, 'x', 'http://new.example.fr/' FROM domain"
        )
        connection.execute(sa.text(made))
        connection.execute(sa.text("UPDATE configuration SET seed_lists = ARRAY(SELECT id FROM seed_list)"))
    (new,) = house.jobs.resubmit(ADA, [number], current=True).made
    assert house.jobs.seeds(new) == [("http://new.example.fr/", "example.fr")]
    assert house.jobs.get(new).job.resubmission_of == number
    assert state_of(database, number) == "resubmitted"


def test_a_rejection_can_be_taken_back(database: Database, house: House) -> None:
    with database.transaction() as connection:
        number = failed(world_in(connection))
    house.jobs.reject(ADA, [number], reason="The site is gone.")
    assert state_of(database, number) == "rejected"
    house.jobs.restore(ADA, [number])
    assert state_of(database, number) == "failed"
    assert actions(house, number) == ["job.restored", "job.rejected"]


def test_only_a_waiting_job_is_cancelled_or_hurried(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        waits, runs = world.job(S.NEW), world.job(S.STARTED)
    house.jobs.set_priority(ADA, waits, 500)
    assert house.jobs.get(waits).job.priority == 500
    assert house.jobs.cancel(ADA, [waits, runs]).left == [runs]
    assert state_of(database, waits) == "cancelled"
    with pytest.raises(Refused, match="no longer waiting"):
        house.jobs.set_priority(ADA, runs, 1)


def test_a_cancelled_job_can_be_done_again_unless_its_run_was_never_made(
    database: Database, house: House
) -> None:
    with database.transaction() as connection:
        number = failed(world_in(connection))
    (second,) = house.jobs.resubmit(ADA, [number]).made
    house.jobs.cancel(ADA, [second])
    (third,) = house.jobs.resubmit(ADA, [second]).made
    assert house.jobs.get(third).job.state is S.NEW
    assert shown_job(house.jobs.get(third).job)["can_resubmit"] is False
    house.jobs.cancel(ADA, [third])
    assert shown_job(house.jobs.get(third).job)["can_resubmit"] is True
    with database.transaction() as connection:
        connection.execute(sa.text("UPDATE harvest_run SET state = 'failed'"))
    assert house.jobs.resubmit(ADA, [third]).left == [third]


def test_nobody_waits_for_the_rest_of_the_files_of_a_cancelled_job(database: Database, house: House) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        number = world.job(S.NEW, attempt=1)
        world.file(number, "whole.warc.gz")
        world.file(number, "part.warc.gz")
        part = arrival.c.name == "part.warc.gz"
        connection.execute(sa.update(arrival).where(part).values(state="receiving", received=3))
    house.jobs.cancel(ADA, [number])
    with database.transaction() as connection:
        states = {row.name: row.state for row in connection.execute(sa.select(arrival))}
    assert states == {"whole.warc.gz": "stored", "part.warc.gz": "abandoned"}


def test_what_does_not_exist_is_not_changed(house: House) -> None:
    with pytest.raises(NotFound):
        house.jobs.reject(ADA, [4711])
    with pytest.raises(Refused, match="No jobs selected"):
        house.jobs.cancel(ADA, [])


def test_an_order_is_shown_without_secrets(database: Database, house: House) -> None:
    with database.transaction() as connection:
        number = failed(world_in(connection))
    shown = house.jobs.order(number)
    assert "secret" not in json.dumps(shown)
    assert shown["fetching"]["proxy"] == "http://***@proxy.example:3128"
    assert shown["limits"]["sources"] == {"example.fr": {"max_objects": None, "max_bytes": 1000}}
    assert "seeds" not in shown
