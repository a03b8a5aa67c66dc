"""The SQL of imports: COPY into a table of lines, and slices of it."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

import psycopg
import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.rows import Rows
from armarium.planning.domains.import_files import Line
from armarium.planning.domains.model import Import
from armarium.planning.tables.domains import domain_import
from armarium.planning.tables.domains import domain_import_line as kept

COUNTS = ("lines", "created", "known", "repeated", "refused", "skipped")
#: Each domain once. Seeds of several lines are one list; the usual two where no line has one.
DOMAINS_OF_LINES = """
SELECT
    name,
    coalesce(
        string_agg(seed, E'\\n' ORDER BY line),
        'http://' || name || '/' || E'\\n' || 'http://www.' || name || '/'
    ) AS seeds,
    coalesce(max(comments), '') AS comments
FROM (
    SELECT name, seed, min(line) AS line, max(comments) AS comments FROM domain_import_line
    WHERE import = :import AND name BETWEEN :first AND :last
    GROUP BY name, seed
) AS each
GROUP BY name
"""
COPY = "COPY domain_import_line (import, line, name, seed, comments) FROM STDIN"
LARGE = 50_000  # new rows from which on the statistics for the planner are made anew at once


class Names(NamedTuple):
    """Names that follow each other."""

    number: int
    first: str
    last: str


def copy_lines(connection: Connection, number: int, lines: Iterable[Line]) -> None:
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    with driver.cursor() as cursor, cursor.copy(COPY) as copy:
        for line in lines:
            copy.write_row((number, *line))


def prepare(connection: Connection) -> None:
    """Let the planner know of the lines that are kept."""
    connection.execute(sa.text("ANALYZE domain_import_line"))


def next_names(connection: Connection, number: int, most: int) -> Names:
    some = (
        sa.select(kept.c.name).where(kept.c["import"] == number).group_by(kept.c.name).order_by(kept.c.name)
    )
    name = some.limit(most).subquery().c.name
    count, first, last = connection.execute(
        sa.select(sa.func.count(), sa.func.min(name), sa.func.max(name))
    ).one()
    return Names(count, first or "", last or "")


def forget_lines(connection: Connection, number: int, last: str | None = None) -> int:
    """Those of names up to the last, or all; how many there were."""
    mine = kept.c["import"] == number
    chosen = mine if last is None else sa.and_(mine, kept.c.name <= last)
    return connection.execute(sa.delete(kept).where(chosen)).rowcount


def refresh(connection: Connection, created: int) -> None:
    """Leave the search as fast as it was: fresh statistics, and no unsorted rest in the index of trigrams."""
    if created >= LARGE:
        connection.execute(sa.text("SELECT gin_clean_pending_list('domain_trigrams_index')"))
        connection.execute(sa.text("ANALYZE domain, seed_list, configuration"))


def unread(connection: Connection, state: str, before: datetime) -> list[int]:
    old = sa.select(domain_import.c.id).where(
        domain_import.c.state == state, domain_import.c.begun_at < before
    )
    return list(connection.scalars(old))


all_imports = Rows(domain_import, Import, order=(domain_import.c.id.desc(),))


def imports(connection: Connection, limit: int, offset: int = 0) -> tuple[list[Import], int]:
    """The latest first; their faults are read only for one."""
    columns = [column for column in domain_import.c if column.name != "faults"]
    chosen = sa.select(*columns, sa.literal([], type_=domain_import.c.faults.type).label("faults"))
    rows = connection.execute(
        chosen.order_by(domain_import.c.id.desc()).limit(limit).offset(offset)
    ).mappings()
    total = connection.scalar(sa.select(sa.func.count()).select_from(domain_import))
    return [all_imports.value(row) for row in rows], total or 0
