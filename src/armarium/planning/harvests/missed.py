"""Which of the dates that have passed become runs.

A date is on time if no later one has passed as well and it is not longer ago than `patience`: then it
runs, whatever was chosen. Every other date was missed. `skip` lets missed dates go; `catch-up` makes a run
for each, oldest first, but for no more than `MOST_CAUGHT_UP`: who was away for a month wants no month of
crawls at once. Whatever is let go is said: nothing vanishes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from armarium.planning.harvests.model import Missed

MOST_CAUGHT_UP = 10

#: The date that follows a date, given how many runs there were; None: there is none.
Following = Callable[[datetime, int], datetime | None]


@dataclass(frozen=True)
class Decision:
    starts: tuple[datetime, ...]
    skipped: tuple[datetime, ...]
    next_at: datetime | None  # in the future; None: the schedule has ended


def decide(
    first: datetime,
    now: datetime,
    following: Following,
    *,
    runs: int,
    missed: Missed,
    patience: timedelta,
) -> Decision:
    """Go through the dates from `first`, the one that fell due, to now."""
    starts: list[datetime] = []
    skipped: list[datetime] = []
    caught_up = 0
    date: datetime | None = first
    while date is not None and date <= now:
        after = following(date, runs + len(starts))
        on_time = now - date <= patience and (after is None or after > now)
        catch_up = missed is Missed.CATCH_UP and caught_up < MOST_CAUGHT_UP
        if on_time or catch_up:
            starts.append(date)
            caught_up += not on_time
            # Asked again: a run that begins may be the last one that the schedule allows.
            date = following(date, runs + len(starts))
        else:
            skipped.append(date)
            date = after
    return Decision(tuple(starts), tuple(skipped), date)
