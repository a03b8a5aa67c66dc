"""What generation reads and writes."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, LiteralString

import psycopg
import sqlalchemy as sa
from sqlalchemy import Connection, Row
from sqlalchemy.dialects.postgresql import insert

from armarium.core import clock
from armarium.core.collecting import BUDGET_SPENT
from armarium.planning.generation.candidates import Row as CandidateRow
from armarium.planning.harvests.model import RunState
from armarium.planning.model import JobState, moved
from armarium.planning.tables.domains import domain, profile, profile_version, trap_list
from armarium.planning.tables.harvests import harvest, harvest_configuration, harvest_plan, harvest_run
from armarium.planning.tables.jobs import job, job_order

FACTS: LiteralString = """
    SELECT d.id, d.name, d.active, d.broad,
           d.alias_of IS NOT NULL AND coalesce(d.alias_since, d.created_at) > %(alias_since)s,
           nullif(d.traps, '{}'), c.id, c.active, c.profile, c.overrides::text, c.max_objects, c.max_bytes,
           c.best_objects, c.best_bytes, c.best_complete,
           (SELECT string_agg(s.seeds, E'\\n' ORDER BY s.id) FROM seed_list s WHERE s.id = ANY (c.seed_lists))
"""
#: Every domain with its default configuration, the inactive ones too: they are counted.
BROAD: LiteralString = (
    FACTS
    + """
    FROM domain d LEFT JOIN configuration c ON c.id = d.default_configuration
    WHERE d.id > %(domain)s ORDER BY d.id LIMIT %(most)s
"""
)
#: And with the last result that the jobs of the previous harvest have for it. A configuration that is no
#: longer active stands for one that is no longer there: the default one takes its place.
CONTINUATION: LiteralString = (
    FACTS  # noqa: S608  (nothing but literals)
    + """ , p.job, p.stop_reason, p.objects, p.bytes
    FROM domain d
    LEFT JOIN LATERAL (
        SELECT r.job, r.configuration, r.stop_reason, r.objects, r.bytes
        FROM job_configuration r JOIN job j ON j.id = r.job
        WHERE r.domain = d.id AND j.harvest = %(previous)s
          AND r.job BETWEEN %(first_job)s AND %(last_job)s
        ORDER BY r.stop_reason IS NULL, r.job DESC LIMIT 1
    ) p ON true
    LEFT JOIN configuration before ON before.id = p.configuration AND before.active
    LEFT JOIN configuration c ON c.id = coalesce(before.id, d.default_configuration)
    WHERE d.id > %(domain)s ORDER BY d.id LIMIT %(most)s
"""
)
SELECTIVE: LiteralString = (
    FACTS
    + """
    FROM harvest_configuration h
    JOIN configuration c ON c.id = h.configuration JOIN domain d ON d.id = c.domain
    WHERE h.harvest = %(harvest)s AND (d.id, c.id) > (%(domain)s, %(configuration)s)
    ORDER BY d.id, c.id LIMIT %(most)s
"""
)
OF_JOB: LiteralString = (
    FACTS
    + """
    FROM job_configuration h
    JOIN configuration c ON c.id = h.configuration JOIN domain d ON d.id = c.domain
    WHERE h.job = %(job)s ORDER BY d.id, c.id
"""
)
COPIED: LiteralString = """
    COPY job_configuration (job, configuration, domain, estimate, max_objects, max_bytes, limited_by)
    FROM STDIN
