"""Marks of places in the list of jobs: what a page begins behind."""

from datetime import datetime
from typing import Any

from armarium.planning.jobs.model import JobRow

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
