"""What selection says on the overview: decisions that wait, what came back, how many records were entered."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, Row

from armarium.accounts.model import Permission
from armarium.core.message import Message, message
from armarium.languages.speech import number
from armarium.selection import overview_queries as queries
from armarium.selection import permissions
from armarium.selection.findings import tables as findings_queries
from armarium.selection.findings.tables import FindingFilter
from armarium.selection.nominations import tables as nomination_queries
from armarium.selection.records import tray
from armarium.selection.records.tray import MOST, REMEMBERED, SHOWN, Librarian
from armarium.selection.transfer.model import TransferState
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
    only,
    unmended,
)
from armarium.web.plots.model import Plot
from armarium.web.plots.model import Series as PlotSeries

P = Permission
LATELY = timedelta(days=14)  # for so long a preview that nobody looked at is worth a line
UNDER_WAY = timedelta(days=2)  # nothing that began before runs still

TRAY = "/selection/tray"


def waits(asked: Asked) -> Iterator[Waiting]:
    with asked.database.transaction() as connection:
        if asked.may(P.SELECTION_EDIT):
            yield from _of_tray(connection, asked)
            yield from _of_others(connection, asked)
            yield from _of_own_work(connection, asked)
        if asked.may(P.SELECTION_TRANSFER):
            yield Waiting(
                message("Conflicts with planning"),
                queries.conflicts(connection),
                "/selection/transfer?kind=conflict",
                message("Somebody changed in planning what a transfer created. Decide which values stay."),
                Urgency.NOW,
            )


def _of_tray(connection: Connection, asked: Asked) -> Iterator[Waiting]:
    editor = permissions.editor_of(asked.identity)
    whose = Librarian(asked.identity.account.id, asked.identity.account.name)
    if editor.validates:
        own = asked.once(connection, permissions.editable_collections, editor)
        yield Waiting(
            message("Proposals to decide"),
            tray.waiting_count(connection, own, MOST),
            f"{TRAY}#waiting",
            message("Validate or reject them: their librarians are waiting."),
        )
    yield Waiting(
        message("Your rejected records"),
        tray.refused_count(connection, whose, MOST),
        f"{TRAY}#refused",
        message("Read the reason; correct and propose them again, or let them go."),
    )
    yield Waiting(
        message("Your records with new comments"),
        tray.news_count(connection, whose, asked.now - REMEMBERED, SHOWN),
        f"{TRAY}#news",
        message("Somebody has commented since you last looked."),
    )


def _of_others(connection: Connection, asked: Asked) -> Iterator[Waiting]:
    own = asked.once(connection, permissions.editable_collections, permissions.editor_of(asked.identity))
    yield Waiting(
        message("Nominations to answer"),
        nomination_queries.waiting_count(connection, own),
        "/selection/nominations",
        message("Readers and partners proposed these sites. Accept or decline them."),
    )
    yield Waiting(
        message("Findings to review"),
        findings_queries.count(connection, FindingFilter(within=own), MOST),
        "/selection/findings" if own is None else "/selection/findings?collection=mine",
        message("Harvests or colleagues noticed something about these sites."),
        Urgency.SOMETIME,
    )


def _of_own_work(connection: Connection, asked: Asked) -> Iterator[Waiting]:
    person, since = asked.identity.account, asked.now - LATELY
    lines = asked.once(connection, queries.entered, person.id, since)
    if not lines.unseen:
        yield Waiting(
            message("Checked addresses"),
            lines.selectable,
            only(lines.batches, "/selection/enter"),
            message("They answer. Choose which of them become records."),
            Urgency.SOMETIME,
        )
    tried = queries.tried_imports(connection, person.name, since)
    yield Waiting(
        message("Imports to confirm"),
        len(tried),
        only(tried, "/selection/import"),
        message("The file was checked; nothing has changed yet. Read the report, then import it."),
        Urgency.SOMETIME,
    )
    ready = queries.ready_bulk(connection, person.id, since)
    yield Waiting(
        message("Bulk edits to confirm"),
        len(ready),
        only(ready, "/selection/bulk"),
        message("The preview is ready; nothing has changed yet."),
        Urgency.SOMETIME,
    )


# What runs


def runs(asked: Asked) -> Iterator[Running]:
    since = asked.now - UNDER_WAY
    with asked.database.transaction() as connection:
        if asked.may(P.SELECTION_EDIT):
            yield from _checks(connection, asked)
            for one in queries.running_imports(connection, since):
                there = f"/selection/import/{one.id}"
                done, total = (one.done, one.total) if one.total else (None, 0)
                yield Running(message("Import of records"), there, one.name, _lines(done, total), done, total)
        for one in queries.running_bulk(connection, since):
            there, done = f"/selection/bulk/{one.id}", one.done if one.total else None
            told = _lines(done, one.total or 0)
            yield Running(message("Bulk edit"), there, one.actor, told, done, one.total or 0)
        if asked.may(P.SELECTION_TRANSFER):
            yield from _transfers(connection, asked)


def _checks(connection: Connection, asked: Asked) -> Iterator[Running]:
    lines = asked.once(connection, queries.entered, asked.identity.account.id, asked.now - LATELY)
    if lines.unseen:
        told = message("%(count)s to go", count=number(lines.unseen))
        there = only(lines.batches, "/selection/enter")
        yield Running(message("Checking your addresses"), there, told=told)


def _transfers(connection: Connection, asked: Asked) -> Iterator[Running]:
    for one in asked.once(connection, queries.latest_transfers):
        if one.state in {TransferState.WAITING, TransferState.RUNNING}:
            there, done = f"/selection/transfer/runs/{one.id}", one.handled if one.total else None
            told = _lines(done, one.total)
            yield Running(message("Transfer to planning"), there, told=told, done=done, total=one.total)


def _lines(done: int | None, total: int) -> Message | None:
    if done is None:
        return None
    return message("%(done)s of %(total)s records", done=number(done), total=number(total))


# What went wrong


def wrong(asked: Asked) -> Iterator[Wrong]:
    person, all_of_them = asked.identity.account, asked.may(P.SELECTION_EVERYWHERE)
    with asked.database.transaction() as connection:
        if asked.may(P.SELECTION_EDIT):
            for one in queries.failed_imports(connection, None if all_of_them else person.name, asked.week):
                yield Wrong(
                    message("An import of records failed"),
                    message("Nothing was imported. Open it to see why, then try the file again."),
                    one.created_at,
                    f"/selection/import/{one.id}",
                    one.name,
                )
            for one in queries.failed_bulk(connection, None if all_of_them else person.id, asked.week):
                yield Wrong(
                    message("A bulk edit failed"),
                    message("No record was changed. Create a new preview and try again."),
                    one.made_at,
                    f"/selection/bulk/{one.id}",
                    one.problem,
                )
        if asked.may(P.SELECTION_TRANSFER):
            yield from _failed_transfers(connection, asked)


def _failed_transfers(connection: Connection, asked: Asked) -> Iterator[Wrong]:
    """A whole transfer that goes well hands over what those before it could not."""
    lately = [one for one in asked.once(connection, queries.latest_transfers) if one.asked_at >= asked.week]
    for one, times in unmended(lately, lambda _: "transfer", _went_well):
        yield Wrong(
            message("A transfer to planning failed"),
            message("Its page names the records that were not transferred. Start another transfer."),
            one.ended_at or one.asked_at,
            f"/selection/transfer/runs/{one.id}",
            one.error,
            times,
        )


def _went_well(transfer: "Row[Any]") -> bool | None:
    if transfer.state == TransferState.FAILED or transfer.failed:
        return False
    return True if transfer.state == TransferState.DONE and transfer.whole else None


# Figures, and the first steps


def figures(asked: Asked) -> Iterator[Figure]:
    """Of their own collections, for those who have some."""
    with asked.database.transaction() as connection:
        own = None
        if asked.may(P.SELECTION_EDIT):
            own = asked.once(
                connection, permissions.editable_collections, permissions.editor_of(asked.identity)
            )
        if own is not None:
            asked.known[OWN_HARVESTS] = queries.harvests_of(connection, own)
        validated, others = queries.created_by_week(connection, own, asked.year, asked.zone)
    yield Figure(
        "records",
        message("Records created"),
        (Series(message("Validated"), validated), Series(message("Not validated"), others, "second")),
        "/selection/records",
        note=message("Of your collections.") if own is not None else None,
        order=10 if asked.may(P.SELECTION_EDIT) else 35,
    )


# What people did, as the audit log has it: never whose work it was
WORK = {
    "record.created": (message("Created"), "first"),
    "record.validated": (message("Validated"), "second"),
    "record.refused": (message("Rejected"), "bad"),
    "record.changed": (message("Changed"), "third"),
    "record.commented": (message("Commented"), "fourth"),
}


ALWAYS = {"record.created", "record.validated"}


def report(asked: Asked, period: Period) -> Iterator[Chapter]:
    with asked.database.transaction() as connection:
        collections = queries.coverage(connection, period.since)
        done = queries.done_by_month(connection, tuple(WORK), period.since, asked.zone)
    yield _coverage(collections)
    text = message(
        "%(created)s records were created and %(validated)s validated.",
        created=number(within(done["record.created"], period)),
        validated=number(within(done["record.validated"], period)),
    )
    series = [
        (label, done[action], tone)
        for action, (label, tone) in WORK.items()
        if any(done[action].values()) or action in ALWAYS
    ]
    pictures = [monthly("work", message("Work on records each month"), period, *series, lines=True)]
    yield Chapter("work", message("What people did"), 50, [text], pictures)


def _coverage(collections: Sequence[queries.Coverage]) -> Chapter:
    validated = sum(one.validated for one in collections)
    harvested = sum(one.harvested for one in collections)
    text = message(
        "%(harvested)s of %(validated)s validated records were harvested since the period began.",
        harvested=number(harvested),
        validated=number(validated),
    )
    names = [one.name for one in collections]
    hrefs = [f"/selection/records?collection={one.collection}" for one in collections]
    states = Plot(
        "records",
        message("Records by collection and state"),
        names,
        [
            PlotSeries(message("Validated"), [one.validated for one in collections], "first"),
            PlotSeries(message("Proposed"), [one.proposed for one in collections], "second"),
            PlotSeries(message("Rejected"), [one.refused for one in collections], "bad"),
        ],
        hrefs=hrefs,
        summed=True,
    )
    reached = Plot(
        "coverage",
        message("Validated records, harvested or not"),
        names,
        [
            PlotSeries(message("Harvested"), [one.harvested for one in collections], "good"),
            PlotSeries(message("Not harvested"), [one.missed for one in collections], "warning"),
        ],
        hrefs=hrefs,
        summed=True,
    )
    return Chapter("coverage", message("Coverage of collections"), 30, [text], [states, reached])


def steps(asked: Asked) -> Iterator[Step]:
    with asked.database.transaction() as connection:
        collections, records, validated = queries.has(connection)
        own = asked.once(connection, permissions.editable_collections, permissions.editor_of(asked.identity))
    if asked.may(P.SELECTION_RULES):
        text = message("A collection says what is selected, by whom, how often and how deep.")
        yield Step(message("Create a collection"), text, "/selection/collections/new", collections, 10)
    if not asked.may(P.SELECTION_EDIT):
        return
    if own is not None:
        text = message(
            "You can edit records of your own collections. Ask an administrator to make you a member."
        )
        yield Step(message("Join a collection"), text, "/selection/collections", bool(own), 11)
    text = message("Paste addresses. Armarium checks each as the crawler would.")
    yield Step(message("Add the first sites"), text, "/selection/enter", records, 12)
    if asked.may(P.SELECTION_VALIDATE):
        text = message("Validated records are transferred to planning and harvested.")
        yield Step(message("Validate a record"), text, TRAY, validated, 13)


OVERVIEW = Contribution(
    room=message("Selection"),
    permission=P.SELECTION_VIEW,
    topics=("records", "nominations", "findings", "selection_imports", "bulk", "transfer", "collections"),
    waits=waits,
    runs=runs,
    wrong=wrong,
    figures=figures,
    steps=steps,
    report=report,
)
