"""The list of jobs and their changes of state, in SQL."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, Connection, Select

from armarium.audit.tables import beginning
from armarium.db.stretches import unknown_cursor
from armarium.planning.jobs.filters import read_mark, write_mark
from armarium.planning.jobs.model import STATES_OF, Count, Hurry, JobFilter, JobRow, Order, RunningJob, Slice
from armarium.planning.jobs.name_queries import (
    BIGINTS,
    among,
    domains_named,
    harvests_named,
    jobs_of_domain,
    named,
    number_named,
)
from armarium.planning.model import LEASED, JobState
from armarium.planning.tables.harvests import collector, harvest, harvest_run
from armarium.planning.tables.jobs import NOW, channel, job, job_configuration, job_sample

MOST_CHOICES = 100
MOST_COUNTED = 10_000  # nobody turns the pages of more
WHILE = timedelta(minutes=3)  # over which it is seen whether a queue grows

#: What a list is ordered by, and whether it goes down.
ORDERS: Mapping[Order, tuple["sa.Column[Any]", bool]] = {
    Order.NEWEST: (job.c.id, True),
    Order.OLDEST: (job.c.id, False),
    Order.ENDED: (job.c.ended_at, True),
    Order.OBJECTS: (job.c.brought_objects, True),
    Order.BYTES: (job.c.brought_bytes, True),
}
OF_ENDED = frozenset({Order.ENDED, Order.OBJECTS, Order.BYTES})  # those that run have no place in them yet

SHOWN = [
    one for one in job.c if one.name not in ("harvest", "run", "channel", "collector", "report", "watched_at")
]


def rows_of(picked: "sa.Subquery | sa.Table", *more: "sa.ColumnElement[Any]") -> "Select[Any]":
    """The jobs of a selection with the names of what they belong to."""
    of = picked.c
    return (
        sa.select(
            *(of[one.name] for one in SHOWN),
            of.harvest,
            harvest.c.name.label("harvest_name"),
            harvest.c.kind.label("harvest_kind"),
            of.run,
            harvest_run.c.number.label("run_number"),
            channel.c.name.label("channel"),
            of.collector,
            collector.c.name.label("collector_name"),
            *more,
        )
        .select_from(picked)
        .join(harvest, harvest.c.id == of.harvest)
        .join(harvest_run, harvest_run.c.id == of.run)
        .join(channel, channel.c.id == of.channel)
        .outerjoin(collector, collector.c.id == of.collector)
    )


def row_of(found: Mapping[Any, Any]) -> JobRow:
    names = JobRow.__dataclass_fields__
    return JobRow(**{name: found[name] for name in names if name != "state"}, state=JobState(found["state"]))


HURRIES: Mapping[Hurry, ColumnElement[bool]] = {
    Hurry.HIGH: job.c.priority > 0,
    Hurry.USUAL: job.c.priority == 0,
    Hurry.LOW: job.c.priority < 0,
}


# Which jobs ------------------------------------------------------------------------------------------


def conditions(connection: Connection, wanted: JobFilter) -> list[ColumnElement[bool]]:
    """Names become numbers first: the planner of the database then knows how rare they are."""
    found: list[ColumnElement[bool]] = []
    if wanted.text:
        found.append(named(connection, wanted.text))
    if wanted.states:
        found.append(job.c.state.in_(sorted(wanted.states)))
    if wanted.harvest:
        found.append(
            job.c.harvest == sa.any_(sa.literal(harvests_named(connection, wanted.harvest), BIGINTS))
        )
    if wanted.channel:
        found.append(job.c.channel == number_named(connection, channel, wanted.channel))
    if wanted.collector:
        found.append(job.c.collector == number_named(connection, collector, wanted.collector))
    if wanted.domain:
        found.append(among(jobs_of_domain(connection, wanted.domain)))
    if wanted.run:
        found.append(job.c.run == wanted.run)
    if wanted.hurry:
        found += [job.c.state.in_(sorted(STATES_OF["waiting"])), HURRIES[wanted.hurry]]
    if wanted.numbers:
        found.append(numbered(wanted.numbers))
    return found + days(wanted)


def numbered(stretches: Sequence[tuple[int, int]]) -> ColumnElement[bool]:
    """Few numbers one by one: of stretches, all jobs between the first and the last would be read."""
    if sum(max(last - first + 1, 0) for first, last in stretches) <= MOST_COUNTED:
        return among([number for first, last in stretches for number in range(first, last + 1)])
    return sa.or_(*(job.c.id.between(first, last) for first, last in stretches))


def days(wanted: JobFilter) -> list[ColumnElement[bool]]:
    found: list[ColumnElement[bool]] = []
    if wanted.since:
        found.append(job.c.created_at >= beginning(wanted.since, wanted.zone))
    if wanted.until:
        found.append(job.c.created_at < beginning(wanted.until, wanted.zone) + timedelta(days=1))
    return found


# Their list ------------------------------------------------------------------------------------------


def ordered_by(wanted: JobFilter) -> tuple["sa.Column[Any]", bool]:
    """Between two days, newest is read from the index of days: by number, all since would be passed over."""
    column, down = ORDERS[wanted.order]
    between = column is job.c.id and (wanted.since or wanted.until)
    return (job.c.created_at if between else column), down


def page(
    connection: Connection, wanted: JobFilter, mark: str = "", *, limit: int, strict: bool = False
) -> Slice:
    """One stretch; `strict`: refuse a mark that is none, which otherwise leads to the beginning.

     A mark says behind (or, with a minus, before) which job it begins: no page is counted off,
    so the last one comes as fast as the first."""
    column, down = ordered_by(wanted)
    back = mark.startswith("-")
    place = read_mark(mark.removeprefix("-"), column.name)
    if strict and mark and place is None:
        raise unknown_cursor()
    where = conditions(connection, wanted)
    if wanted.order in OF_ENDED:
        where.append(ORDERS[wanted.order][0].is_not(None))
    falling = down is not back
    if place is not None:
        where.append(_beyond(column, place, falling=falling))
    ordered = [one.desc() if falling else one.asc() for one in _keys(column)]
    picked = sa.select(job).where(*where).order_by(*ordered).limit(limit + 1).subquery("picked")
    again = [one.desc() if falling else one.asc() for one in _keys(picked.c[column.name])]
    found = [row_of(each) for each in connection.execute(rows_of(picked).order_by(*again)).mappings()]
    more, found = len(found) > limit, found[:limit]
    if back:
        found.reverse()
    return _slice(found, column.name, before=more if back else place is not None, behind=more or back)


def _keys(column: "ColumnElement[Any]") -> tuple["ColumnElement[Any]", ...]:
    number = column.table.c.id
    return (column,) if column.name == "id" else (column, number)


def _beyond(column: "sa.Column[Any]", place: tuple[Any, ...], *, falling: bool) -> ColumnElement[bool]:
    here, there = sa.tuple_(*_keys(column)), sa.tuple_(*(sa.literal(one) for one in place))
    return here < there if falling else here > there


def _slice(found: list[JobRow], column: str, *, before: bool, behind: bool) -> Slice:
    if not found:
        return Slice([])
    return Slice(
        found,
        forward=write_mark(found[-1], column) if behind else None,
        back="-" + write_mark(found[0], column) if before else None,
    )


def count(connection: Connection, wanted: JobFilter) -> Count:
    where = conditions(connection, wanted)
    if wanted.order in OF_ENDED:
        where.append(ORDERS[wanted.order][0].is_not(None))
    some = sa.select(sa.literal(1)).select_from(job).where(*where).limit(MOST_COUNTED + 1).subquery()
    found = connection.scalar(sa.select(sa.func.count()).select_from(some)) or 0
    return Count(min(found, MOST_COUNTED), found > MOST_COUNTED)


def counts(connection: Connection) -> dict[JobState, Count]:
    """Of each state, as far as anybody cares: one index is read, and no more than ten thousand of each."""
    each = [
        sa.select(
            sa.literal(state.value).label("state"),
            sa.select(sa.func.count())
            .select_from(
                sa.select(job.c.id).where(job.c.state == state.value).limit(MOST_COUNTED + 1).subquery()
            )
            .scalar_subquery()
            .label("number"),
        )
        for state in JobState
    ]
    found = connection.execute(sa.union_all(*each))
    return {
        JobState(state): Count(min(number, MOST_COUNTED), number > MOST_COUNTED) for state, number in found
    }


def title(connection: Connection, number: int) -> tuple[JobState, str] | None:
    """The state of a job, and the name of its harvest."""
    asked = sa.select(job.c.state, harvest.c.name).join(harvest, harvest.c.id == job.c.harvest)
    found = connection.execute(asked.where(job.c.id == number)).first()
    return (JobState(found[0]), str(found[1])) if found else None


def choices(connection: Connection) -> dict[str, list[tuple[str, str]]]:
    """What the list can be narrowed to, with its title: the latest harvests, machines, channels."""
    latest = sa.select(harvest.c.id.cast(sa.Text), harvest.c.name).order_by(harvest.c.id.desc())
    machines = sa.select(collector.c.name, collector.c.name).order_by(collector.c.name)
    channels = sa.select(channel.c.name, channel.c.name).order_by(channel.c.name)
    asked = {"harvest": latest, "collector": machines, "channel": channels}
    return {
        name: [(str(value), str(title)) for value, title in connection.execute(each.limit(MOST_CHOICES))]
        for name, each in asked.items()
    }


def one(connection: Connection, number: int) -> RunningJob | None:
    asked = rows_of(job, job.c.report, _queued_before()).where(job.c.id == number)
    found = connection.execute(asked).mappings().first()
    return RunningJob(row_of(found), found["report"], found["queued_before"]) if found else None


def _queued_before() -> "ColumnElement[int | None]":
    """How many addresses were queued some minutes ago, if it has run for so long."""
    before = sa.select(job_sample.c.queued).where(job_sample.c.job == job.c.id, job_sample.c.at < NOW - WHILE)
    return before.order_by(job_sample.c.at.desc()).limit(1).scalar_subquery().label("queued_before")


def running(connection: Connection, domain_name: str = "", limit: int = 500) -> Iterator[RunningJob]:
    asked = rows_of(job, job.c.report, _queued_before()).where(job.c.state.in_(sorted(LEASED)))
    if domain_name:
        of_domain = sa.any_(sa.literal(domains_named(connection, domain_name), BIGINTS))
        mine = sa.select(job_configuration.c.job).where(
            job_configuration.c.domain == of_domain, job_configuration.c.job == job.c.id
        )
        asked = asked.where(mine.exists())
    ordered = asked.order_by(harvest.c.name, job.c.id).limit(limit)
    for found in connection.execute(ordered).mappings():
        yield RunningJob(row_of(found), found["report"], found["queued_before"])


# Changes ---------------------------------------------------------------------------------------------


def locked(connection: Connection, numbers: Iterable[int]) -> list[Mapping[Any, Any]]:
    """The rows, each kept from other hands until the end of the transaction, in one order for all."""
    asked = sa.select(job).where(job.c.id.in_(sorted(set(numbers)))).order_by(job.c.id).with_for_update()
    return [dict(found) for found in connection.execute(asked).mappings()]


def change(connection: Connection, number: int, **values: object) -> None:
    connection.execute(sa.update(job).where(job.c.id == number).values(**values))
