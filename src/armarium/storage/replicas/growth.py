"""How replicas grew: what they held at the end of each month, by when their files were stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from sqlalchemy import Connection

from armarium.core import clock
from armarium.storage.figures import Content
from armarium.storage.replicas import queries

GROWTH = "growth"  # the name of the figures
MONTHS = 24  # that are drawn


@dataclass(frozen=True)
class Growth:
    """What was held at the end of each month, the present one last."""

    months: tuple[date, ...] = ()
    held: tuple[int, ...] = ()


def figures_of_growth(connection: Connection) -> Content:
    return {str(number): added for number, added in queries.bytes_by_month(connection).items()}


def grown(added: Mapping[str, int]) -> Growth:
    """From what each month added; months in which nothing came stay at the level before."""
    if not added:
        return Growth()
    now = clock.now().date()
    months = _months(max(date.fromisoformat(f"{min(added)}-01"), _before(now, MONTHS - 1)), now)
    first = f"{months[0]:%Y-%m}"
    level = sum(size for name, size in added.items() if name < first)
    held = []
    for one in months:
        level += added.get(f"{one:%Y-%m}", 0)
        held.append(level)
    return Growth(tuple(months), tuple(held))


def _months(first: date, last: date) -> list[date]:
    found = [last.replace(day=1)]
    while found[-1] > first:
        found.append(_before(found[-1], 1))
    return found[::-1]


def _before(day: date, months: int) -> date:
    year, at = divmod(day.year * 12 + day.month - 1 - months, 12)
    return date(year, at + 1, 1)
