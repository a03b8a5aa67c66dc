"""What storage says on the overview: repairs that wait for a person, damaged copies, what was stored."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import Connection, Row

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, month, number
from armarium.storage import overview_queries as queries
from armarium.storage.audits.model import KINDS
from armarium.storage.files.catalogue import Catalogue
from armarium.storage.forecast import Forecast, forecast
from armarium.storage.model import AuditKind, ReplicaState, RunState
from armarium.web.chapters import MONTHS, Chapter, Period, monthly, next_month, within
from armarium.web.overview import (
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
    grown,
    unmended,
)
from armarium.web.plots.model import Month, Plot, Shape, Unit
from armarium.web.plots.model import Series as PlotSeries

P = Permission
REPLICAS = "/storage/replicas"
REPAIRS = "/storage/repairs"


def waits(asked: Asked) -> Iterator[Waiting]:
    if not asked.may(P.REPAIRS_APPROVE):
        return
    with asked.database.transaction() as connection:
        count, first = queries.repairs_to_decide(connection, asked.identity.account.id)
    yield Waiting(
        message("Repairs to decide"),
        count,
        f"{REPAIRS}/{first}" if count == 1 else f"{REPAIRS}?state=waiting",
        message("A copy is damaged. Check the votes of the replicas, then approve or decide."),
        Urgency.NOW,
    )


# What runs


def runs(asked: Asked) -> Iterator[Running]:
    with asked.database.transaction() as connection:
        on_the_way = asked.once(connection, queries.storing)
        if on_the_way.files:
            told = message(
                "files: %(files)s, %(bytes)s",
                files=counted(on_the_way.files),
                bytes=byte_size(on_the_way.bytes),
            )
            yield Running(message("Storing files"), "/storage/files?state=storing", told=told)
        yield from _audits(connection, asked)
        yield from _batches(connection, asked)
        for one in asked.once(connection, queries.replicas):
            if one.filled_to < one.fill_to:
                title, there = message("Filling a replica"), f"{REPLICAS}/{one.id}"
                yield Running(title, there, one.name, done=one.filled_to, total=one.fill_to)


def _audits(connection: Connection, asked: Asked) -> Iterator[Running]:
    for one in asked.once(connection, queries.latest_audits):
        if one.state not in queries.UNDER_WAY:
            continue
        kind = AuditKind(one.kind)
        told = message(
            "%(kind)s: %(done)s of %(total)s files",
            kind=KINDS[kind],
            done=number(one.files),
            total=number(one.files_total),
        )
        done, total = (
            (one.bytes, one.bytes_total) if kind is AuditKind.CHECKSUM else (one.files, one.files_total)
        )
        there = f"/storage/audits/{one.id}"
        yield Running(
            message("Audit"), there, one.replica_name, told, min(done, total) if total else None, total
        )


def _batches(connection: Connection, asked: Asked) -> Iterator[Running]:
    for one in asked.once(connection, queries.latest_batches):
        if one.state in queries.UNDER_WAY:
            total = one.files_total
            told = message("%(done)s of %(total)s files", done=number(one.files), total=number(total))
            there, done = f"/storage/batches/{one.id}", one.files if total else None
            yield Running(message("Batch"), there, one.function, told, done, total)


# What went wrong


def wrong(asked: Asked) -> Iterator[Wrong]:
    with asked.database.transaction() as connection:
        yield from _replicas(connection, asked)
        yield from _files(connection, asked)
        yield from _work(connection, asked)
        yield from _intake(connection, asked)


def _replicas(connection: Connection, asked: Asked) -> Iterator[Wrong]:
    for bad in queries.damaged(connection):
        yield Wrong(
            message("Copies in “%(replica)s” are damaged", replica=bad.name),
            message("Repairs restore them from the other replicas. See which need a decision."),
            bad.last,
            REPAIRS,
            times=bad.copies,
            still=True,
        )
    for one in asked.once(connection, queries.replicas):
        if one.away_since:
            yield Wrong(
                message("The replica “%(replica)s” does not answer", replica=one.name),
                message("New files wait for it. Check its disk or service."),
                one.away_since,
                f"{REPLICAS}/{one.id}",
                one.trouble,
                still=True,
            )


def _files(connection: Connection, asked: Asked) -> Iterator[Wrong]:
    found = asked.once(connection, queries.storing)
    if found.troubled and found.last:
        yield Wrong(
            message("Files could not be stored yet"),
            message("Armarium tries again. Their pages say why."),
            found.last,
            "/storage/files?state=storing",
            found.trouble,
            found.troubled,
            still=True,
        )
    for one in queries.failed_repairs(connection):
        yield Wrong(
            message("A repair could not be carried out"),
            message("Armarium tries again. Its page says why."),
            one.proposed_at,
            f"{REPAIRS}/{one.id}",
            one.name,
            still=True,
        )


def _work(connection: Connection, asked: Asked) -> Iterator[Wrong]:
    audits = [one for one in asked.once(connection, queries.latest_audits) if _ended(one, asked)]
    for one, times in unmended(audits, lambda one: (one.replica_name, one.kind), _went_well):
        yield Wrong(
            message("An audit of “%(replica)s” failed", replica=one.replica_name),
            message("What it had not read yet was not checked. Start another audit."),
            one.ended_at,
            f"/storage/audits/{one.id}",
            one.error,
            times,
        )
    batches = [one for one in asked.once(connection, queries.latest_batches) if _ended(one, asked)]
    for one, times in unmended(batches, lambda one: one.function, _went_well):
        yield Wrong(
            message("A batch failed"),
            message("Read its error, then start it again."),
            one.ended_at,
            f"/storage/batches/{one.id}",
            one.function,
            times,
        )


def _ended(run: "Row[Any]", asked: Asked) -> bool:
    return run.ended_at is not None and run.ended_at >= asked.week


def _went_well(run: "Row[Any]") -> bool | None:
    """One that was cancelled says nothing."""
    return {RunState.FINISHED.value: True, RunState.FAILED.value: False}.get(run.state)


def _intake(connection: Connection, asked: Asked) -> Iterator[Wrong]:
    for one in queries.left_out(connection, asked.week):
        yield Wrong(
            message("An import of files left some out"),
            message("Its page says why each file was left out. Correct the files and import them again."),
            one.last,
            f"/storage/intake/{one.id}",
            one.name,
            one.files,
        )
    for one in queries.troubled_folders(connection):
        yield Wrong(
            message("A watched folder cannot be read"),
            message("Nothing is imported from it until that is fixed."),
            one.looked_at,
            "/storage/intake",
            one.path,
            still=True,
        )


# Figures, and the first steps


def figures(asked: Asked) -> Iterator[Figure]:
    with asked.database.transaction() as connection:
        files, size = queries.stored_by_week(connection, asked.year, asked.zone)
        fine, bad = queries.checked_by_week(connection, asked.year, asked.zone)
    keeps = not (asked.may(P.SELECTION_EDIT) or asked.may(P.JOBS_MANAGE))
    known = Catalogue(asked.database).figures()
    if known.files:
        yield Figure(
            "archive-size",
            message("Size of the archive"),
            (Series(message("Bytes"), grown(known.bytes, size, asked.weeks)),),
            "/storage/files",
            in_bytes=True,
            note=message("Files: %(files)s. Each replica holds as much.", files=number(known.files)),
            order=10 if keeps else 30,
            grows=True,
        )
    stored = (Series(message("Files"), files),)
    yield Figure("files-stored", message("Files stored"), stored, "/storage/files", order=42)
    checked = Series(message("Sound"), fine, "good"), Series(message("Missing or damaged"), bad, "bad")
    order = 15 if asked.may(P.REPAIRS_APPROVE) and keeps else 45
    yield Figure(
        "copies-checked", message("Copies checked by audits"), checked, "/storage/audits", order=order
    )


def report(asked: Asked, period: Period) -> Iterator[Chapter]:
    with asked.database.transaction() as connection:
        files, added = queries.stored_by_month(connection, period.since, asked.zone)
        replicas = queries.room_left(connection)
    known = Catalogue(asked.database).figures()
    beyond = [one for one in added if one > period.months[-1]]
    sizes = grown(known.bytes - sum(added[one] for one in beyond), added, period.months)
    sentences = [
        message(
            "The archive held %(bytes)s at the end of this period. Files added: %(files)s (%(added)s).",
            bytes=byte_size(sizes[period.months[-1]]),
            files=number(within(files, period)),
            added=byte_size(within(added, period)),
        )
    ]
    pictures = [
        monthly(
            "size",
            message("Size of the archive at the end of each month"),
            period,
            (message("Bytes"), sizes, "first"),
            grows=True,
            in_bytes=True,
        ),
        monthly(
            "added",
            message("Bytes added each month"),
            period,
            (message("Bytes"), added, "second"),
            in_bytes=True,
        ),
        monthly("files", message("Files added each month"), period, (message("Files"), files, "first")),
    ]
    yield Chapter("growth", message("Growth of the archive"), 10, sentences, pictures)
    if period.is_present:
        yield _forecast(asked, [sizes[one] for one in period.months], period, replicas)


def _forecast(asked: Asked, sizes: Sequence[int], period: Period, replicas: "Sequence[Row[Any]]") -> Chapter:
    title, expected = message("Forecast of storage"), forecast(sizes)
    if expected is None:
        return Chapter("forecast", title, 20, [message("It needs three months of harvests.")])
    today = period.until.astimezone(ZoneInfo(asked.zone)).date()
    sentences = [
        message(
            "The archive grew by %(bytes)s a month in the last six months. If it goes on in a straight line, "
            "each replica needs %(year)s in a year.",
            bytes=byte_size(expected.per_month),
            year=byte_size(expected.after(sizes[-1], MONTHS)),
        ),
        *(_lasts(one, expected, today) for one in replicas),
    ]
    coming = [period.months[-1]]
    while len(coming) <= MONTHS:
        coming.append(next_month(coming[-1]))
    nothing: list[int | None] = [None] * MONTHS
    labels = [Month(one.year, one.month, 1) for one in (*period.months, *coming[1:])]
    ahead = [expected.after(sizes[-1], later) for later in range(MONTHS + 1)]
    line = Plot(
        "forecast",
        message("Bytes in each replica, known and expected"),
        labels,
        [
            PlotSeries(message("Known"), [*sizes, *nothing]),
            PlotSeries(message("Expected"), [*nothing[1:], *ahead], "second"),
        ],
        shape=Shape.LINES,
        unit=Unit.BYTES,
    )
    return Chapter("forecast", title, 20, sentences, [line])


def _lasts(replica: "Row[Any]", expected: Forecast, today: date) -> Message:
    if not replica.free_bytes:
        return message("Replica “%(name)s”: its free space is not known.", name=replica.name)
    free, full = byte_size(replica.free_bytes), expected.full_on(replica.free_bytes, today)
    if full is None:
        text = message("Replica “%(name)s” has %(free)s free: enough for more than 20 years.")
        return text.saying(name=replica.name, free=free)
    text = message("Replica “%(name)s” has %(free)s free and is full in about %(month)s.")
    return text.saying(name=replica.name, free=free, month=month(full))


def steps(asked: Asked) -> Iterator[Step]:
    if asked.may(P.STORAGE_MANAGE):
        with asked.database.transaction() as connection:
            active = [
                one for one in asked.once(connection, queries.replicas) if one.state == ReplicaState.ACTIVE
            ]
        text = message("Each replica holds every file; with two or more, a damaged copy can be repaired.")
        yield Step(message("Set up two replicas"), text, REPLICAS, len(active) > 1, 15)


OVERVIEW = Contribution(
    room=message("Storage"),
    permission=P.STORAGE_VIEW,
    topics=("files", "repairs", "audits", "batches", "intake", "replicas"),
    waits=waits,
    runs=runs,
    wrong=wrong,
    figures=figures,
    steps=steps,
    report=report,
)
