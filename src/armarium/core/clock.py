"""The one place that asks what time it is."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta


class _Shift:
    """How far this process dates things from the real time; None: not at all."""

    by: Callable[[], timedelta] | None = None


def now() -> datetime:
    moment = datetime.now(UTC)
    return moment if _Shift.by is None else moment + _Shift.by()


def follow(by: Callable[[], timedelta]) -> None:
    """Date everything of this process from another day. No setting leads here: dates are evidence.

    Only the processes of the demonstration do so, while its year is made. Pauses do not follow: they are
    counted by the machine's own clocks.
    """
    if _Shift.by is not None:
        raise ValueError("The clock of this process follows another one already.")
    _Shift.by = by
