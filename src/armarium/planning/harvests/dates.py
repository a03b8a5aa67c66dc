"""The dates of a harvest by its schedule, and which of those that have passed become runs. Pure.

A date is on time if no later one has passed as well and it is not longer ago than `patience`: then it
runs, whatever was chosen. Every other date was missed. `skip` lets missed dates go. `catch-up` makes a run
for each of the newest `MOST_CAUGHT_UP`, oldest first, but one after the other: a missed date waits, and what
is due after it waits as well, until the jobs of earlier runs have ended. So no site is harvested by two
runs at once, and who was away for a month gets no month of crawls. Whatever is let go is said: nothing
vanishes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from armarium.planning.model import Missed
from armarium.planning.schedules.model import Schedule
from armarium.planning.schedules.rules import following

MOST_CAUGHT_UP = 10

#: The date that follows a date, given how many runs there were; None: there is none.
Following = Callable[[datetime, int], datetime | None]


@dataclass(frozen=True)
class Decision:
    start: datetime | None  # the date that becomes a run now
    skipped: tuple[datetime, ...]
    next_at: datetime | None  # passed as well, if it waits for its turn; None: the schedule has ended


def decide(
    first: datetime,
    now: datetime,
    following: Following,
    *,
    runs: int,
    missed: Missed,
    patience: timedelta,
    busy: bool = False,
) -> Decision:
    """Go through the dates from `first`, the one that fell due, to now. `busy`: jobs of it wait or run."""
    passed = [first]
    while (date := following(passed[-1], runs)) is not None and date <= now:
        passed.append(date)
    on_time = now - passed[-1] <= patience
    if missed is Missed.SKIP:
        start, skipped = (passed[-1], passed[:-1]) if on_time else (None, passed)
        return Decision(start, tuple(skipped), following(passed[-1], runs + on_time))
    skipped = passed[: -MOST_CAUGHT_UP - on_time]
    date = passed[len(skipped)]
    if busy and not (on_time and date == passed[-1]):
        return Decision(None, tuple(skipped), date)
    return Decision(date, tuple(skipped), following(date, runs + 1))


def after(schedule: Schedule | None, begun: datetime | None) -> Following:
    """The date that follows one, for the rule of missed runs. Without a schedule a harvest runs once."""
    if schedule is None:
        return lambda _date, _runs: None
    return lambda date, runs: following(schedule, date, runs, begun)


def dates_until(
    schedule: Schedule | None, first: datetime, end: datetime, runs: int, begun: datetime | None = None
) -> Iterator[datetime]:
    """The dates from `first` on, before `end`, as they would come if nothing is missed."""
    date: datetime | None = first
    while date is not None and date < end:
        yield date
        runs += 1
        date = following(schedule, date, runs, begun or first) if schedule else None
