"""Domains, configurations and harvests for the tests of generation, entered row by row."""

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from armarium.core import clock
from armarium.core.crawl_order import CrawlOrder
from armarium.db.database import Database
from armarium.planning import shipped
from armarium.planning.generation.service import Generator
from armarium.planning.orders import assembled
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.domains import configuration, domain, profile, seed_list
from armarium.planning.tables.harvests import harvest, harvest_configuration, harvest_run
from armarium.planning.tables.jobs import job, job_configuration, job_order


@dataclass
class World:
    database: Database
    settings: PlanningSettings = field(default_factory=PlanningSettings)

    def __post_init__(self) -> None:
        with self.database.transaction() as connection:
            shipped.ensure(connection)

    @property
    def generator(self) -> Generator:
        return Generator(self.database, self.settings)

    def profile(self, name: str = "domain") -> int:
        return int(self.value(sa.select(profile.c.id).where(profile.c.name == name)))

    def domain(self, name: str, *, seeds: str | None = None, **facts: Any) -> int:
        """A domain with its default configuration; facts of either. The number of the configuration."""
        of_domain: dict[str, Any] = {
            key: facts.pop(key)
            for key in ("active", "broad", "traps", "alias_of", "alias_since")
            if key in facts
        }
        with self.database.transaction() as connection:
            values: dict[str, Any] = {"name": name, "created_at": clock.now(), **of_domain}
            number = connection.scalar(sa.insert(domain).values(values).returning(domain.c.id))
            assert number is not None
        made = self.configuration(number, "default", seeds=seeds or f"http://{name}/", **facts)
        self.change(sa.update(domain).where(domain.c.id == number).values(default_configuration=made))
        return made

    def configuration(self, owner: int, name: str, *, seeds: str, **facts: Any) -> int:
        facts.setdefault("profile", self.profile())
        with self.database.transaction() as connection:
            listed = connection.scalar(
                sa.insert(seed_list).values(domain=owner, name=name, seeds=seeds).returning(seed_list.c.id)
            )
            values = {"domain": owner, "name": name, "seed_lists": [listed], **facts}
            made = connection.scalar(sa.insert(configuration).values(values).returning(configuration.c.id))
        assert made is not None
        return int(made)

    def owner(self, configuration_number: int) -> int:
        chosen = sa.select(configuration.c.domain).where(configuration.c.id == configuration_number)
        return int(self.value(chosen))

    def harvest(self, name: str, kind: str, members: tuple[int, ...] = (), **facts: Any) -> int:
        with self.database.transaction() as connection:
            values: dict[str, Any] = {
                "name": name,
                "kind": kind,
                "missed": "skip",
                "created_at": clock.now(),
                "active": True,
            }
            number = connection.scalar(sa.insert(harvest).values({**values, **facts}).returning(harvest.c.id))
            assert number is not None
            for member in members:
                row = {"harvest": number, "configuration": member}
                connection.execute(sa.insert(harvest_configuration).values(row))
        return int(number)

    def run(self, harvest_number: int, number: int = 1) -> int:
        values = {"harvest": harvest_number, "number": number, "state": "generating", "due_at": clock.now()}
        with self.database.transaction() as connection:
            made = connection.scalar(sa.insert(harvest_run).values(values).returning(harvest_run.c.id))
        assert made is not None
        return int(made)

    def generated(self, harvest_number: int, number: int = 1) -> int:
        run = self.run(harvest_number, number)
        self.generator.generate(run)
        return run

    # Looking

    def value(self, chosen: "sa.Select[Any]") -> Any:
        with self.database.transaction() as connection:
            return connection.execute(chosen).scalar_one()

    def change(self, *statements: "sa.Update") -> None:
        with self.database.transaction() as connection:
            for statement in statements:
                connection.execute(statement)

    def run_row(self, run: int) -> Any:
        with self.database.transaction() as connection:
            return connection.execute(sa.select(harvest_run).where(harvest_run.c.id == run)).one()

    def jobs(self, run: int) -> list[Any]:
        with self.database.transaction() as connection:
            return list(connection.execute(sa.select(job).where(job.c.run == run).order_by(job.c.id)))

    def members(self, run: int) -> list[Any]:
        """The configurations in the jobs of a run."""
        chosen = sa.select(job_configuration).join(job, job.c.id == job_configuration.c.job)
        with self.database.transaction() as connection:
            ordered = chosen.where(job.c.run == run).order_by(job_configuration.c.configuration)
            return list(connection.execute(ordered))

    def order(self, job_number: int) -> CrawlOrder:
        chosen = (
            sa.select(job_order.c.document).where(job_order.c.job == job_number).order_by(job_order.c.part)
        )
        with self.database.transaction() as connection:
            parts = [bytes(row[0]) for row in connection.execute(chosen)]
        return CrawlOrder.model_validate(assembled(parts))
