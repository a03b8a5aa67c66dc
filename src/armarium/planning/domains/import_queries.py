"""The SQL of imports: COPY into a table that lives as long as the transaction."""

from collections.abc import Iterable, Mapping

import psycopg
import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping

from armarium.planning.domains.lines import Line
from armarium.planning.domains.model import Import
from armarium.planning.domains.tables import domain_import

LINES = """
CREATE TEMPORARY TABLE import_line (line bigint, name text COLLATE "C", seed text, comments text)
ON COMMIT DROP
"""
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
    SELECT name, seed, min(line) AS line, max(comments) AS comments FROM import_line GROUP BY name, seed
) AS each
GROUP BY name
"""
#: Room to sort a million names without going to disk for it, for this transaction only.
ROOM = "SET LOCAL work_mem = '128MB'"
LARGE = 50_000  # new rows from which on the statistics for the planner are made anew at once


def copy_lines(connection: Connection, lines: Iterable[Line]) -> None:
    connection.execute(sa.text(ROOM))
    connection.execute(sa.text(LINES))
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    with driver.cursor() as cursor, cursor.copy("COPY import_line FROM STDIN") as copy:
        for line in lines:
            copy.write_row(line)
    connection.execute(sa.text("ANALYZE import_line"))


def count_names(connection: Connection) -> int:
    return int(connection.execute(sa.text("SELECT count(DISTINCT name) FROM import_line")).scalar_one())


def finish(connection: Connection) -> None:
    """Leave the search as fast as it was: fresh statistics, and no unsorted rest in the index of trigrams."""
    lines = connection.execute(sa.text("SELECT count(*) FROM import_line")).scalar_one()
    if lines >= LARGE:
        connection.execute(sa.text("SELECT gin_clean_pending_list('domain_trigrams_index')"))
        connection.execute(sa.text("ANALYZE domain, seed_list, configuration"))


def insert_import(connection: Connection, values: Mapping[str, object]) -> int:
    made = domain_import.insert().values(values).returning(domain_import.c.id)
    return int(connection.execute(made).scalar_one())


def update_import(connection: Connection, number: int, **values: object) -> None:
    connection.execute(domain_import.update().where(domain_import.c.id == number).values(values))


def to_import(row: RowMapping) -> Import:
    return Import(**{**row, "faults": tuple(row["faults"])})


def import_by_id(connection: Connection, number: int) -> Import | None:
    chosen = sa.select(domain_import).where(domain_import.c.id == number)
    row = connection.execute(chosen).mappings().one_or_none()
    return to_import(row) if row else None


def imports(connection: Connection, limit: int, offset: int) -> tuple[list[Import], int]:
    """The latest first; their faults are read only for one."""
    columns = [column for column in domain_import.c if column.name != "faults"]
    chosen = sa.select(*columns, sa.literal([], type_=domain_import.c.faults.type).label("faults"))
    rows = connection.execute(
        chosen.order_by(domain_import.c.id.desc()).limit(limit).offset(offset)
    ).mappings()
    total = connection.scalar(sa.select(sa.func.count()).select_from(domain_import))
    return [to_import(row) for row in rows], total or 0
