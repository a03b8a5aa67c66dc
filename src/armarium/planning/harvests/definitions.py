"""What a definition must fulfil towards the others that there are."""

from datetime import datetime

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.planning.harvests import queries, run_queries
from armarium.planning.harvests.model import Definition, Harvest, Run
from armarium.planning.model import HarvestKind
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.rules import FAR_AWAY, LAST, first_date, is_free


def existing(connection: Connection, number: int, *, lock: bool = False) -> Harvest:
    found = queries.harvest_by_id(connection, number, lock=lock)
    if found is None:
        raise NotFound(message("There is no harvest with the number %(number)s.", number=number))
    return found


def existing_run(connection: Connection, harvest: int, number: int) -> Run:
    found = run_queries.run_numbered(connection, harvest, number)
    if found is None:
        raise NotFound(message("Harvest %(harvest)s has no run %(run)s.", harvest=harvest, run=number))
    return found


def of_chosen_domains(connection: Connection, number: int) -> Harvest:
    """The harvest, locked; a broad one takes every domain, so that none can be added to it."""
    harvest = existing(connection, number, lock=True)
    if harvest.kind is HarvestKind.BROAD:
        raise Refused(message("A broad harvest takes every active domain: none is chosen for it."))
    return harvest


def values_of(given: Definition) -> dict[str, object]:
    """The columns of a definition."""
    columns = {name: getattr(given, name) for name in Definition.__dataclass_fields__}
    typed = {"kind": given.kind.value, "missed": given.missed.value, "traps": list(given.traps)}
    return {**columns, **typed, "fields": dict(given.fields)}


def facts_of(connection: Connection, harvest: Harvest) -> dict[str, object]:
    """What the audit log keeps: names where the definition has numbers."""
    schedule = queries.schedule_by_id(connection, harvest.schedule)
    previous = queries.harvest_by_id(connection, harvest.previous) if harvest.previous else None
    return {
        **harvest.described(),
        "schedule": schedule.name if schedule else None,
        "channel": queries.channel_name(connection, harvest.channel) if harvest.channel else None,
        "previous": previous.name if previous else None,
    }


def refuse_unknown(connection: Connection, values: dict[str, object], but: int | None = None) -> None:
    """Numbers that name nothing would otherwise fail as a foreign key, without a sentence."""
    schedule, channel, previous = (values[name] for name in ("schedule", "channel", "previous"))
    if isinstance(schedule, int) and queries.schedule_by_id(connection, schedule) is None:
        raise Refused(message("There is no such schedule."), field="schedule")
    if isinstance(channel, int) and queries.channel_name(connection, channel) is None:
        raise Refused(message("There is no such channel."), field="channel")
    if isinstance(previous, int):
        found = queries.harvest_by_id(connection, previous)
        if found is None or found.kind is not HarvestKind.BROAD or found.id == but:
            raise Refused(message("Only another broad harvest can be continued."), field="previous")


def next_values(
    connection: Connection, before: Harvest, given: Definition, override: datetime | None
) -> dict[str, object]:
    """The next date, where it changes: the override; or, by a new schedule, its first date.

    A date that is overdue stays: whether it is caught up or skipped is not decided by the way.
    """
    now = clock.now()
    schedule = next_schedule(connection, before, given)
    if override is not None and override != before.next_at:
        if override <= now:
            raise Refused(message("The next date lies in the past."), field="next_at")
        if override >= LAST:
            raise Refused(FAR_AWAY, field="next_at")
        kept = before.rhythm_from if _keeps_rhythm(schedule, before, given) else None
        return {"next_at": override, "next_by_hand": True, "rhythm_from": kept or override}
    if given.schedule == before.schedule or (before.active and before.next_at and before.next_at <= now):
        return {}
    date = first_date(schedule, now, before.scheduled_runs) if schedule and before.active else None
    if schedule and before.active and date is None:
        raise Refused(no_date_left(schedule), field="schedule")
    return {"next_at": date, "next_by_hand": False, "rhythm_from": date}


def _keeps_rhythm(schedule: Schedule | None, before: Harvest, given: Definition) -> bool:
    """Whether a date that is moved leaves the others where they are: every second Monday stays as it was."""
    return schedule is not None and not is_free(schedule) and given.schedule == before.schedule


def next_schedule(connection: Connection, before: Harvest, given: Definition) -> Schedule | None:
    """What it will run by; an active harvest changes only to a schedule that is not paused."""
    schedule = queries.schedule_by_id(connection, given.schedule)
    if given.schedule == before.schedule or not before.active or before.kind is HarvestKind.BROAD:
        return schedule
    if schedule is None:
        raise Refused(message("An active harvest needs a schedule: deactivate it first."), field="schedule")
    if not schedule.active:
        raise Refused(is_paused(schedule), field="schedule")
    return schedule


def is_paused(schedule: Schedule) -> Message:
    return message("Its schedule “%(name)s” is paused: choose another one.", name=schedule.name)


def no_date_left(schedule: Schedule) -> Message:
    return message(
        "Its schedule “%(name)s” has no date left: choose another one, or set the next date.",
        name=schedule.name,
    )


def refuse_taken(connection: Connection, name: str, but: int | None = None) -> None:
    found = queries.harvest_by_name(connection, name)
    if found and found.id != but:
        raise name_taken(name)


def name_taken(name: str) -> Refused:
    return Refused(message("The name %(name)s is taken.", name=name), field="name")


def joined(reasons: list[Message]) -> Message:
    if len(reasons) == 1:
        return reasons[0]
    return message(
        "It cannot be activated for %(count)s reasons; its page shows them all. The first: %(reason)s",
        count=len(reasons),
        reason=str(reasons[0]),
    )
