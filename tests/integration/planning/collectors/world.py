"""A server with jobs, and collectors that ask it for work, for the tests of leases and arrivals."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.collecting import (
    DomainResult,
    EndKind,
    Enrolment,
    FileOffered,
    Heartbeat,
    Held,
    JobEnd,
    LeaseAnswer,
    LeaseRequest,
    Machine,
    Phase,
    TaskOrder,
)
from armarium.core.crawl_order import merged
from armarium.core.errors import Refused
from armarium.core.storing import SealedFile
from armarium.db.database import Database
from armarium.formats.token import CollectorKeys, open_task_token
from armarium.planning import shipped
from armarium.planning.arrivals.handover import note_stored
from armarium.planning.arrivals.service import Arrivals, Piece
from armarium.planning.collectors.model import Collector
from armarium.planning.collectors.service import Collectors
from armarium.planning.leasing.service import Leases
from armarium.planning.orders import packed
from armarium.planning.settings import PlanningSettings
from armarium.planning.tables.domains import configuration, domain, profile, profile_version
from armarium.planning.tables.harvests import harvest, harvest_run
from armarium.planning.tables.jobs import channel, job, job_attempt, job_configuration, job_order, job_sample
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load


@dataclass(frozen=True)
class Crawler:
    """A machine that has enrolled, with all that it keeps secret."""

    world: "World"
    keys: CollectorKeys
    collector: Collector
    server_key: dict[str, str]

    def ask(self, *, free: int = 1, jobs: Sequence[int] = (), held: Sequence[Held] = ()) -> LeaseAnswer:
        machine = Machine(slots=free + len(jobs), free_bytes=10**12, jobs=tuple(jobs))
        asked = LeaseRequest(machine=machine, free_slots=free, held=tuple(held))
        return self.world.leases.lease(self.collector, asked)

    def take(self, **asked: Any) -> TaskOrder:
        """The job that the server gives, which must be there."""
        answer = self.ask(**asked)
        assert answer.token, answer.reason
        return self.opened(answer.token)

    def opened(self, token: str) -> TaskOrder:
        name = self.collector.name
        return open_task_token(token, self.keys, collector=name, server_key=self.server_key, now=clock.now())

    def beat(self, task: TaskOrder, phase: Phase = Phase.CRAWLING, **facts: Any) -> Any:
        return self.world.leases.beat(
            self.collector, task.job, Heartbeat(attempt=task.attempt, phase=phase, **facts)
        )

    def end(self, task: TaskOrder, kind: EndKind = EndKind.DONE, **facts: Any) -> str:
        end = JobEnd(attempt=task.attempt, kind=kind, **facts)
        return self.world.leases.end(self.collector, task.job, end).state

    def finish(self, task: TaskOrder, *domains: DomainResult, **facts: Any) -> str:
        """Send a file, and end the job with the sums of these domains."""
        name = called(task.job, f"attempt{task.attempt}")
        self.give(task, name, b"captures")
        sums = {"objects": sum(one.objects for one in domains), "bytes": sum(one.bytes for one in domains)}
        return self.end(task, domains=domains, files=(name,), **{**sums, **facts})

    def give(self, task: TaskOrder, name: str, content: bytes) -> None:
        """Send a whole file at once."""
        arrivals, offered = self.world.arrivals, offer(task, name, content)
        arrivals.offer(self.collector, task.job, offered)
        if content:
            arrivals.receive(self.collector, task.job, piece(task, name, 0, content))


def called(job: int, word: str = "a") -> str:
    """A name for a file of this job, of the first harvest."""
    return f"{job}_1-20261115120000000-00000-{word}.warc.gz"


A, B = called(1, "a"), called(1, "b")


def offer(task: TaskOrder, name: str, content: bytes) -> FileOffered:
    digest = sha256(content).hexdigest()
    return FileOffered(attempt=task.attempt, name=name, size=len(content), sha256=digest)


def piece(task: TaskOrder, name: str, offset: int, data: bytes) -> Piece:
    return Piece(task.attempt, name, offset, data)


def result(name: str, objects: int, size: int = 0, reason: str = "complete") -> DomainResult:
    return DomainResult(domain=name, objects=objects, bytes=size, reason=reason)


@dataclass
class QuickArchive:
    """Has stored every file as soon as it is told of it, unless it shall wait or refuse."""

    taken: list[SealedFile] = field(default_factory=list)
    waits: bool = False
    refusal: str = ""

    def landed(self, connection: Connection, file: SealedFile) -> None:
        if self.refusal:
            raise Refused(self.refusal)
        self.taken.append(file)
        if not self.waits:
            note_stored(connection, file.name, file.sha256)


@dataclass
class World:
    database: Database
    home: Path
    environ: dict[str, str] = field(default_factory=dict)
    archive: QuickArchive = field(default_factory=QuickArchive)
    _harvest: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        self.home.mkdir(exist_ok=True)
        with self.database.transaction() as connection:
            shipped.ensure(connection)

    @cached_property
    def house(self) -> House:
        return House(load(SECTIONS, home=self.home, environ=self.environ), self.database)

    @property
    def settings(self) -> PlanningSettings:
        return self.house.settings[PlanningSettings]

    @cached_property
    def leases(self) -> Leases:
        return Leases(self.database, self.house.vault, self.settings, self.house.notifier)

    @cached_property
    def collectors(self) -> Collectors:
        return Collectors(self.database, self.house.vault, self.settings)

    @cached_property
    def arrivals(self) -> Arrivals:
        return Arrivals(self.database, self.home, self.settings, self.archive)

    # What there is

    def crawler(self, name: str = "c1", channels: Sequence[str] = (), *, slots: int = 10) -> Crawler:
        code = self.collectors.new_code(SYSTEM, channels).code
        keys = CollectorKeys.generate()
        asked = Enrolment(
            code=code,
            name=name,
            signing_key=keys.public_signing,
            sealing_key=keys.public_sealing,
            machine=Machine(slots=slots),
        )
        answer = self.collectors.enrol(asked, "127.0.0.1")
        return Crawler(self, keys, self.collectors.named(name), dict(answer.server_key))

    def domain(self, name: str) -> tuple[int, int]:
        """Its number, and that of its configuration."""
        with self.database.transaction() as connection:
            made = sa.insert(domain).values(name=name, created_at=clock.now()).returning(domain.c.id)
            number = connection.execute(made).scalar_one()
            facts = {
                "domain": number,
                "name": "default",
                "profile": connection.scalar(sa.select(profile.c.id)),
            }
            kept = sa.insert(configuration).values(**facts).returning(configuration.c.id)
            return number, connection.execute(kept).scalar_one()

    def job(
        self,
        *names: str,
        serves: str = "selective",
        limited_by: str = "--",
        order: dict[str, Any] | None = None,
        **facts: Any,
    ) -> int:
        """A job that waits for a collector, with these domains."""
        owner, run = self._run()
        with self.database.transaction() as connection:
            values = {
                "harvest": owner,
                "run": run,
                "state": "new",
                "channel": connection.scalar(sa.select(channel.c.id).where(channel.c.name == serves)),
                "profile_version": connection.scalar(sa.select(profile_version.c.id)),
                "created_at": clock.now(),
                **facts,
            }
            number = connection.execute(sa.insert(job).values(**values).returning(job.c.id)).scalar_one()
            seeds = [[f"http://{name}/", name] for name in names]
            named = {"name": f"job-{number}", "recording": {"values": {"prefix": f"{number}-{owner}"}}}
            parts = [{"order": merged(named, order or {})}, {"seeds": seeds, "budgets": {}, "traps": {}}]
            for place, part in enumerate(parts):
                row = {"job": number, "part": place, "document": packed(part)}
                connection.execute(sa.insert(job_order).values(**row))
        for name in names:
            owned, kept = self.domain(name)
            row = {
                "job": number,
                "configuration": kept,
                "domain": owned,
                "estimate": 10,
                "limited_by": limited_by,
            }
            self.change(sa.insert(job_configuration).values(**row))
        return int(number)

    def _run(self) -> tuple[int, int]:
        if self._harvest is None:
            with self.database.transaction() as connection:
                facts = {"name": "harvest", "kind": "selective", "created_at": clock.now()}
                made = sa.insert(harvest).values(**facts).returning(harvest.c.id)
                number = connection.execute(made).scalar_one()
                row = {"harvest": number, "number": 1, "state": "generated", "due_at": clock.now()}
                run = connection.execute(sa.insert(harvest_run).values(**row).returning(harvest_run.c.id))
                self._harvest = number, run.scalar_one()
        return self._harvest

    # What happens

    def let_lease_end(self, number: int) -> None:
        """The collector is not heard of; time passes."""
        past = clock.now() - timedelta(seconds=1)
        self.change(sa.update(job).where(job.c.id == number).values(lease_until=past))

    def drop_jobs(self) -> None:
        """Begin anew with the same collectors."""
        for table in (job_attempt, job_sample, job_order, job_configuration, job):
            self.change(sa.delete(table))

    def database_time(self) -> datetime:
        return self.rows(sa.select(sa.func.clock_timestamp()))[0][0]  # type: ignore[no-any-return]

    def change(self, statement: "sa.Executable") -> None:
        with self.database.transaction() as connection:
            connection.execute(statement)

    # What came of it

    def row(self, number: int) -> Any:
        with self.database.transaction() as connection:
            return connection.execute(sa.select(job).where(job.c.id == number)).one()

    def rows(self, statement: "sa.Select[Any]") -> list[Any]:
        with self.database.transaction() as connection:
            return list(connection.execute(statement))

    def attempts(self, number: int) -> list[tuple[int, str]]:
        asked = sa.select(job_attempt.c.attempt, job_attempt.c.end).where(job_attempt.c.job == number)
        return [tuple(row) for row in self.rows(asked.order_by(job_attempt.c.attempt))]

    def announced_jobs(self) -> list[int]:
        return [
            row.id for row in self.rows(sa.select(job.c.id).where(job.c.state == "new").order_by(job.c.id))
        ]
