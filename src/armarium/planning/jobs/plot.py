"""The progress of a job over time, as the lines of a drawing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from armarium.planning.jobs.model import Sample

WIDTH, HEIGHT = 600, 120
TOP, BOTTOM = 8, 8


@dataclass(frozen=True)
class Plot:
    """One line with its highest value; points are in a field of WIDTH by HEIGHT."""

    points: str
    area: str
    highest: float
    last: float


def begins_and_ends(samples: Sequence[Sample]) -> tuple[datetime, datetime] | None:
    return (samples[0].at, samples[-1].at) if len(samples) > 1 else None


def plotted(samples: Sequence[Sample], value: Callable[[Sample], float]) -> Plot | None:
    """None where there is nothing to draw: a line needs two points."""
    if len(samples) < 2:
        return None
    first, last = samples[0].at, samples[-1].at
    span = max((last - first).total_seconds(), 1.0)
    values = [max(value(one), 0.0) for one in samples]
    highest = max(values) or 1.0
    room = HEIGHT - TOP - BOTTOM
    dots = [
        (WIDTH * (one.at - first).total_seconds() / span, HEIGHT - BOTTOM - room * each / highest)
        for one, each in zip(samples, values, strict=True)
    ]
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in dots)
    floor = HEIGHT - BOTTOM
    return Plot(points, f"0,{floor} {points} {WIDTH},{floor}", max(values), values[-1])
