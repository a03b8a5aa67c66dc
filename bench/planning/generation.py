"""Jobs for a broad harvest over millions of domains: time, memory, and what PostgreSQL takes.

    python -m bench.planning.generation --domains 3000000

It starts a PostgreSQL of its own in a temporary folder, makes the domains by SQL, and generates the jobs in
this process, as a worker would. Sizes are as on the web: half of the domains have a few pages, one in ten
thousand has a million objects; four in five were harvested before.
"""

import argparse
import resource
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.planning import shipped
from armarium.planning.generation.service import Generator
from armarium.planning.settings import PlanningSettings
from armarium.server.assembly import prepare_database

#: One statement after the other. `size`: objects, with a long tail, always the same for a domain.
WORLD = (
    """
    CREATE TEMPORARY TABLE made AS
    SELECT number, 1 + floor(3 * power(1 / (1 - least(chance, 0.9999999)), 0.9))::bigint AS size, chance
    FROM (SELECT number, (number * 2654435761 % 4294967291) / 4294967291.0 AS chance
          FROM generate_series(1, :domains) AS number) AS drawn
    """,
    """
    INSERT INTO domain (id, name, active, traps, default_configuration, alias_of, alias_since, created_at)
    SELECT number, 'domain-' || number || '.example', number % 97 <> 0,
           CASE WHEN number % 50 = 0 THEN ARRAY['/calendar/.*'] ELSE '{}'::text[] END, number,
           CASE WHEN number % 61 = 2 THEN 1 END, CASE WHEN number % 61 = 2 THEN now() END, now()
    FROM made ORDER BY number
    """,
    """
    INSERT INTO seed_list (id, domain, name, seeds)
    SELECT number, number, 'default', CASE WHEN number % 211 = 0 THEN '# none' ELSE
           'http://domain-' || number || '.example/' || E'\\nhttp://www.domain-' || number || '.example/' END
    FROM made ORDER BY number
    """,
    """
    INSERT INTO configuration (id, domain, name, profile, seed_lists, max_objects, max_bytes, overrides,
                               best_objects, best_bytes, best_complete)
    SELECT number, number, 'default', CASE WHEN number % 20 = 0 THEN :other ELSE :profile END, ARRAY[number],
           CASE WHEN number % 40 = 0 THEN 20000 END,
           CASE WHEN number % 10 = 0 THEN 100000000 ELSE 1000000000 END,
           CASE WHEN number % 500 = 0 THEN '{"scope": {"max_hops": 5}}' ELSE '{}' END::jsonb,
           CASE WHEN number % 5 <> 0 THEN size END,
           CASE WHEN number % 5 <> 0 THEN size * (8000 + number % 90000) END, number % 7 <> 0
    FROM made ORDER BY number
    """,
    "INSERT INTO trap_list (name, expressions) VALUES ('shops', ARRAY['[?&]sid=', '/cart/'])",
)
#: References and search indexes, to be put back: kept row by row, they would take most of the time.
BONDS = """
    SELECT format('ALTER TABLE %I DROP CONSTRAINT %I', relname, conname),
           format('ALTER TABLE %I ADD CONSTRAINT %I %s', relname, conname, pg_get_constraintdef(c.oid))
    FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid
    WHERE contype = 'f' AND relname IN ('domain', 'seed_list', 'configuration')
    UNION ALL
    SELECT format('DROP INDEX %I', indexname), indexdef
    FROM pg_indexes WHERE tablename = 'domain' AND indexdef LIKE '% USING gin %'
"""
ONE_HARVEST = """
    INSERT INTO harvest (name, kind, active, missed, max_bytes, traps, created_at)
    VALUES ('broad', 'broad', true, 'skip', 500000000, ARRAY['/print/'], now()) RETURNING id
"""
ONE_RUN = """
    INSERT INTO harvest_run (harvest, number, state, due_at) VALUES (:harvest, :number, 'generating', now())
    RETURNING id
"""


@dataclass
class Figures:
    wall: float = 0.0
    cpu: float = 0.0  # seconds, of this process
    server_cpu: float = 0.0  # of PostgreSQL
    server_memory: int = 0  # bytes that its processes have for themselves, at most