"""
NONE = r"\N"


def driver(connection: Connection) -> "psycopg.Connection[Any]":
    """The connection itself: by the million, what stands between it and us costs more than its answers."""
    found = connection.connection.driver_connection
    assert isinstance(found, psycopg.Connection)
    return found


# Reading


def rows(connection: Connection, query: LiteralString, values: Mapping[str, object]) -> list[CandidateRow]:
    make = CandidateRow._make
    with driver(connection).cursor() as cursor:
        cursor.execute(query, values)
        return [make(row if len(row) > 16 else (*row, None, None, None, None)) for row in cursor.fetchall()]


def alias_since(days: int) -> dict[str, object]:
    """Aliases confirmed before this moment have expired."""
    return {"alias_since": clock.now() - timedelta(days=days)}


def harvest_of(connection: Connection, number: int) -> "Row[Any] | None":
    return connection.execute(sa.select(harvest).where(harvest.c.id == number)).first()


def held_run(connection: Connection, number: int) -> "Row[Any] | None":
    """The run, for us alone until the transaction ends."""
    return connection.execute(
        sa.select(harvest_run).where(harvest_run.c.id == number).with_for_update()
    ).first()


def last_run(connection: Connection, harvest_number: int, *states: str) -> "Row[Any] | None":
    chosen = sa.select(harvest_run).where(harvest_run.c.harvest == harvest_number)
    if states:
        chosen = chosen.where(harvest_run.c.state.in_(states))
    return connection.execute(chosen.order_by(harvest_run.c.number.desc()).limit(1)).first()


def job_span(connection: Connection, harvest_number: int) -> tuple[int, int]:
    """The lowest and the highest number of a harvest's jobs; (0, 0): it has none."""
    found = connection.execute(
        sa.select(sa.func.min(job.c.id), sa.func.max(job.c.id)).where(job.c.harvest == harvest_number)
    ).one()
    return found[0] or 0, found[1] or 0


def how_many(connection: Connection, harvest_number: int, *, broad: bool, most: int | None = None) -> int:
    """Domains or configurations that a generation will look at; beyond `most` nobody counts."""
    members = sa.select(harvest_configuration.c.configuration).where(
        harvest_configuration.c.harvest == harvest_number
    )
    chosen = sa.select(domain.c.id) if broad else members
    return int(connection.scalar(sa.select(sa.func.count()).select_from(chosen.limit(most).subquery())) or 0)


def active_traps(connection: Connection) -> list[str]:
    """Of the lists for all domains."""
    found = connection.execute(
        sa.select(trap_list.c.expressions).where(trap_list.c.active).order_by(trap_list.c.id)
    )
    return [expression for row in found for expression in row[0]]


def runs_being_made(connection: Connection, before: datetime) -> list[int]:
    """Runs that began before this moment and whose jobs are not all made yet."""
    wanted = (harvest_run.c.state == RunState.GENERATING.value, harvest_run.c.begun_at < before)
    return list(connection.scalars(sa.select(harvest_run.c.id).where(*wanted).order_by(harvest_run.c.id)))


def newest_version(connection: Connection, profile_number: int) -> Any:
    """Of a profile: name, version (its number in the table) and document."""
    return connection.execute(
        sa.select(profile.c.name, profile_version.c.id.label("version"), profile_version.c.document)
        .join(profile_version, profile_version.c.profile == profile.c.id)
        .where(profile.c.id == profile_number, profile_version.c.version == profile.c.version)
    ).first()


def job_of(connection: Connection, number: int) -> "Row[Any] | None":
    return connection.execute(sa.select(job).where(job.c.id == number)).first()


def figures_of_run(connection: Connection, run: int) -> "Row[Any]":
    """Jobs of a run that were not made again by another: how many, their domains, their estimates."""
    return connection.execute(
        sa.select(
            sa.func.count().label("jobs"),
            sa.func.coalesce(sa.func.sum(job.c.configurations), 0).label("configurations"),
            sa.func.coalesce(sa.func.sum(job.c.estimate), 0).label("objects"),
        ).where(job.c.run == run, job.c.resubmission_of.is_(None))
    ).one()


