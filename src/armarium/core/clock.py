"""The one place that asks what time it is."""

from datetime import UTC, datetime, timedelta


class _Shift:
    """How far this process dates things from the real time."""

    by = timedelta(0)


def now() -> datetime:
    return datetime.now(UTC) + _Shift.by


def shift(by: timedelta) -> None:
    """Date everything of this process from another day. No setting leads here: dates are evidence.

    Only the crawls of the demonstration do so, once, before they begin. Pauses and leases do not follow: they
    are counted by the machine's own clocks.
    """
    if _Shift.by:
        raise ValueError("The clock of this process was shifted already.")
    _Shift.by = by