def make_world(connection: Connection, domains: int) -> int:
    """Domains with seeds, configurations and histories; the number of a broad harvest over them."""
    shipped.ensure(connection)
    number = sa.text("SELECT id FROM profile WHERE name = :name")
    profile, other = (connection.scalar(number, {"name": name}) for name in ("broad", "domain"))
    wanted = {"domains": domains, "profile": profile, "other": other}
    bonds = connection.execute(sa.text(BONDS)).all()
    loosened = [sa.text(loosen) for loosen, _ in bonds]
    for clause in [*loosened, *map(sa.text, WORLD), *(sa.text(fasten) for _, fasten in bonds)]:
        connection.execute(clause, {name: wanted[name] for name in clause.compile().params})
    harvest = connection.scalar(sa.text(ONE_HARVEST))
    assert isinstance(harvest, int)
    return harvest


def make_run(connection: Connection, harvest: int, number: int = 1) -> int:
    run = connection.scalar(sa.text(ONE_RUN), {"harvest": harvest, "number": number})
    assert isinstance(run, int)
    return run


def server_processes(folder: Path) -> list[psutil.Process]:
    """PostgreSQL with its children."""
    first = int((folder / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    postmaster = psutil.Process(first)
    return [postmaster, *postmaster.children()]


def server_memory(folder: Path) -> int:
    """Without the buffers that all its processes share."""
    found = 0
    for process in server_processes(folder):
        try:
            memory = process.memory_info()
        except psutil.NoSuchProcess:
            continue
        found += memory.rss - memory.shared
    return found


def server_seconds(folder: Path) -> float:
    seconds = 0.0
    for process in server_processes(folder):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        seconds += times.user + times.system
    return seconds


@contextmanager
def measured(folder: Path) -> Iterator[Figures]:
    figures, ended = Figures(), threading.Event()

    def watch() -> None:
        while not ended.wait(1.0):
            figures.server_memory = max(figures.server_memory, server_memory(folder))

    watcher = threading.Thread(target=watch)
    wall, cpu, server_cpu = time.monotonic(), time.process_time(), server_seconds(folder)
    watcher.start()
    try:
        yield figures
    finally:
        figures.wall, figures.cpu = time.monotonic() - wall, time.process_time() - cpu
        figures.server_cpu = server_seconds(folder) - server_cpu
        ended.set()
        watcher.join()


def say(what: str, figure: object) -> None:
    print(f"{what:44}{figure}", flush=True)  # noqa: T201


def report(what: str, figures: Figures) -> None:
    say(f"{what}: wall", f"{figures.wall:8.1f} s")
    say(f"{what}: CPU of this process", f"{figures.cpu:8.1f} s")
    say(f"{what}: CPU of PostgreSQL", f"{figures.server_cpu:8.1f} s")
    say(f"{what}: memory of PostgreSQL's own", f"{figures.server_memory // 2**20:6} MB")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    say(f"{what}: most memory of this process", f"{peak:6} MB")


def counted(connection: Connection, run: int) -> dict[str, Any]:
    one = sa.text(
        "SELECT state, jobs, configurations, left_out,"
        " (SELECT count(*) FROM job_configuration c JOIN job j ON j.id = c.job WHERE j.run = r.id) AS rows,"
        " (SELECT sum(length(document)) / 1000000 FROM job_order o JOIN job j ON j.id = o.job"
        "  WHERE j.run = r.id) AS orders_mb FROM harvest_run r WHERE id = :run"
    )
    return dict(connection.execute(one, {"run": run}).one()._mapping)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--domains", type=int, default=3_000_000)
    parser.add_argument("--preview", action="store_true", help="measure the preview, too")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, running(Path(name)) as url:
        database = Database(url, application="bench")
        prepare_database(database)
        began = time.monotonic()
        with database.transaction() as connection:
            connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
            harvest = make_world(connection, asked.domains)
            run = make_run(connection, harvest)
        with database.transaction() as connection:
            connection.execute(sa.text("ANALYZE"))
        say(f"{asked.domains} domains made", f"{time.monotonic() - began:8.1f} s")
        generator = Generator(database, PlanningSettings())
        if asked.preview:
            with measured(Path(name)) as figures:
                plan = generator.preview(harvest)
            report("preview", figures)
            say("preview: jobs", plan.job_count)
        with measured(Path(name)) as figures:
            generator.generate(run)
        report("generation", figures)
        with database.transaction() as connection:
            for what, figure in counted(connection, run).items():
                say(f"generation: {what}", figure)
        database.close()


if __name__ == "__main__":
    main()
