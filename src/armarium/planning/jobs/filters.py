"""What somebody asks for in an address, as a question about jobs, and marks of places in their list."""

import re
from datetime import date, datetime
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.jobs.model import STATES_OF, Hurry, JobFilter, JobRow, Order
from armarium.planning.model import JobState

STRETCH = re.compile(r"(\d{1,18})(?:-(\d{1,18}))?")
MOST_STRETCHES = 200
FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(9998, 12, 31)  # at its ends the calendar has no next day


def numbers_in(text: str) -> tuple[tuple[int, int], ...]:
    """Numbers of jobs and stretches of them: “12, 40-60”."""
    pieces = [piece for piece in re.split(r"[,;\s]+", re.sub(r"\s*-\s*", "-", text)) if piece]
    found = [STRETCH.fullmatch(piece) for piece in pieces]
    if len(pieces) > MOST_STRETCHES or not all(found):
        raise Refused(message("Enter job numbers such as 12, 15, 40-60."), field="jobs")
    return tuple((int(one[1]), int(one[2] or one[1])) for one in found if one)


def day_in(text: str, field: str) -> date | None:
    if not text.strip():
        return None
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        day = None
    if day is None or not FIRST_DAY <= day <= LAST_DAY:
        text = text[:100]
        raise Refused(message("“%(text)s” is not a date. Use the form 2026-12-31.", text=text), field=field)
    return day


def states_in(text: str) -> frozenset[JobState]:
    """States with commas between them; `waiting` and `running` stand for several."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    unknown = [word for word in words if word not in STATES_OF]
    if unknown:
        raise Refused(
            message(
                "Unknown state “%(name)s”. Known states: %(known)s.",
                name=unknown[0][:100],
                known=", ".join(STATES_OF),
            ),
            field="state",
        )
    return frozenset().union(*(STATES_OF[word] for word in words))


def job_filter(
    *,
    q: str = "",
    state: str = "",
    harvest: str = "",
    channel: str = "",
    collector: str = "",
    domain: str = "",
    run: int | None = None,
    priority: str = "",
    jobs: str = "",
    since: str = "",
    until: str = "",
    order: str = "",
    zone: str = "UTC",
) -> JobFilter:
    """Raises `Refused` for what cannot be read."""
    return JobFilter(
        text=q.strip(),
        states=states_in(state),
        harvest=harvest.strip(),
        channel=channel,
        collector=collector,
        domain=domain.strip(),
        run=run,
        hurry=Hurry(priority) if priority in set(Hurry) else None,
        numbers=numbers_in(jobs),
        since=day_in(since, "from"),
        until=day_in(until, "to"),
        zone=zone,
        order=Order(order) if order in set(Order) else Order.NEWEST,
    )


# Marks ----------------------------------------------------------------------------------------------


LARGEST = 2**63 - 1
MOMENTS = frozenset({"created_at", "ended_at"})


def write_mark(row: JobRow, column: str) -> str:
    value = getattr(row, column.removeprefix("brought_"))  # a job that has ended brought what it has
    return str(row.id) if column == "id" else f"{value.isoformat() if column in MOMENTS else value}_{row.id}"


def read_mark(mark: str, column: str) -> tuple[Any, ...] | None:
    """The place in a list; a mark that is none leads to its beginning."""
    value, _, number = mark.rpartition("_")
    try:
        if column in MOMENTS:
            moment = datetime.fromisoformat(value.replace(" ", "+"))
            return (moment, _bigint(number)) if moment.tzinfo else None
        return (_bigint(number),) if column == "id" else (_bigint(value), _bigint(number))
    except ValueError:
        return None


def _bigint(text: str) -> int:
    """Raises ValueError for what no column holds."""
    if not 0 <= (number := int(text)) <= LARGEST:
        raise ValueError(text)
    return number
