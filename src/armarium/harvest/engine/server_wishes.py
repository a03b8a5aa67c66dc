"""What a server asks of us in the head of its answer."""

import re
from datetime import datetime
from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.formats.http import HttpHead

if TYPE_CHECKING:
    from armarium.formats.text.dates import parse_date
else:
    parse_date = late("armarium.formats.text.dates:parse_date")

DELAY = re.compile(r"\d{1,9}")


def retry_after(head: HttpHead | None, asked: datetime) -> float | None:
    """Seconds to wait, by Retry-After (RFC 9110, 10.2.3: a count of seconds, or a date)."""
    if head is None or head.fields.get_bytes("retry-after") is None:
        return None
    value = (head.fields.get("retry-after") or "").strip()
    if DELAY.fullmatch(value):
        return float(value)
    moment = parse_date(value)
    if moment is None:
        return None
    # A server's clock may be wrong; what it meant is the time between its own two dates.
    told = parse_date(head.fields.get("date") or "") or asked
    return max((moment - told).total_seconds(), 0.0)
