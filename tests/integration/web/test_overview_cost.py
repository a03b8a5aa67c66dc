"""The overview stays quick in a large house: few questions, and none that reads a long table to its end."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy import Engine, event

from armarium.accounts.model import Identity, Permission, Role
from armarium.cli.overview import CONTRIBUTIONS
from armarium.core import clock
from armarium.db.database import Database
from armarium.web.overview import Asked, gathered
from tests.busy import Amounts, fill
from tests.cost import processor_seconds
from tests.site import RunningSite

MANY = Amounts(records=40_000, jobs=30_000, files=40_000, failed_tasks=5_000, days=700)
LONG = {
    "selection_record",
    "job",
    "stored_file",
    "file_copy",
    "index_file",
    "procrastinate_jobs",
    "task_failure",
    "selection_transfer_line",
}
#: Files and bytes of all time, which storage keeps where counting them takes long.
KEPT = "count(*) FILTER (WHERE stored_file.state"

#: The figures of a year, which are asked for every ten minutes, have its weeks from an index alone.
OF_A_YEAR = "date_trunc('week'"

#: Counts stop at a thousand, and of failed tasks the last 5,000 are looked through.
FEW_ROWS = 5_000

#: What has long been done and is nobody's concern any more, in numbers.
LONG_AGO = (
    "INSERT INTO procrastinate_jobs (queue_name, task_name, priority, args, status, attempts) "
    "SELECT 'default', 'index.file', 0, '{}', 'succeeded', 2 FROM generate_series(1, 30000)",
    "INSERT INTO task_failure (task_id, at, attempt, kind, error, traceback) "
    "SELECT id, now(), 1, 'error', 'Away.', '' FROM procrastinate_jobs WHERE status = 'succeeded'",
    "INSERT INTO index_file (file, name, day, state, asked_at) "
    "SELECT id, name, now()::date, 'indexed', now() FROM stored_file ON CONFLICT DO NOTHING",
    "ANALYZE",
)

Statement = tuple[str, Any]


@pytest.fixture
def asked(site: RunningSite, database: Database) -> Asked:
    fill(database, MANY)
    with database.transaction() as connection:
        for statement in LONG_AGO:
            connection.execute(sa.text(statement))
    account = site.house.accounts.get(site.account("ada", Role.ADMINISTRATOR))
    return Asked(site.app.state.services, Identity(account, frozenset(Permission)), clock.now())


@contextmanager
def heard() -> Iterator[list[Statement]]:
    """What is asked of the database meanwhile."""
    statements: list[Statement] = []

    def hear(_: Any, __: Any, statement: str, parameters: Any, *___: Any) -> None:
        statements.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", hear)
    try:
        yield statements
    finally:
        event.remove(Engine, "before_cursor_execute", hear)


def scanned(plan: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Tables that are read, by an index or from their first row on, and how many of their rows."""
    if "Relation Name" in plan:
        rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
        yield plan["Relation Name"], int(rows * plan["Actual Loops"])
    for inner in plan.get("Plans", ()):
        yield from scanned(inner)


def test_the_whole_page_asks_few_questions_and_reads_no_long_table(asked: Asked, database: Database) -> None:
    with heard() as statements:
        found = gathered(CONTRIBUTIONS, asked)
    assert found.silent == ()
    assert len(found.figures) == 7
    assert len(statements) <= 65
    with database.transaction() as connection:
        for statement, parameters in statements:
            if KEPT in statement or OF_A_YEAR in statement:
                continue
            explained = connection.exec_driver_sql(f"EXPLAIN (ANALYZE, FORMAT JSON) {statement}", parameters)
            read = [one for one in scanned(explained.scalar_one()[0]["Plan"]) if one[0] in LONG]
            assert all(rows <= FEW_ROWS for _, rows in read), f"{statement} reads {read}"


def test_it_costs_this_process_little(asked: Asked) -> None:
    gathered(CONTRIBUTIONS, asked)  # sentences of SQL are put together once
    again = Asked(asked.services, asked.identity, clock.now())
    with processor_seconds(0.3):  # measured: 0.05, of which the figures of the year 0.01
        gathered(CONTRIBUTIONS, again)


def test_counts_stop_where_nobody_cares_any_more(asked: Asked) -> None:
    found = gathered(CONTRIBUTIONS, asked, year=False)
    counts = {str(one.title): one.count for one in found.waiting}
    assert counts["Proposals to decide"] == 1000
    assert counts["Failed tasks"] == 1000
    assert counts["Failed jobs"] == 1000
