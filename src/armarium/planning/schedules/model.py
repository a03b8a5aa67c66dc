"""A schedule: how often harvests run, in the clock of some place. Bounds are those of the API."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from armarium.core.entities import Described
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
