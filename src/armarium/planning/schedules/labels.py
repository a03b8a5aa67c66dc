"""Schedules in words: for people, and for the audit log."""

from armarium.core.message import Message, message
from armarium.planning.model import Unit
from armarium.planning.schedules.model import Rhythm

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
    "schedule.created": message("Schedule made"),
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
