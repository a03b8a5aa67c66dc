"""What tests of harvests begin with."""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.planning.harvests.due import DueRuns
from armarium.planning.harvests.model import Definition, Harvest
from armarium.planning.model import Unit
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.service import Schedules
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.domains import domain
from armarium.planning.tables.harvests import harvest, harvest_run
from armarium.planning.tables.jobs import job
from armarium.server.assembly import House

NOW = datetime(2026, 3, 2, 3, 0, 20, tzinfo=UTC)  # a Monday
DUE = NOW.replace(second=0)


def schedule(house: House, name: str = "daily at three", **rhythm: Any) -> int:
    new = Schedule(**{"unit": Unit.DAY, "hour": 3, "minute": 0, **rhythm}, name=name)
    return Schedules(house.database).create(SYSTEM, new).id


def domains(house: House, *names: str) -> list[int]:
    """Domains with their default seeds; the numbers of their default configurations."""
    with house.database.transaction() as connection:
        house.domains.ensure(connection, SYSTEM, names, "tests")
        wanted = (
            sa.select(domain.c.default_configuration).where(domain.c.name.in_(names)).order_by(domain.c.id)
        )
        return list(connection.scalars(wanted))


def selective(house: House, name: str = "press", **given: Any) -> Harvest:
    """A harvest of one domain that could be activated."""
    if "schedule" not in given:
        given["schedule"] = schedule(house, f"schedule of {name}")
    made = house.harvests.create(SYSTEM, Definition(name, **given))
    house.harvests.add_configurations(SYSTEM, made.id, domains(house, f"{name}.test"))
    return made


def waiting(house: House, name: str = "press", *, next_at: datetime = DUE, **given: Any) -> Harvest:
    """An active harvest whose next date is set, as if it had been activated long ago."""
    made = selective(house, name, **given)
    change(house, made.id, active=True, next_at=next_at, runs=3, scheduled_runs=3)
    return house.harvests.get(made.id)


def change(house: House, number: int, **values: Any) -> None:
    with house.database.transaction() as connection:
        connection.execute(harvest.update().where(harvest.c.id == number).values(**values))


def due(house: House) -> DueRuns:
    return DueRuns(house.database, house.harvests, house.notifier, house.settings[PlanningSettings])


def runs(house: House, number: int) -> list[tuple[int | None, str, datetime]]:
    """Number, state and date of each run, in the order of the dates."""
    columns = (harvest_run.c.number, harvest_run.c.state, harvest_run.c.due_at)
    with house.database.transaction() as connection:
        wanted = sa.select(*columns).where(harvest_run.c.harvest == number)
        return [tuple(row) for row in connection.execute(wanted.order_by(harvest_run.c.due_at))]


def rows(house: House, statement: str) -> list[tuple[Any, ...]]:
    with house.database.transaction() as connection:
        return [tuple(row) for row in connection.execute(sa.text(statement))]


def ended_run(
    house: House, number: int, *, days_ago: int, objects: int, size: int, state: str = "done"
) -> None:
    """A run in the past with one job that took an hour."""
    at = clock.now() - timedelta(days=days_ago)
    made = house.harvests.get(number)
    with house.database.transaction() as connection:
        run = connection.execute(
            harvest_run.insert()
            .values(
                harvest=number, number=made.runs + 1, state="generated", due_at=at, configurations=1, jobs=1
            )
            .returning(harvest_run.c.id)
        ).scalar_one()
        connection.execute(harvest.update().where(harvest.c.id == number).values(runs=made.runs + 1))
        channel = connection.scalar(sa.text("SELECT min(id) FROM channel"))
        version = connection.scalar(sa.text("SELECT min(id) FROM profile_version"))
        open_ = state in {"new", "started"}
        connection.execute(
            job.insert().values(
                harvest=number,
                run=run,
                state=state,
                channel=channel,
                profile_version=version,
                created_at=at,
                started_at=at,
                ended_at=None if open_ else at + timedelta(hours=1),
                configurations=1,
                objects=objects,
                bytes=size,
            )
        )
