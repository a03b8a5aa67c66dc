"""What entries about schedules in the audit log say."""

from armarium.core.message import Message, message

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
