"""What becomes of the next date of a harvest, and of a harvest that has none left."""

from datetime import datetime

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core.actor import SYSTEM, Actor
from armarium.core.message import Message
from armarium.db.announce import announce
from armarium.planning.harvests import labels, queries, run_queries
from armarium.planning.harvests.model import Harvest
from armarium.planning.model import HarvestKind
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.rules import first_date, following, is_free

TOPIC = "harvests"


def subject(harvest: Harvest) -> Subject:
    return Subject("harvest", harvest.id, harvest.name)


def deactivate(connection: Connection, actor: Actor, harvest: Harvest, reason: Message | None = None) -> None:
    """Nothing new begins; jobs that exist go on. `reason`: why Armarium itself does it."""
    queries.update_harvest(
        connection,
        harvest.id,
        active=False,
        next_at=None,
        next_by_hand=False,
        trouble=str(reason) if reason else "",
        edition=harvest.edition + 1,
    )
    after = {"active": False, "reason": str(reason)} if reason else {"active": False}
    record(connection, actor, "harvest.deactivated", subject(harvest), before={"active": True}, after=after)
    announce(connection, TOPIC)


def advance(connection: Connection, harvest: Harvest, date: datetime) -> None:
    """Set the date that follows one; a harvest that has none is deactivated."""
    schedule = queries.schedule_by_id(connection, harvest.schedule)
    runs, begun = harvest.scheduled_runs, harvest.rhythm_from
    go_on(connection, harvest, following(schedule, date, runs, begun) if schedule else None)


def go_on(connection: Connection, harvest: Harvest, next_at: datetime | None) -> None:
    if next_at is not None:
        queries.update_harvest(connection, harvest.id, next_at=next_at, next_by_hand=False)
        return
    broad = harvest.kind is HarvestKind.BROAD
    deactivate(connection, SYSTEM, harvest, labels.RUN_ONCE if broad else labels.SCHEDULE_ENDED)


def date_anew(connection: Connection, schedule: Schedule, now: datetime) -> None:
    """Give the active harvests of a schedule their next date by its new rhythm.

    A date that somebody set, and one that is overdue, stay. The latter is for `due` to decide: it runs late,
    or it is skipped, and that is said. Of a paused schedule dates are kept, too; they wait until it goes on.
    """
    for harvest in queries.active_by_schedule(connection, schedule.id):
        if harvest.next_at and (harvest.next_by_hand or harvest.next_at <= now):
            continue
        date = _by_new_rhythm(connection, harvest, schedule, now)
        if date is None:
            deactivate(connection, SYSTEM, harvest, labels.SCHEDULE_ENDED)
        elif date != harvest.next_at:
            queries.update_harvest(connection, harvest.id, next_at=date, rhythm_from=date)
    announce(connection, TOPIC)


def _by_new_rhythm(
    connection: Connection, harvest: Harvest, schedule: Schedule, now: datetime
) -> datetime | None:
    last = run_queries.last_date(connection, harvest.id)
    if not is_free(schedule) or last is None or not harvest.scheduled_runs:
        return first_date(schedule, now, harvest.scheduled_runs)
    # So long after the last run, by the new length; a harvest whose hour that has passed need not wait.
    date = following(schedule, last, harvest.scheduled_runs, last)
    return max(date, now) if date else None
