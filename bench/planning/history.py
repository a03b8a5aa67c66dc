"""Jobs and their history, measured: how fast the pages come at the size of a national library.

    python -m bench.planning.history [--jobs 450000] [--results 5000000]

A PostgreSQL of its own is made in a temporary folder and removed at the end. Ten in eleven jobs are those of
2,000 selective harvests; the others come from broad ones. Each figure is the median of ten questions, the
worst behind it; a question is what one page asks, counts included.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import sqlalchemy as sa

from armarium.db.database import Database
from armarium.db.embedded import running
from armarium.planning.history.service import History
from armarium.planning.jobs.filters import job_filter
from armarium.planning.jobs.model import JobFilter, Order
from armarium.planning.jobs.service import JobDetails, Jobs
from armarium.server.assembly import SECTIONS, House, prepare_database
from armarium.settings import load

ROUNDS = 10
PAGE = 50
HARVESTS = 2000
DOMAINS = 250_000

#: One statement after the other; each job has the results that its number says.
WORLD = (
    """INSERT INTO profile (name, version) VALUES ('measured', 1)""",
    """INSERT INTO profile_version (profile, version, document, created_at)
       SELECT id, 1, '{}', now() FROM profile WHERE name = 'measured'""",
    """INSERT INTO channel (name, priority) SELECT 'channel-' || n, n FROM generate_series(1, 5) n""",
    """INSERT INTO collector (name, channels, slots, signing_key, sealing_key, enrolled_at)
       SELECT 'collector-' || n, ARRAY['channel-' || (1 + n % 5)], 2, '{}', '{}', now()
       FROM generate_series(1, 174) n""",
    """INSERT INTO domain (name, created_at)
       SELECT 'domain-' || n || '.example', now() FROM generate_series(1, :domains) n""",
    """INSERT INTO configuration (domain, name, profile)
       SELECT id, 'default', (SELECT id FROM profile WHERE name = 'measured') FROM domain""",
    """INSERT INTO harvest (name, kind, created_at)
       SELECT 'Harvest ' || n, CASE WHEN n % 11 = 0 THEN 'broad' ELSE 'selective' END, now()
       FROM generate_series(1, :harvests) n""",
    """INSERT INTO harvest_run (harvest, number, state, due_at, jobs)
       SELECT h.id, n, 'generated', now() - n * interval '7 days', 10
       FROM harvest h, generate_series(1, 25) n""",
    """INSERT INTO job (harvest, run, state, channel, profile_version, attempt, collector, created_at,
                        started_at, ended_at, configurations, estimate, objects, bytes, files, report)
       SELECT r.harvest, r.id,
              CASE WHEN n > :jobs - 300 THEN 'new' WHEN n > :jobs - 470 THEN 'started'
                   WHEN n % 40 = 0 THEN 'failed' WHEN n % 90 = 1 THEN 'resubmitted'
                   WHEN n % 400 = 2 THEN 'rejected' ELSE 'done' END,
              c.first + n % 5, (SELECT max(id) FROM profile_version), 1, m.first + n % 174,
              now() - (:jobs - n) * interval '10 minutes', now() - (:jobs - n) * interval '9 minutes',
              CASE WHEN n <= :jobs - 470 THEN now() - (:jobs - n) * interval '8 minutes' END,
              11, 5000 + n % 9000, n * 7919 % 100000, n * 7919 % 100000 * 38000, n % 30,
              jsonb_build_object('phase', 'crawling', 'report',
                                 jsonb_build_object('queued', n, 'note', repeat('x', 600)))
       FROM generate_series(CAST(1 AS bigint), :jobs) n
       JOIN harvest_run r ON r.id = (SELECT min(id) FROM harvest_run) + n * 13 % (:harvests * 25),
            (SELECT min(id) AS first FROM channel WHERE name LIKE 'channel-%') c,
            (SELECT min(id) AS first FROM collector) m""",
    """INSERT INTO job_configuration (job, configuration, domain, estimate, objects, bytes, stop_reason)
       SELECT 1 + n % :jobs, d, d, 5000, n % 9000, n % 9000 * 38000,
              (ARRAY['complete', 'complete', 'size-limit', 'unfinished'])[1 + n % 4]
       FROM (SELECT n, 1 + (n / :jobs * 22721 + n * 7919) % :domains AS d
             FROM generate_series(CAST(1 AS bigint), :results) n) made ON CONFLICT DO NOTHING""",
    """INSERT INTO job_configuration (job, configuration, domain, estimate, objects, bytes, stop_reason)
       SELECT :jobs / 2, n, n, 5000, n % 900, n % 900 * 38000, 'complete' FROM generate_series(1, 10000) n
       ON CONFLICT DO NOTHING""",
    """INSERT INTO arrival (job, attempt, collector, name, kind, size, sha256, received, state, begun_at)
       SELECT id, 1, collector, id || '-' || harvest || '-20260501120000000-00000-host.warc.gz', 'data',
              1, '', 1, 'stored', now() FROM job WHERE id % 3 = 0""",
    "ANALYZE",
)


def make_world(database: Database, jobs: int, results: int) -> None:
    sizes = {"jobs": jobs, "results": results, "domains": DOMAINS, "harvests": HARVESTS}
    for statement in WORLD:
        clause = sa.text(statement)
        with database.transaction() as connection:
            connection.execute(clause, {name: sizes[name] for name in clause.compile().params})


def lists(jobs: Jobs, count: int) -> dict[str, Callable[[], object]]:
    """What the list of jobs is asked for: the stretch, how many there are, and how many in each state."""

    def page(wanted: JobFilter, mark: str = "") -> Callable[[], object]:
        return lambda: (jobs.page(wanted, mark=mark, limit=PAGE), jobs.count(wanted), jobs.counts())

    return {
        "all": page(JobFilter()),
        "all, in the middle": page(JobFilter(), str(count // 2)),
        "all, the last": page(JobFilter(), str(PAGE)),
        "oldest first": page(JobFilter(order=Order.OLDEST)),
        "ended last": page(JobFilter(order=Order.ENDED)),
        "most bytes": page(JobFilter(order=Order.BYTES)),
        "failed": page(job_filter(state="failed")),
        "failed, most objects": page(job_filter(state="failed", order="objects")),
        "waiting": page(job_filter(state="waiting")),
        "rejected, in the middle": page(job_filter(state="rejected"), str(count // 2)),
        "harvest by name": page(job_filter(harvest="Harvest 77")),
        "harvest by name, failed": page(job_filter(harvest="Harvest 777", state="failed")),
        "channel": page(job_filter(channel="channel-3")),
        "collector": page(job_filter(collector="collector-50")),
        "collector, failed, ended last": page(
            job_filter(collector="collector-50", state="failed", order="ended")
        ),
        "domain": page(job_filter(domain="domain-4242.example")),
        "one day": page(job_filter(since="2026-01-01", until="2026-01-01")),
        "half of all days": page(job_filter(since="2020-01-01", until="2022-01-01")),
        "stretch of numbers": page(job_filter(jobs="1000-2000, 300000-300100")),
        "box: number": page(job_filter(q=str(count // 3))),
        "box: harvest": page(job_filter(q="vest 13")),
        "box: domain": page(job_filter(q="domain-999.example")),
        "box: file": page(job_filter(q="300000-5-20260501120000000-00000-host.warc.gz")),
        "box: nothing": page(job_filter(q="there is no such thing")),
    }


def others(database: Database, jobs: Jobs, count: int) -> dict[str, Callable[[], object]]:
    history, details = History(database), JobDetails(database)
    row = jobs.get(count // 2).job
    waiting = jobs.get(count).job
    return {
        "running jobs": jobs.running,
        "running jobs of a domain": lambda: jobs.running("domain-4242.example"),
        "job": lambda: (jobs.get(row.id), details.around(row)),
        "job: why it waits": lambda: jobs.why_waiting(waiting),
        "job: 10,000 domains, last page": lambda: details.configurations(row.id, limit=PAGE, offset=9950),
        "history of a domain": lambda: history.of_domain(4242, limit=PAGE),
        "history of a configuration": lambda: history.of_configuration(4242, limit=PAGE),
        "history of a harvest": lambda: history.of_harvest(row.harvest, limit=PAGE),
        "history of a run": lambda: history.reasons(history.run(row.run)),
    }


def measure(questions: dict[str, Callable[[], object]]) -> None:
    for label, ask in questions.items():
        times = []
        for _ in range(ROUNDS):
            begun = time.perf_counter()
            ask()
            times.append(1000 * (time.perf_counter() - begun))
        print(f"{label:34} {statistics.median(times):8.1f} ms   worst {max(times):8.1f} ms", flush=True)  # noqa: T201


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=450_000)
    parser.add_argument("--results", type=int, default=5_000_000)
    sizes = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as url:
        database = Database(url, application="bench")
        prepare_database(database)
        begun = time.perf_counter()
        make_world(database, sizes.jobs, sizes.results)
        print(f"{sizes.jobs:,} jobs, {sizes.results:,} results, made in {time.perf_counter() - begun:.0f} s")  # noqa: T201
        house = House(load(SECTIONS, home=Path(folder), environ={}), database)
        jobs = house.jobs
        measure(lists(jobs, sizes.jobs))
        measure(others(database, jobs, sizes.jobs))
        database.close()


if __name__ == "__main__":
    main()
