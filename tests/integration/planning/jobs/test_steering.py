"""What can be told to a running job, and what is kept of it."""

from typing import Any

import pytest
import sqlalchemy as sa

from armarium.audit.model import Question
from armarium.core.errors import NotFound, Refused
from armarium.db.database import Database
from armarium.planning.jobs.steering import Steering
from armarium.planning.model import JobState
from armarium.planning.tables.domains import domain, trap_list
from armarium.server.assembly import House
from tests.integration.planning.jobs.world import ADA, world_in

S = JobState


@pytest.fixture
def steering(house: House) -> Steering:
    return house.services().get(Steering)


@pytest.fixture
def running(database: Database) -> int:
    with database.transaction() as connection:
        world = world_in(connection)
        number = world.job(S.STARTED)
        world.holds(number, world.domain("example.fr"))
        return number


def test_a_command_is_written_down_and_audited(steering: Steering, house: House, running: int) -> None:
    command = steering.order(ADA, running, "budget", {"queue": "example.fr", "objects": "9000", "bytes": ""})
    (found,) = steering.commands(running)
    assert (found.id, found.verb, found.by, found.sent_at) == (command, "budget", "ada", None)
    assert found.arguments == {"queue": "example.fr", "objects": 9000, "bytes": None}
    (entry,), _ = house.audit.page(Question(object_kind="job", object_id=str(running)), limit=5)
    assert (entry.action, entry.after["queue"]) == ("job.budgeted", "example.fr")


def test_a_filter_is_saved_to_its_domain(steering: Steering, database: Database, running: int) -> None:
    steering.order(ADA, running, "filter", {"pattern": "/cal/", "domain": "www.example.fr"}, save="domain")
    with database.transaction() as connection:
        kept = connection.scalar(sa.select(domain.c.traps).where(domain.c.name == "example.fr"))
    assert kept == ["/cal/"]


def test_a_filter_is_saved_for_all_domains(steering: Steering, database: Database, running: int) -> None:
    steering.order(ADA, running, "filter", {"pattern": "/cal/"}, save="global")
    with database.transaction() as connection:
        kept = connection.scalars(sa.select(trap_list.c.expressions)).all()
    assert ["/cal/"] in kept


def test_a_preview_saves_nothing(steering: Steering, database: Database, running: int) -> None:
    arguments = {"pattern": "/cal/", "domain": "example.fr", "preview": True}
    steering.order(ADA, running, "filter", arguments, save="domain")
    with database.transaction() as connection:
        assert connection.scalar(sa.select(domain.c.traps)) == []
    (asked,) = steering.commands(running)
    assert asked.arguments["save"] == "domain"  # for the question whether to add it


def test_in_a_job_of_one_domain_the_domain_need_not_be_named(
    steering: Steering, database: Database, running: int
) -> None:
    steering.order(ADA, running, "filter", {"pattern": "/cal/"}, save="domain")
    with database.transaction() as connection:
        assert connection.scalar(sa.select(domain.c.traps)) == ["/cal/"]
        world = world_in(connection, "Two")
        several = world.job(S.STARTED)
        for name in ("a.example", "b.example"):
            world.holds(several, world.domain(name))
    with pytest.raises(Refused, match="Enter the domain"):
        steering.order(ADA, several, "filter", {"pattern": "/cal/"}, save="domain")


def test_a_budget_is_written_as_people_write_sizes(steering: Steering, running: int) -> None:
    steering.order(ADA, running, "budget", {"queue": "*", "objects": "no limit", "bytes": "1.5 GB"})
    (found,) = steering.commands(running)
    assert found.arguments == {"queue": "*", "objects": -1, "bytes": 1_500_000_000}


@pytest.mark.parametrize(
    ("verb", "arguments", "field"),
    [
        ("filter", {"pattern": "(("}, "pattern"),
        ("filter", {"pattern": " "}, "pattern"),
        ("budget", {"queue": "", "objects": 1}, "queue"),
        ("budget", {"queue": "a.example"}, "objects"),
        ("budget", {"queue": "a.example", "bytes": "many"}, "bytes"),
        ("log", {"pattern": "x", "most": 10**6}, "most"),
        ("pace", {"speed": 1}, "pace"),
        ("pace", {"min_delay": -1}, "pace"),
        ("explode", {}, None),
    ],
)
def test_what_no_job_would_understand_is_refused(
    steering: Steering, running: int, verb: str, arguments: dict[str, Any], field: str | None
) -> None:
    with pytest.raises(Refused) as refused:
        steering.order(ADA, running, verb, arguments)
    assert field is None or refused.value.field is not None
    assert steering.commands(running) == []


def test_nothing_can_be_told_to_a_job_that_does_not_run(steering: Steering, database: Database) -> None:
    with database.transaction() as connection:
        world = world_in(connection)
        waits, uploads = world.job(S.NEW), world.job(S.UPLOADING)
    with pytest.raises(Refused, match="is not running"):
        steering.order(ADA, waits, "pause", {})
    with pytest.raises(Refused, match="has ended"):
        steering.order(ADA, uploads, "pause", {})
    assert steering.order(ADA, uploads, "log", {"pattern": "404"})
    with pytest.raises(NotFound):
        steering.order(ADA, 4711, "pause", {})


def test_a_look_at_the_page_is_noted_so_that_news_come_faster(
    house: House, database: Database, running: int
) -> None:
    house.jobs.watch(running)
    with database.transaction() as connection:
        assert connection.scalar(sa.text("SELECT watched_at > now() - interval '1 minute' FROM job"))
