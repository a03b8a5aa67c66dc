"""What may be said about a harvest, and what speaks against activating it."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection

from armarium.audit.entities import Kind
from armarium.core import clock
from armarium.core.errors import Refusals, Refused, existing
from armarium.core.message import Message, message
from armarium.planning.harvests import queries, run_queries
from armarium.planning.harvests.model import Definition, Doubt, Harvest, Run
from armarium.planning.model import HarvestKind
from armarium.planning.parsing import check_comments, check_limit, check_name
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.rules import FAR_AWAY, LAST, first_date, is_free
from armarium.planning.traps.rules import check_traps

HARVEST = Kind(
    "harvest",
    topic="harvests",
    missing=message("There is no harvest with the number %(number)s."),
    unnamed=message("There is no harvest named %(name)s."),
    taken=message("The name %(name)s is taken."),
    changed=message("Somebody changed this harvest meanwhile. Look at it again, then save."),
)


def existing_harvest(connection: Connection, number: int, *, lock: bool = False) -> Harvest:
    found = queries.all_harvests.by_id(connection, number, lock=lock)
    return existing(found, HARVEST.missing.saying(number=number))


def existing_run(connection: Connection, harvest: int, number: int) -> Run:
    found = run_queries.run_numbered(connection, harvest, number)
    return existing(found, message("Harvest %(harvest)s has no run %(run)s.", harvest=harvest, run=number))


def of_chosen_domains(connection: Connection, number: int) -> Harvest:
    """The harvest, locked; a broad one takes every domain, so that none can be added to it."""
    harvest = existing_harvest(connection, number, lock=True)
    if harvest.kind is HarvestKind.BROAD:
        raise Refused(message("A broad harvest takes every active domain; you cannot choose its domains."))
    return harvest


def values_of(given: Definition) -> dict[str, object]:
    """The columns of a definition."""
    columns = {name: getattr(given, name) for name in Definition.__dataclass_fields__}
    typed = {"kind": given.kind.value, "missed": given.missed.value, "traps": list(given.traps)}
    return {**columns, **typed, "fields": dict(given.fields)}


def facts_of(connection: Connection, harvest: Harvest) -> dict[str, object]:
    """What the audit log keeps: names where the definition has numbers."""
    schedule = queries.schedule_by_id(connection, harvest.schedule)
    previous = queries.all_harvests.by_id(connection, harvest.previous) if harvest.previous else None
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
        found = queries.all_harvests.by_id(connection, previous)
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
        raise Refused(
            message("An active harvest needs a schedule: pause the harvest first."), field="schedule"
        )
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
    found = queries.all_harvests.by_name(connection, name)
    if found and found.id != but:
        raise name_taken(name)


def name_taken(name: str) -> Refused:
    return Refused(HARVEST.taken.saying(name=name), field="name")


def joined(reasons: list[Message]) -> Message:
    if len(reasons) == 1:
        return reasons[0]
    return message(
        "It cannot be activated for %(count)s reasons; its page shows them all. The first: %(reason)s",
        count=len(reasons),
        reason=str(reasons[0]),
    )


# Why it cannot be activated, or little will come of it ----------------------------------------------


def doubts(connection: Connection, harvest: Harvest, now: datetime) -> list[Doubt]:
    """All of them at once: who corrects one should not have to try again for the next."""
    found = (
        _of_broad(connection, harvest)
        if harvest.kind is HarvestKind.BROAD
        else _of_dates(connection, harvest, now)
    )
    return [*found, *_of_collectors(connection, harvest)]


def _of_dates(connection: Connection, harvest: Harvest, now: datetime) -> list[Doubt]:
    found = []
    schedule = queries.schedule_by_id(connection, harvest.schedule)
    if schedule is None:
        found.append(Doubt(message("It has no schedule: choose when it runs.")))
    elif not schedule.active:
        found.append(Doubt(is_paused(schedule)))
    elif not (harvest.next_at and harvest.next_at > now) and not first_date(
        schedule, now, harvest.scheduled_runs
    ):
        found.append(Doubt(no_date_left(schedule)))
    if not queries.has_seeds(connection, harvest.id):
        found.append(Doubt(message("None of its domains has an active configuration with a seed.")))
    return found


def _of_broad(connection: Connection, harvest: Harvest) -> list[Doubt]:
    found = []
    if queries.has_begun_run(connection, harvest.id):
        found.append(
            Doubt(
                message(
                    "A broad harvest runs once, and this one has run. Create another one that continues it."
                )
            )
        )
    if not queries.has_domains(connection):
        found.append(Doubt(message("There is no active domain yet.")))
    if harvest.previous is not None:
        made, waiting = queries.jobs_made_and_open(connection, harvest.previous)
        if not made and not waiting:
            found.append(Doubt(message("The harvest that it continues has created no jobs.")))
        if waiting:
            found.append(
                Doubt(
                    message(
                        "The harvest that it continues has not ended: %(count)s of its jobs are waiting or "
                        "running.",
                        count=waiting,
                    )
                )
            )
    return found


def _of_collectors(connection: Connection, harvest: Harvest) -> list[Doubt]:
    name = channel_of(connection, harvest)
    if name is None:
        text = message("No channel takes harvests of this kind: choose one.")
        return [Doubt(text)]
    if queries.has_collector(connection, name):
        return []
    return [
        Doubt(
            message(
                "No collector serves the channel “%(name)s” yet: jobs will wait until one does.", name=name
            ),
            prevents=False,
        )
    ]


def channel_of(connection: Connection, harvest: Harvest) -> str | None:
    """The name of the channel that its jobs go to: its own, or the default of its kind."""
    if harvest.channel is not None:
        return queries.channel_name(connection, harvest.channel)
    known = queries.channels(connection)
    return next((name for _, name, kinds in known if harvest.kind.value in kinds.split()), None)


# What may be said about it --------------------------------------------------------------------------


LONGEST_AUDIENCE = 100
LONGEST_JOB = 366 * 24 * 3600  # seconds


def checked(given: Definition) -> Definition:
    """The definition with its texts trimmed, or a refusal that names the fields."""
    audience = " ".join(given.audience.split())
    with Refusals() as wrong:
        if len(audience) > LONGEST_AUDIENCE:
            text = message("The audience has at most %(most)s characters.", most=LONGEST_AUDIENCE)
            wrong.add("audience", text)
        if given.max_seconds is not None and not 1 <= given.max_seconds <= LONGEST_JOB:
            text = message("Write seconds from 1 to %(most)s, or nothing for no limit.", most=LONGEST_JOB)
            wrong.add("max_seconds", text)
        if given.kind is HarvestKind.BROAD and given.schedule is not None:
            wrong.add("schedule", message("A broad harvest runs once, when it is activated."))
        if given.kind is not HarvestKind.BROAD and given.previous is not None:
            wrong.add("previous", message("Only a broad harvest can continue another one."))
        return replace(
            given,
            name=check_name(given.name),
            comments=check_comments(given.comments),
            audience=audience,
            traps=check_traps(given.traps),
            max_objects=check_limit(given.max_objects, "max_objects"),
            max_bytes=check_limit(given.max_bytes, "max_bytes"),
            total_objects=check_limit(given.total_objects, "total_objects"),
            total_bytes=check_limit(given.total_bytes, "total_bytes"),
        )