def past_runs(connection: Connection, harvest_id: int, most: int = 5) -> list[tuple[int, int, int]]:
    """(number, objects expected, objects brought) of the last runs with jobs that are done, latest first."""
    expected, brought = sa.func.sum(job.c.estimate), sa.func.sum(job.c.objects)
    asked = (
        sa.select(harvest_run.c.number, expected, brought)
        .join(job, job.c.run == harvest_run.c.id)
        .where(harvest_run.c.harvest == harvest_id, job.c.state == JobState.DONE)
        .where(job.c.outcome != BUDGET_SPENT)  # it would have brought more
        .group_by(harvest_run.c.id)
        .having(expected > 0)
        .order_by(harvest_run.c.id.desc())
        .limit(most)
    )
    return [(number, int(one), int(other)) for number, one, other in connection.execute(asked)]


def measured_pace(connection: Connection, jobs: int = 200) -> float | None:
    """Objects a second of the jobs that ended last; None: none has."""
    last = (
        sa.select(job.c.objects, job.c.started_at, job.c.ended_at)
        .where(job.c.state == JobState.DONE, job.c.objects > 0, job.c.ended_at > job.c.started_at)
        .order_by(job.c.id.desc())
        .limit(jobs)
        .subquery()
    )
    seconds = sa.func.sum(sa.extract("epoch", last.c.ended_at - last.c.started_at))
    found = connection.scalar(sa.select(sa.func.sum(last.c.objects) / seconds))
    return None if found is None else float(found)


# Writing


def next_job(connection: Connection) -> int:
    return int(connection.scalar(sa.text("SELECT nextval(pg_get_serial_sequence('job', 'id'))")) or 0)


def put_jobs(
    connection: Connection, made: Sequence[Mapping[str, Any]], grown: Sequence[Mapping[str, Any]]
) -> None:
    if made:
        connection.execute(sa.insert(job), list(made))
    if grown:
        names = ("configurations", "estimate", "smallest", "largest", "split")
        changed = sa.update(job).where(job.c.id == sa.bindparam("number"))
        connection.execute(
            changed.values({name: sa.bindparam(f"new_{name}") for name in names}),
            [{"number": one["id"], **{f"new_{name}": one[name] for name in names}} for one in grown],
        )


def put_parts(connection: Connection, parts: Sequence[tuple[int, int, bytes]]) -> None:
    if parts:
        connection.execute(
            sa.insert(job_order),
            [{"job": number, "part": part, "document": document} for number, part, document in parts],
        )


def copy_configurations(connection: Connection, lines: Iterable[str]) -> None:
    with driver(connection).cursor() as cursor, cursor.copy(COPIED) as copy:
        copy.write("".join(lines))


def save_run(connection: Connection, number: int, **values: object) -> None:
    connection.execute(sa.update(harvest_run).where(harvest_run.c.id == number).values(**values))


def release_jobs(connection: Connection, run: int, state: JobState) -> int:
    """Jobs that were planned come into this state; how many."""
    planned = sa.and_(job.c.run == run, job.c.state == JobState.PLANNED)
    changed = sa.update(job).where(planned).values(state=moved(JobState.PLANNED, state))
    return connection.execute(changed).rowcount


def deactivate_harvest(connection: Connection, number: int, trouble: str) -> None:
    connection.execute(
        sa.update(harvest)
        .where(harvest.c.id == number)
        .values(active=False, trouble=trouble, edition=harvest.c.edition + 1)
    )


# Plans made in the background -----------------------------------------------------------------------


def plan_of(connection: Connection, harvest: int) -> "Row[Any] | None":
    return connection.execute(sa.select(harvest_plan).where(harvest_plan.c.harvest == harvest)).first()


def begin_plan(connection: Connection, harvest: int, state: str, of: int) -> None:
    """The document of the last plan stays until the new one is made."""
    values = {"state": state, "asked_at": clock.now(), "done": 0, "of": of, "error": ""}
    connection.execute(
        insert(harvest_plan)
        .values(harvest=harvest, **values)
        .on_conflict_do_update(index_elements=["harvest"], set_=values)
    )


def save_plan(connection: Connection, harvest: int, **values: object) -> None:
    connection.execute(sa.update(harvest_plan).where(harvest_plan.c.harvest == harvest).values(**values))
