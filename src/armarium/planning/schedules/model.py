"""A schedule: how often harvests run, in the clock of some place."""

import json
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256


class Unit(StrEnum):
    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ONCE = "once"


@dataclass(frozen=True)
class Rhythm:
    """When a schedule falls due: what people fill in."""

    unit: Unit
    every: int = 1  # so many units
    anytime: bool = False  # exactly so long after the last run, not at a fixed moment
    minute: int | None = None
    hour: int | None = None
    weekday: int | None = None  # 1 Monday … 7 Sunday
    day: int | None = None  # of the month; beyond its end: the last one
    zone: str = ""  # of hour and minute: Europe/Paris; empty: UTC
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    max_runs: int | None = None


@dataclass(frozen=True)
class Schedule(Rhythm):
    id: int = 0
    name: str = ""
    comments: str = ""
    active: bool = True  # an inactive one is paused: no harvest falls due by it
    edition: int = 1

    def described(self) -> dict[str, object]:
        """The values that the audit log compares."""
        values = asdict(self)
        for name in ("id", "edition"):
            del values[name]
        for name in ("starts_at", "ends_at"):
            values[name] = values[name].isoformat() if values[name] else None
        return {**values, "unit": self.unit.value}

    @property
    def mark(self) -> str:
        """Changes whenever something about the schedule changes."""
        return sha256(json.dumps(self.described(), sort_keys=True).encode()).hexdigest()[:16]
