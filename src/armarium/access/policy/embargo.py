"""When an embargo ends."""

from calendar import monthrange
from datetime import date, timedelta
from functools import lru_cache

from armarium.access.policy.model import Period
from armarium.formats.cdx.timestamps import moment

WHOLE = 14  # digits of a timestamp that leaves nothing open


@lru_cache(maxsize=65536)
def end_of(day: str, period: Period) -> date | None:
    """The first day on which a capture of that day (eight digits) may be seen; None: there is none.

    A date that is none, or too far away, has no such day: what cannot be reckoned stays under embargo.
    """
    captured = moment(day) if len(day) == len("20260131") else None
    if captured is None:
        return None
    months = captured.year * 12 + captured.month - 1 + period.years * 12 + period.months
    year, month = divmod(months, 12)
    try:
        # A month after the 31st of January is the last of February.
        last = monthrange(year, month + 1)[1]
        return date(year, month + 1, min(captured.day, last)) + timedelta(days=period.days)
    except (ValueError, OverflowError):
        return None
