"""WARC-Date: a W3C profile of ISO 8601, to the second in 1.0 and of any granularity in 1.1."""

import re
from datetime import UTC, datetime, timedelta, timezone

# WARC 1.1 clause 5.4: year, month, day, minute, second, or 1 to 9 digits of a fraction; always UTC.
# Offsets and a missing Z are met in the wild and understood.
_DATE = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9})\d*)?)?(Z|[+-]\d\d:?\d\d)?)?)?)?\Z",  # noqa: E501
    re.ASCII | re.IGNORECASE,
)


def parse_date(text: str) -> datetime | None:
    """The moment a record names, in UTC and to the microsecond; None where it is no date."""
    match = _DATE.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    try:
        moment = datetime(
            int(year), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0),
            int(second or 0), int(((fraction or "") + "000000")[:6]), _zone(zone),
        )  # fmt: skip
        return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    minutes = int(text[1:3]) * 60 + int(text[-2:])
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))
