"""A schedule: how often harvests run, in the clock of some place. Bounds are those of the API.
With its words."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from armarium.core.entities import Described
from armarium.core.message import Message, message
from armarium.core.moments import Moment
from armarium.planning.model import Unit

MOST_UNITS = 1000


@dataclass(frozen=True)
class Rhythm:
    """When a schedule falls due: what people fill in."""

    unit: Unit
    every: Annotated[int, Field(ge=1, le=MOST_UNITS)] = 1  # so many units
    anytime: Annotated[
        bool, Field(description="Exactly so long after the last run, not at a fixed moment.")
    ] = False
    minute: Annotated[int | None, Field(ge=0, le=59)] = None
    hour: Annotated[int | None, Field(ge=0, le=23)] = None
    weekday: Annotated[int | None, Field(ge=1, le=7, description="1 is Monday.")] = None
    day: Annotated[int | None, Field(ge=1, le=31, description="Of the month; beyond its end, the last.")] = (
        None
    )
    zone: Annotated[str, Field(max_length=100, description="Time zone such as Europe/Paris; empty: UTC.")] = (
        ""
    )
    starts_at: Moment | None = None
    ends_at: Moment | None = None
    max_runs: Annotated[int | None, Field(ge=1, le=1_000_000)] = None


@dataclass(frozen=True)
class Schedule(Rhythm, Described):
    id: int = 0
    name: Annotated[str, Field(max_length=100)] = ""
    comments: Annotated[str, Field(max_length=10_000)] = ""
    active: bool = True  # an inactive one is paused: no harvest falls due by it
    edition: int = 1


WEEKDAYS: tuple[Message, ...] = (
    message("Monday"),
    message("Tuesday"),
    message("Wednesday"),
    message("Thursday"),
    message("Friday"),
    message("Saturday"),
    message("Sunday"),
)
#: One unit, several units; both at a fixed moment.
FIXED: dict[Unit, tuple[Message, Message]] = {
    Unit.HOUR: (
        message("Every hour at minute %(minute)s"),
        message("Every %(every)s hours at minute %(minute)s"),
    ),
    Unit.DAY: (message("Every day at %(time)s"), message("Every %(every)s days at %(time)s")),
    Unit.WEEK: (
        message("Every week on %(weekday)s at %(time)s"),
        message("Every %(every)s weeks on %(weekday)s at %(time)s"),
    ),
    Unit.MONTH: (
        message("Every month on day %(day)s at %(time)s"),
        message("Every %(every)s months on day %(day)s at %(time)s"),
    ),
}
FREE: dict[Unit, tuple[Message, Message]] = {
    Unit.MINUTE: (message("Every minute"), message("Every %(every)s minutes")),
    Unit.HOUR: (message("One hour after the last run"), message("%(every)s hours after the last run")),
    Unit.DAY: (message("One day after the last run"), message("%(every)s days after the last run")),
    Unit.WEEK: (message("One week after the last run"), message("%(every)s weeks after the last run")),
    Unit.MONTH: (message("One month after the last run"), message("%(every)s months after the last run")),
}
#: What entries in the audit log say.
ACTIONS: dict[str, Message] = {
    "schedule.created": message("Schedule created"),
    "schedule.changed": message("Schedule changed"),
}
WORDS: dict[str, Message] = {
    "schedule": message("Schedule"),
    "unit": message("Unit"),
    "every": message("Every"),
    "anytime": message("Counted from the last run"),
    "minute": message("Minute"),
    "hour": message("Hour"),
    "weekday": message("Day of the week"),
    "day": message("Day of the month"),
    "zone": message("Time zone"),
    "starts_at": message("Start"),
    "ends_at": message("End of the schedule"),
    "max_runs": message("Runs at most"),
    "comments": message("Comments"),
}


def in_words(rhythm: Rhythm) -> Message:
    """“Every 2 weeks on Monday at 03:00”; the zone is said beside it."""
    if rhythm.unit is Unit.ONCE:
        return message("Once")
    free = rhythm.anytime or rhythm.unit is Unit.MINUTE
    one, several = (FREE if free else FIXED)[rhythm.unit]
    values = {
        "every": rhythm.every,
        "minute": f"{rhythm.minute or 0:02d}",
        "time": f"{rhythm.hour or 0:02d}:{rhythm.minute or 0:02d}",
        "weekday": WEEKDAYS[(rhythm.weekday or 1) - 1],
        "day": rhythm.day or 1,
    }
    return Message((one if rhythm.every == 1 else several).template, values)
