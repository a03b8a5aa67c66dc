"""Why a harvest cannot be activated, or why little will come of it."""

from datetime import datetime

from sqlalchemy import Connection

from armarium.core.message import message
from armarium.planning.harvests import queries
from armarium.planning.harvests.definitions import is_paused, no_date_left
from armarium.planning.harvests.model import Doubt, Harvest
from armarium.planning.model import HarvestKind
from armarium.planning.schedules.rules import first_date


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
            Doubt(message("A broad harvest runs once, and this one has. Define another that continues it."))
        )
    if not queries.has_domains(connection):
        found.append(Doubt(message("There is no active domain yet.")))
    if harvest.previous is not None:
        made, waiting = queries.jobs_made_and_open(connection, harvest.previous)
        if not made and not waiting:
            found.append(Doubt(message("The harvest that it continues has made no jobs.")))
        if waiting:
            found.append(
                Doubt(
                    message(
                        "The harvest that it continues has not ended: %(count)s of its jobs wait or run.",
                        count=waiting,
                    )
                )
            )
    return found


def _of_collectors(connection: Connection, harvest: Harvest) -> list[Doubt]:
    name = channel_of(connection, harvest)
    if name is None:
        text = message("No channel takes harvests of its kind: choose one.")
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
