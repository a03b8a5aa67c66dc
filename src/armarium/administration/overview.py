"""What administration says on the overview: failed tasks, silent processes, full disks, notifications."""

from collections.abc import Iterator
from datetime import timedelta

from armarium.accounts.model import Permission
from armarium.administration import overview_queries
from armarium.administration import overview_queries as queries
from armarium.administration.task_labels import title_of
from armarium.administration.upkeep import short_of_room
from armarium.core.message import Message, message
from armarium.languages.speech import byte_size, number
from armarium.processes.model import ProcessState
from armarium.processes.service import Processes
from armarium.web.overview import Asked, Contribution, Running, Step, Urgency, Waiting, Wrong

P = Permission
SYSTEM = "/administration/system"
TASKS = "/administration/tasks"
REMEMBERED = timedelta(days=30)  # tasks that failed before are not brought up again
COLLECTOR = "collector"  # a kind of process that planning tells of

#: Tasks whose end their room tells by what became of the import, the run, the file; and to whom.
TOLD_BY_ROOMS = {
    "selection.import": {P.SELECTION_EDIT, P.SELECTION_EVERYWHERE},
    "selection.bulk": {P.SELECTION_EDIT, P.SELECTION_EVERYWHERE},
    "selection.transfer": {P.SELECTION_VIEW, P.SELECTION_TRANSFER},
    "planning.generate": {P.PLANNING_VIEW, P.JOBS_MANAGE},
    "index.file": {P.INDEX_VIEW, P.SYSTEM_VIEW},
}


def waits(asked: Asked) -> Iterator[Waiting]:
    if not asked.may(P.TASKS_MANAGE):
        return
    with asked.database.transaction() as connection:
        count = overview_queries.failed_count(connection, asked.now - REMEMBERED)
    yield Waiting(
        message("Failed tasks"),
        count,
        f"{TASKS}?state=failed",
        message("Read the reason, fix it, and try them again."),
        Urgency.NOW,
    )


def runs(asked: Asked) -> Iterator[Running]:
    if not asked.may(P.TASKS_VIEW):
        return
    with asked.database.transaction() as connection:
        count = overview_queries.running_count(connection)
    if count:
        told = message("%(count)s now", count=number(count))
        yield Running(message("Background tasks"), f"{TASKS}?state=running", told=told)


def wrong(asked: Asked) -> Iterator[Wrong]:
    if asked.may(P.SYSTEM_VIEW):
        yield from _processes(asked)
        yield from _notified(asked)
    if asked.may(P.TASKS_VIEW):
        with asked.database.transaction() as connection:
            found = overview_queries.failed_by_kind(connection, asked.week)
        for one in [one for one in found if not _told_by_its_room(one.name, asked)][: queries.LISTED]:
            yield Wrong(
                message("A task failed: %(kind)s", kind=title_of(one.name)),
                message("Its page shows the error. Fix the cause, then try it again."),
                one.last,
                f"{TASKS}/{one.task}",
                one.error,
                one.times,
            )


def _told_by_its_room(task: str, asked: Asked) -> bool:
    needed = TOLD_BY_ROOMS.get(task)
    return needed is not None and asked.identity.permissions >= needed


def _processes(asked: Asked) -> Iterator[Wrong]:
    found = asked.services.get(Processes).current()
    for one in found:
        told_elsewhere = one.kind == COLLECTOR and asked.may(P.PLANNING_VIEW)
        if one.state is ProcessState.SILENT and not told_elsewhere:
            yield Wrong(
                message("The process %(name)s is silent", name=one.name),
                message("Check its log on %(machine)s and restart it there.", machine=one.machine),
                one.heartbeat,
                SYSTEM,
                still=True,
            )
    for one in short_of_room(found):
        yield Wrong(
            message("The disk of %(machine)s is almost full", machine=one.machine),
            message("Make room, or move the data folder to a larger disk."),
            one.heartbeat,
            SYSTEM,
            byte_size(one.disk_free or 0),
            still=True,
        )


def _notified(asked: Asked) -> Iterator[Wrong]:
    with asked.database.transaction() as connection:
        rows = queries.errors(connection, asked.week, of_tasks=not asked.may(P.TASKS_VIEW))
    for one in rows:
        yield Wrong(
            Message(**one.subject),
            Message(**one.text),
            one.at,
            "/administration/notifications",
            times=one.repeats + 1,
        )


def steps(asked: Asked) -> Iterator[Step]:
    if asked.may(P.ACCOUNTS_MANAGE):
        with asked.database.transaction() as connection:
            there = queries.has_colleagues(connection)
        text = message("Each person has their own account with the roles they need.")
        yield Step(message("Invite your colleagues"), text, "/administration/accounts/new", there, 90)


OVERVIEW = Contribution(
    room=message("Administration"),
    topics=("processes", "tasks", "notifications", "accounts"),
    waits=waits,
    runs=runs,
    wrong=wrong,
    steps=steps,
)
