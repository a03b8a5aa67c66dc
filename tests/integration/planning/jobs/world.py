"""A small world of jobs: rows as the generator and the collectors would have written them."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.actor import Actor, Via
from armarium.db.database import Database
from armarium.planning.model import LEASED, JobState
from armarium.planning.orders import packed
from armarium.planning.tables.domains import configuration, domain, profile, profile_version
from armarium.planning.tables.harvests import arrival, collector, harvest, harvest_run
from armarium.planning.tables.jobs import (
    channel,
    job,
    job_attempt,
    job_by_catch,
    job_configuration,
    job_order,
    job_sample,
)

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
ADA = Actor("ada", Via.PAGE)

STATUS: dict[str, Any] = {
    "name": "job",
    "state": "running",
    "pause_reason": "",
    "seconds": 5400.0,
    "objects": 1200,
    "bytes": 48_000_000,
    "queued": 800,
    "in_flight": 4,
    "finished": 1250,
    "failed": 12,
    "objects_per_second": 3.5,
    "bytes_per_second": 140_000,
    "seconds_left": 3600.0,
    "queues_active": 2,
    "blocked_servers": 1,
    "traps": 0,
    "biggest": [
        {
            "queue": "example.fr",
            "state": "snoozed",
            "queued": 500,
            "objects": 900,
            "bytes": 40_000_000,
            "max_objects": 5000,
            "max_bytes": 1_000_000_000,
        }
    ],
}
TAIL = ["2026-05-01T12:00:00.000Z   200       1299 http://example.fr/ - - text/html #001"]


@dataclass
class World:
    connection: Connection
    channel: int
    collector: int
    profile_version: int
    harvest: int
    run: int

    def domain(self, name: str) -> tuple[int, int]:
        """A domain with one configuration; both numbers."""
        number = _put(self.connection, domain, name=name, created_at=NOON)
        of = self.connection.scalar(sa.select(profile.c.id).limit(1))
        return number, _put(self.connection, configuration, domain=number, name="default", profile=of)

    def job(self, state: JobState, **values: Any) -> int:
        held = state in LEASED
        usual: dict[str, Any] = {
            "harvest": self.harvest,
            "run": self.run,
            "state": state.value,
            "channel": self.channel,
            "profile_version": self.profile_version,
            "created_at": NOON,
            "collector": self.collector if held else None,
            "started_at": NOON if held else None,
            "attempt": 1 if held else 0,
            "report": {"phase": "crawling", "report": STATUS, "tail": TAIL} if held else {},
        }
        return _put(self.connection, job, **(usual | values))

    def holds(self, number: int, configured: tuple[int, int], **result: Any) -> None:
        """The job has this configuration, with this result."""
        values = {"job": number, "domain": configured[0], "configuration": configured[1], "estimate": 5000}
        self.connection.execute(job_configuration.insert().values(**values, **result))

    def order(self, number: int, seeds: list[tuple[str, str]]) -> None:
        prefix = {"prefix": f"BNF-{number}-{self.harvest}"}
        facts = {"name": f"job-{number}", "recording": {"values": prefix}, "robots": "obey"}
        facts["fetching"] = {"proxy": "http://user:secret@proxy.example:3128"}
        budgets = {domain: [None, 1000] for _, domain in seeds}
        parts = [{"order": facts}, {"seeds": seeds, "budgets": budgets, "traps": {}}]
        for place, part in enumerate(parts):
            row = {"job": number, "part": place, "document": packed(part)}
            self.connection.execute(job_order.insert().values(**row))

    def file(self, number: int, name: str, refusal: str = "") -> None:
        values = {"kind": "data", "size": 10, "sha256": "0" * 64, "state": "stored", "received": 10}
        where = {"job": number, "attempt": 1, "collector": self.collector, "name": name}
        _put(self.connection, arrival, **where, **values, begun_at=NOON, stored_at=NOON, refusal=refusal)

    def samples(self, number: int, count: int) -> None:
        for minute in range(count):
            at = NOON + timedelta(minutes=minute)
            rates = {"objects_per_second": 2 + minute % 5, "bytes_per_second": 1000 * (minute % 7)}
            row = {"job": number, "at": at, "queued": 10 * minute, "objects": minute, "bytes": minute}
            self.connection.execute(job_sample.insert().values(**row, **rates))

    def attempt(self, number: int, **values: Any) -> None:
        usual = {"job": number, "attempt": 1, "collector": self.collector, "leased_at": NOON}
        self.connection.execute(job_attempt.insert().values(**(usual | values)))

    def by_catch(self, number: int, name: str) -> None:
        self.connection.execute(job_by_catch.insert().values(job=number, domain=name, objects=7, bytes=70))


def world_in(connection: Connection, name: str = "Sites of the day") -> World:
    """A harvest with one run, on a channel that a collector serves."""
    marked = name.lower().replace(" ", "-")
    number = _put(connection, channel, name=marked, priority=10)
    machine = _put(
        connection,
        collector,
        name=f"at-{marked}",
        channels=[marked],
        slots=2,
        signing_key={},
        sealing_key={},
        enrolled_at=NOON,
    )
    of = _put(connection, profile, name=f"profile {name}", version=2)
    first = {"profile": of, "version": 1, "document": {"scope": {"max_hops": 5}}, "created_at": NOON}
    version = _put(connection, profile_version, **first)
    _put(connection, profile_version, **(first | {"version": 2, "document": {"scope": {"max_hops": 9}}}))
    made = _put(connection, harvest, name=name, kind="selective", created_at=NOON)
    run = {"harvest": made, "number": 1, "state": "generated", "due_at": NOON, "jobs": 1}
    return World(connection, number, machine, version, made, _put(connection, harvest_run, **run))


def _put(connection: Connection, table: sa.Table, **values: Any) -> int:
    made: int = connection.execute(table.insert().values(**values).returning(table.c.id)).scalar_one()
    return made


def state_of(database: Database, number: int) -> str:
    with database.transaction() as connection:
        return str(connection.scalar(sa.select(job.c.state).where(job.c.id == number)))
