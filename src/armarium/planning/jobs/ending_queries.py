"""SQL of the history that an ended job leaves. A broad job has ten thousand domains: all at once."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB, insert

from armarium.core import clock
from armarium.core.collecting import DomainResult
from armarium.planning.model import StopReason
from armarium.planning.tables.domains import configuration, domain
from armarium.planning.tables.jobs import job_by_catch, job_configuration


@dataclass(frozen=True)
class Expected:
    """A configuration of a job."""

    configuration: int
    name: str  # of the domain
    limited_by: str


@dataclass(frozen=True)
class Result:
    configuration: int
    objects: int
    bytes: int
    stop_reason: StopReason
    seeds: Sequence[Mapping[str, object]] = ()  # with which something is wrong


_NUMBERS = sa.ARRAY(sa.BigInteger)


def _results(results: Sequence[Result]) -> "sa.TableValuedAlias":
    """The results as a table."""
    columns = (
        sa.literal([result.configuration for result in results], _NUMBERS),
        sa.literal([result.objects for result in results], _NUMBERS),
        sa.literal([result.bytes for result in results], _NUMBERS),
        sa.literal([result.stop_reason.value for result in results], sa.ARRAY(sa.Text)),
        sa.literal([json.dumps(list(result.seeds)) for result in results], sa.ARRAY(sa.Text)),
    )
    names = (
        sa.column("configuration", sa.BigInteger),
        sa.column("objects", sa.BigInteger),
        sa.column("bytes", sa.BigInteger),
        sa.column("stop_reason", sa.Text),
        sa.column("seeds", sa.Text),
    )
    return sa.func.unnest(*columns).table_valued(*names, name="result").render_derived()


def expected(connection: Connection, job: int) -> list[Expected]:
    asked = (
        sa.select(job_configuration.c.configuration, domain.c.name, job_configuration.c.limited_by)
        .join(domain, domain.c.id == job_configuration.c.domain)
        .where(job_configuration.c.job == job)
    )
    return [Expected(*row) for row in connection.execute(asked)]


def write_results(connection: Connection, job: int, results: Sequence[Result]) -> None:
    told, mine = _results(results).c, job_configuration.c
    changed = sa.update(job_configuration).where(mine.job == job, mine.configuration == told.configuration)
    values = {"objects": told.objects, "bytes": told.bytes, "stop_reason": told.stop_reason}
    connection.execute(changed.values(**values, seeds=told.seeds.cast(JSONB)))


CAPTURED = sa.text("""
    WITH had AS MATERIALIZED (
        SELECT id FROM domain
        WHERE id IN (SELECT domain FROM job_configuration WHERE job = :job AND objects > 0)
        ORDER BY id FOR NO KEY UPDATE
    )
    UPDATE domain SET captured_at = :now FROM had WHERE domain.id = had.id
""")


def write_captured(connection: Connection, job: int) -> None:
    """Note the moment with each domain of which the job has anything; locked in one order, as below."""
    connection.execute(CAPTURED, {"job": job, "now": clock.now()})


#: After which no other run of the same seeds is to be expected to bring more.
ALL_THERE_IS = [reason.value for reason in (StopReason.COMPLETE, StopReason.DEAD, StopReason.EMPTY)]


def write_best(connection: Connection, results: Sequence[Result]) -> None:
    """A complete harvest says how large a domain is; one that was cut off, that it is at least so large.

    One that was cut off with nothing says nothing: the domain is as unknown as before. Dead and empty seeds
    are all there is, unless more was seen before: a site may be away for a day.
    """
    numbers = sorted(result.configuration for result in results)
    # Two jobs that end at once may share configurations: locked in one order, they cannot block each other.
    rows = sa.select(configuration.c.id).where(configuration.c.id == sa.any_(sa.literal(numbers, _NUMBERS)))
    connection.execute(rows.order_by(configuration.c.id).with_for_update())
    told, mine = _results(results).c, configuration.c
    complete = told.stop_reason == StopReason.COMPLETE.value
    better = sa.or_(complete, told.objects > sa.func.coalesce(mine.best_objects, 0))
    changed = sa.update(configuration).where(mine.id == told.configuration, better)
    all_there_is = told.stop_reason.in_(ALL_THERE_IS)
    values = {"best_objects": told.objects, "best_bytes": told.bytes, "best_complete": all_there_is}
    connection.execute(changed.values(**values))


def write_by_catch(connection: Connection, job: int, found: Sequence[DomainResult]) -> None:
    rows = [{"job": job, "domain": one.domain, "objects": one.objects, "bytes": one.bytes} for one in found]
    if rows:
        connection.execute(insert(job_by_catch).on_conflict_do_nothing(), rows)
