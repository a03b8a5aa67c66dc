"""procrastinate's own tables: made on a fresh database, brought up to date on a later one.

Alembic does not know them; they come with procrastinate as SQL files. We remember which of those a database
has. All of them are applied in one transaction: a start killed half-way leaves the database as it was.
"""

from collections.abc import Callable
from importlib import resources
from pathlib import Path

import psycopg
import sqlalchemy as sa
from procrastinate.schema import SchemaManager
from sqlalchemy import Connection

from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.tasks import tables


def ensure(connection: Connection) -> None:
    """Make or complete the tables: a step of `migrate`, after Alembic's own and under its lock."""
    applied = tables.applied_steps(connection)
    theirs, ours = _procrastinate_steps(), _armarium_steps()
    _refuse_unknown(applied, known={*theirs, *ours})
    if not applied:
        _start_fresh(connection, theirs)
        applied = set(theirs)
    for name, read in {**theirs, **ours}.items():
        if name not in applied:
            _execute(connection, read())
            tables.record_step(connection, name)


def _procrastinate_steps() -> dict[str, Callable[[], str]]:
    files = sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql"))
    return {file.name: _reader(file) for file in files}


def _armarium_steps() -> dict[str, Callable[[], str]]:
    folder = resources.files("armarium.tasks") / "sql"
    files = sorted(
        (file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name
    )
    return {f"armarium/{file.name}": lambda file=file: file.read_text("utf-8") for file in files}  # type: ignore[misc]


def _reader(file: Path) -> Callable[[], str]:
    return lambda: file.read_text("utf-8")


def _refuse_unknown(applied: set[str], known: set[str]) -> None:
    if unknown := sorted(applied - known):
        raise Misconfigured(
            message(
                "The task tables of this database were made by a newer version of Armarium or procrastinate "
                "(unknown here: %(steps)s). Install that version again, or restore a backup made before it.",
                steps=", ".join(unknown),
            )
        )


def _start_fresh(connection: Connection, steps: dict[str, Callable[[], str]]) -> None:
    if connection.scalar(sa.select(sa.func.to_regclass("procrastinate_jobs"))) is not None:
        raise Misconfigured(
            message(
                "This database already has the tables of another application that uses procrastinate. "
                "Give Armarium a database of its own (database.url)."
            )
        )
    _execute(connection, SchemaManager.get_schema())
    for name in steps:
        tables.record_step(connection, name)


def _execute(connection: Connection, statements: str) -> None:
    # Whole files, with % in them: SQLAlchemy would take those for places of parameters.
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)
    driver.execute(statements.encode())
