"""The server: `armarium up` without collectors of its own, what people define there, and what it holds."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil
import psycopg
from psycopg.rows import dict_row

from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.planning.harvests.model import Definition
from armarium.planning.model import HarvestKind
from armarium.planning.profiles.service import Profiles
from armarium.planning.schedules.service import Schedules
from armarium.server.assembly import SECTIONS, House
from armarium.settings import load
from armarium.storage.backends.place import hashed_path
from tests.acceptance.house.conftest import LivingHouse, free_port
from tests.acceptance.planning.small_web import SmallWeb

LEASE = 6  # seconds
PATIENCE = 60.0
START = 600.0  # seconds: the first one makes a database, and the machine may be busy
PROFILE = "small"
READY = "Armarium is ready"
IMPATIENT = {
    "ARMARIUM_LOGS_FORMAT": "json",
    "ARMARIUM_SERVER_COLLECTORS": "0",
    "ARMARIUM_SERVER_WORKERS": "1",
    "ARMARIUM_TASKS_HEARTBEAT_SECONDS": "0.5",
    "ARMARIUM_TASKS_STALLED_AFTER_SECONDS": "5",
    "ARMARIUM_PROCESSES_HEARTBEAT_SECONDS": "0.5",
    "ARMARIUM_PLANNING_LEASE_SECONDS": str(LEASE),
    "ARMARIUM_PLANNING_MAX_CONFIGURATIONS": "2",
    "ARMARIUM_PLANNING_MAX_ATTEMPTS": "100",  # here misfortune is the rule
}
NOBODY_READS = {"ARMARIUM_SERVER_ACCESS": "false"}


@dataclass
class Archive:
    house: LivingHouse
    port: int
    database_url: str = ""

    def begin(self) -> None:
        """Start for the first time."""
        self.house.up()
        self.house.wait(lambda: READY in self.house.output, START)
        with running(self.house.home) as url:  # only to learn it: the processes keep the server running
            self.database_url = url

    def restart(self) -> None:
        """Everything ends in order, and starts again."""
        up = self.house.started[-1]
        up.terminate()
        up.wait(PATIENCE)
        self.house.up()

    def kill(self, name: str) -> None:
        """All processes of that name, or the database server."""
        self.house.kill(*self.living(name))

    def living(self, name: str) -> list[psutil.Process]:
        return [process for known, process in self.house.processes().items() if known.startswith(name)]

    def answers(self) -> bool:
        try:
            return httpx.get(f"http://127.0.0.1:{self.port}/sign-in", timeout=5).status_code == 200
        except httpx.HTTPError:
            return False

    # What people do

    @contextmanager
    def visit(self) -> Iterator[House]:
        settings = load(SECTIONS, home=self.house.home, environ=dict(self.house.environment))
        database = Database(self.database_url, application="test")
        try:
            yield House(settings, database)
        finally:
            database.close()

    def furnish(self, web: SmallWeb, domains: Iterable[str]) -> None:
        """A profile without patience, and the domains."""
        with self.visit() as house:
            Profiles(house.database).create(SYSTEM, PROFILE, document=profile_for(web))
            for domain in domains:
                house.domains.create(SYSTEM, domain, seeds=web.seed(domain))
        self.ask(
            "UPDATE configuration SET profile = (SELECT id FROM profile WHERE name = %s) RETURNING id",
            PROFILE,
        )

    def enrolment(self) -> str:
        with self.visit() as house:
            return house.collectors.new_code(SYSTEM).code

    def begin_broad(self) -> int:
        with self.visit() as house:
            harvest = house.harvests.create(SYSTEM, Definition("broad", kind=HarvestKind.BROAD))
            house.harvests.activate(SYSTEM, harvest.id)
            return harvest.id

    def begin_selective(self, name: str, domains: Sequence[str]) -> int:
        configurations = [
            row["id"]
            for row in self.ask(
                "SELECT c.id FROM configuration c JOIN domain d ON d.id = c.domain WHERE d.name = ANY(%s)",
                list(domains),
            )
        ]
        with self.visit() as house:
            once = Schedules(house.database).named("once")
            assert once is not None
            harvest = house.harvests.create(SYSTEM, Definition(name, schedule=once.id))
            house.harvests.add_configurations(SYSTEM, harvest.id, configurations)
            house.harvests.activate(SYSTEM, harvest.id)
            return harvest.id

    def cancel_untouched(self, harvest: int) -> None:
        """Take back the jobs that nobody has had yet."""
        waiting = self.ask("SELECT id FROM job WHERE harvest = %s AND state = 'new' AND attempt = 0", harvest)
        with self.visit() as house:
            house.jobs.cancel(SYSTEM, [row["id"] for row in waiting])

    # What there is

    def ask(self, query: str, *values: object) -> list[dict[str, Any]]:
        """Rows of the database, as soon as it can be asked."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                with psycopg.connect(
                    self.database_url, row_factory=dict_row, connect_timeout=5
                ) as connection:
                    return connection.execute(query, values).fetchall()
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    def states(self, harvest: int | None = None) -> dict[str, int]:
        rows = self.ask(
            "SELECT state, count(*) AS number FROM job WHERE harvest = coalesce(%s, harvest) GROUP BY state",
            harvest,
        )
        return {row["state"]: row["number"] for row in rows}

    def collectors_at_work(self) -> int:
        """How many have had a job."""
        return int(self.ask("SELECT count(DISTINCT collector) AS number FROM job_attempt")[0]["number"])

    @property
    def arrivals(self) -> Path:
        return self.house.home / "arrivals"

    def copies(self, name: str) -> list[Path]:
        """A file in each of the replicas that a new archive has."""
        place = hashed_path(name)
        return [self.house.home / "replicas" / replica / "files" / place for replica in ("one", "two")]

    def is_settled(self) -> bool:
        """Whether every file that landed is stored and indexed. What is lost will never be."""
        asked = (
            "SELECT count(*) AS number FROM stored_file f LEFT JOIN index_file i ON i.file = f.id"
            " WHERE f.state <> 'lost' AND (f.state <> 'stored' OR i.state IS DISTINCT FROM 'indexed')"
        )
        return bool(self.ask(asked)[0]["number"] == 0)


def profile_for(web: SmallWeb) -> dict[str, Any]:
    return {
        "scope": {"kind": "domain"},
        "politeness": {"delay_factor": 0, "min_delay": 0.05, "max_delay": 0.05},
        "retries": {"attempts": 3, "delay": 1},
        "limits": {"min_free_disk": 0, "max_seconds": 120},
        "fetching": {
            "dns_servers": [web.name_server],
            "allowed_ranges": ["127.0.0.0/8"],
            "silence_seconds": 5,
            "connect_seconds": 5,
        },
    }


@contextmanager
def archive(folder: Path, settings: Mapping[str, str] = NOBODY_READS) -> Iterator[Archive]:
    home, port = folder / "archive", free_port()
    own = {"ARMARIUM_HOME": str(home), "ARMARIUM_WEB_PORT": str(port)}
    environment = {**IMPATIENT, **settings, **own}
    house = LivingHouse(home, folder, environment, f"http://127.0.0.1:{port}")
    try:
        yield Archive(house, port)
    finally:
        house.end()
