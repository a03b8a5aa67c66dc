"""A schedule as a form, and back. Moments are typed in the schedule's own zone."""

from datetime import UTC, datetime
from typing import Protocol

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.schedules.model import Rhythm, Schedule, Unit
from armarium.planning.schedules.rules import checked, zone_of

NUMBERS = ("minute", "hour", "weekday", "day", "max_runs")
LARGEST = 1_000_000


class Posted(Protocol):
    """A form as it was sent: see `web.forms.Form`."""

    def get(self, name: str) -> str: ...

    def ticked(self, name: str) -> bool: ...


def rhythm_of(form: Posted) -> Rhythm:
    """What the form says, judged."""
    unit = form.get("unit")
    if unit not in set(Unit):
        raise Refused(message("Choose how often."), field="unit")
    every = whole_number(form, "every")
    rhythm = Rhythm(
        unit=Unit(unit),
        every=1 if every is None else every,
        anytime=form.ticked("anytime"),
        zone=form.get("zone").strip(),
        minute=whole_number(form, "minute"),
        hour=whole_number(form, "hour"),
        weekday=whole_number(form, "weekday"),
        day=whole_number(form, "day"),
        max_runs=whole_number(form, "max_runs"),
    )
    zone_of(rhythm)
    moments = {name: typed_moment(form, name, rhythm) for name in ("starts_at", "ends_at")}
    return checked(Rhythm(**{**vars(rhythm), **moments}))


def whole_number(form: Posted, name: str) -> int | None:
    text = form.get(name).strip()
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text[:9]) > LARGEST:
        raise Refused(message("This must be a whole number."), field=name)
    return int(text)


def typed_moment(form: Posted, name: str, rhythm: Rhythm) -> datetime | None:
    """As browsers send it: 2026-12-31T03:00, in the zone of the schedule."""
    text = form.get(name).strip()
    if not text:
        return None
    try:
        return datetime.fromisoformat(text).replace(tzinfo=zone_of(rhythm)).astimezone(UTC)
    except (ValueError, OverflowError):
        text_of_fault = message("“%(text)s” is no moment. Write it as 2026-12-31T03:00.", text=text[:60])
        raise Refused(text_of_fault, field=name) from None


def typed(schedule: Schedule) -> dict[str, object]:
    """Values for the form."""
    zone = zone_of(schedule)
    moments = {
        name: moment.astimezone(zone).strftime("%Y-%m-%dT%H:%M") if moment else ""
        for name, moment in (("starts_at", schedule.starts_at), ("ends_at", schedule.ends_at))
    }
    numbers = {name: getattr(schedule, name) for name in NUMBERS}
    return {
        "name": schedule.name,
        "comments": schedule.comments,
        "unit": schedule.unit.value,
        "every": schedule.every,
        "anytime": "yes" if schedule.anytime else None,
        "zone": schedule.zone,
        "active": "yes" if schedule.active else None,
        "seen": schedule.mark,
        **{name: "" if number is None else str(number) for name, number in numbers.items()},
        **moments,
    }
