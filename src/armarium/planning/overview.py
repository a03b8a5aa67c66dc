"""What planning says on the overview: harvests and jobs that need a person, what runs, what was brought."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection

from armarium.accounts.model import Permission
from armarium.core.message import message
from armarium.languages.speech import byte_size, number
from armarium.planning import overview_queries as queries
from armarium.planning.domains.imports import UNDER_WAY
from armarium.planning.leasing.reports import kept
from armarium.web.chapters import Chapter, Period, monthly, within
from armarium.web.overview import (
    OWN_HARVESTS,
    Asked,
    Contribution,
    Figure,
    Running,
    Series,
    Step,
    Urgency,
    Waiting,
    Wrong,
    counted,
    only,
)

P = Permission
HARVESTS = "/planning/harvests"


def waits(asked: Asked) -> Iterator[Waiting]:
    with asked.database.transaction() as connection:
        if asked.may(P.COLLECTORS_MANAGE):
            stopped = queries.stopped_collectors(connection)
            yield Waiting(
                message("Collectors that were stopped"),
                len(stopped),
                only(stopped, "/harvesting/collectors"),
                message("They failed too many jobs in a row. Check the machine, then start them again."),
                Urgency.NOW,
            )
        if asked.may(P.JOBS_MANAGE):
            yield Waiting(
                message("Failed jobs"),
                queries.failed_jobs(connection),
                "/harvesting/jobs?state=failed",
                message("Resubmit or reject each of them."),
                Urgency.NOW,
            )
        if asked.may(P.PLANNING_EDIT):
            yield from _harvests(connection)


def _harvests(connection: Connection) -> Iterator[Waiting]:
    troubled = queries.troubled_harvests(connection)
    yield Waiting(
        message("Harvests stopped by Armarium"),
        len(troubled),
        only(troubled, HARVESTS, "?active=no"),
        message("Their pages say what is wrong. They do not run until it is fixed."),
        Urgency.NOW,
    )
    undated = queries.undated_harvests(connection)
    yield Waiting(
        message("Harvests without a date"),
        len(undated),
        only(undated, HARVESTS, "?active=yes"),
        message("They are active but will never run: give them a date or a schedule."),
    )
    drafts = queries.drafts(connection)
    yield Waiting(
        message("Harvests not activated yet"),
        len(drafts),
        only(drafts, HARVESTS, "?active=no"),
        message("Check the preview, then activate them."),
        Urgency.SOMETIME,
    )


# What runs


def runs(asked: Asked) -> Iterator[Running]:
    with asked.database.transaction() as connection:
        for one in queries.generating(connection):
            told = message("jobs so far: %(count)s", count=number(one.jobs))
            yield Running(message("Creating jobs"), f"{HARVESTS}/{one.harvest}", one.name, told)
        yield from _jobs(connection)
        if asked.may(P.COLLECTORS_MANAGE):
            yield from _arriving(connection)
        for one in asked.once(connection, queries.domain_imports):
            if one.state in UNDER_WAY:
                there = f"/planning/imports/{one.id}"
                yield Running(message("Import of domains"), there, one.name)


def _jobs(connection: Connection) -> Iterator[Running]:
    jobs, total = queries.running_jobs(connection)
    for one in jobs:
        finished, known = _progress(one.report)
        told = message(
            "%(objects)s objects, %(bytes)s", objects=number(one.objects), bytes=byte_size(one.bytes)
        )
        there, title = f"/harvesting/jobs/{one.id}", message("Job %(id)s", id=one.id)
        yield Running(title, there, one.name, told, finished if known else None, known)
    if total > len(jobs):
        told = message("%(count)s more", count=counted(total - len(jobs)))
        yield Running(message("Further jobs"), "/harvesting/running", told=told)


def _progress(report: Mapping[str, Any]) -> tuple[int, int]:
    """Addresses that are done with, and those that are known; 0 known: the collector has told nothing."""
    told = report.get("report")
    status = kept(told) if isinstance(told, Mapping) else {}
    finished, queued = (int(status.get(name) or 0) for name in ("finished", "queued"))
    return finished, finished + queued


def _arriving(connection: Connection) -> Iterator[Running]:
    found = queries.arriving(connection)
    if found.files:
        told = message(
            "files: %(files)s, %(received)s of %(size)s",
            files=number(found.files),
            received=byte_size(found.received),
            size=byte_size(found.size),
        )
        title = message("Files arrive from collectors")
        yield Running(title, "/harvesting/collectors", "", told, found.received, found.size)


# What went wrong


def wrong(asked: Asked) -> Iterator[Wrong]:
    """For those who can do something about it, or answer for it."""
    if not (asked.may(P.JOBS_MANAGE) or asked.may(P.SYSTEM_VIEW)):
        return
    with asked.database.transaction() as connection:
        yield from _failed(connection, asked)
        for one in queries.silent_collectors(connection, asked.now):
            yield Wrong(
                message("A collector does not answer"),
                message("Its jobs go to others when their leases end. Check that the machine is running."),
                one.heard,
                f"/harvesting/collectors/{one.id}",
                one.name,
                still=True,
            )
        for one in queries.refused_files(connection, asked.week):
            yield Wrong(
                message("The archive rejected a file"),
                message("It stays with the collector's files. The job's page says why."),
                one.begun_at,
                f"/harvesting/jobs/{one.job}",
                one.name,
            )


def _failed(connection: Connection, asked: Asked) -> Iterator[Wrong]:
    for one in queries.jobs_that_failed(connection, asked.week):
        yield Wrong(
            message("Job %(id)s of “%(harvest)s” failed", id=one.id, harvest=one.name),
            message("Read its errors, then resubmit or reject it."),
            one.ended_at,
            f"/harvesting/jobs/{one.id}",
            one.error,
        )
    for one in queries.runs_that_failed(connection, asked.week):
        yield Wrong(
            message("No jobs could be created for “%(harvest)s”", harvest=one.name),
            message("Fix what the harvest's page says, then start the run again there."),
            one.due_at,
            f"{HARVESTS}/{one.harvest}",
            one.error,
        )
    for one in asked.once(connection, queries.domain_imports):
        if one.state == "failed" and one.begun_at >= asked.week:
            yield Wrong(
                message("An import of domains failed"),
                message("What was imported stays. Import it again to add the rest."),
                one.begun_at,
                f"/planning/imports/{one.id}",
                one.name,
            )


# Figures, and the first steps


def figures(asked: Asked) -> Iterator[Figure]:
    """Of the harvests of their own collections, for those who have some."""
    own = asked.known.get(OWN_HARVESTS)
    with asked.database.transaction() as connection:
        year = queries.year(connection, asked.year, asked.zone, harvests=own)
    there = "/harvesting/jobs?order=ended"
    note = message("Of your collections.") if own is not None else None
    objects = (Series(message("Objects"), year.objects),)
    yield Figure("objects", message("Objects harvested"), objects, there, note=note, order=20)
    size = (Series(message("Bytes"), year.bytes, "second"),)
    yield Figure("bytes", message("Bytes harvested"), size, there, in_bytes=True, note=note, order=38)
    if asked.may(P.JOBS_MANAGE) or asked.may(P.SYSTEM_VIEW):
        ended = (Series(message("Done"), year.done), Series(message("Failed"), year.failed, "bad"))
        order = 12 if asked.may(P.JOBS_MANAGE) else 60
        yield Figure("jobs", message("Jobs that ended"), ended, there, order=order)


def report(asked: Asked, period: Period) -> Iterator[Chapter]:
    with asked.database.transaction() as connection:
        year = queries.year(connection, period.since, asked.zone, "month")
    text = message(
        "%(jobs)s jobs brought %(objects)s objects with %(bytes)s, before de-duplication. "
        "Failed jobs: %(failed)s.",
        jobs=number(within(year.done, period)),
        objects=number(within(year.objects, period)),
        bytes=byte_size(within(year.bytes, period)),
        failed=number(within(year.failed, period)),
    )
    ended = (message("Done"), year.done, "first"), (message("Failed"), year.failed, "bad")
    objects = (message("Objects"), year.objects, "first")
    pictures = [
        monthly("objects", message("Objects harvested each month"), period, objects),
        monthly("jobs", message("Jobs that ended each month"), period, *ended),
    ]
    yield Chapter("harvests", message("Harvests"), 40, [text], pictures)


def steps(asked: Asked) -> Iterator[Step]:
    with asked.database.transaction() as connection:
        collectors, harvests, done = queries.has(connection)
    if asked.may(P.COLLECTORS_MANAGE):
        text = message("The machine that crawls. It may be this one; several work side by side.")
        yield Step(message("Enrol a collector"), text, "/harvesting/collectors/new", collectors, 20)
    if asked.may(P.PLANNING_EDIT):
        text = message(
            "It says which domains are harvested, when and how far. Transfers create some of them."
        )
        yield Step(message("Define a harvest"), text, f"{HARVESTS}/new", harvests, 30)
    if asked.may(P.JOBS_MANAGE):
        text = message("When a harvest is due, Armarium creates its jobs and a collector runs them.")
        yield Step(message("See the first job end"), text, "/harvesting/jobs", done, 31)


OVERVIEW = Contribution(
    room=message("Planning"),
    permission=P.PLANNING_VIEW,
    topics=("jobs", "running", "harvests", "generation", "collectors", "imports"),
    waits=waits,
    runs=runs,
    wrong=wrong,
    figures=figures,
    steps=steps,
    report=report,
)
