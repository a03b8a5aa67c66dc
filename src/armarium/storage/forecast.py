"""How long the room lasts: the growth of the last months, continued in a straight line."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

LOOKED_BACK = 6  # months
DAYS_OF_MONTH = 365.25 / 12
FARTHEST = 20 * 365  # days; nobody plans further


@dataclass(frozen=True)
class Forecast:
    per_month: float  # bytes that are added in a month

    def after(self, size: int, months: int) -> int:
        return round(size + self.per_month * months)

    def full_on(self, free: int, today: date) -> date | None:
        """When so many free bytes are used up; None: not in the next twenty years."""
        if self.per_month <= 0:
            return None
        days = free / self.per_month * DAYS_OF_MONTH
        return today + timedelta(days=round(days)) if days <= FARTHEST else None


def forecast(sizes: Sequence[int]) -> Forecast | None:
    """From the sizes at the ends of months, the last of today; None: there are not three to compare."""
    known = [*sizes][next((at for at, size in enumerate(sizes) if size), len(sizes)) :][-LOOKED_BACK - 1 :]
    if len(known) < 3:
        return None
    return Forecast((known[-1] - known[0]) / (len(known) - 1))
