"""Bring the database's schema to the revision that this version of Armarium needs.

Nearly every start finds nothing to do: Alembic and the migrations are imported by those that do.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from sqlalchemy import Connection, text

from armarium.core.errors import Misconfigured
from armarium.core.late import LateModule, late
from armarium.core.message import message
from armarium.db.database import Database

if TYPE_CHECKING:
    from alembic import command
    from alembic.config import Config
else:
    command = LateModule("alembic.command")
    Config = late("alembic.config:Config")

# Any number will do, as long as every process of every version uses the same one.
LOCK = 0x41524D_4D494752

Step = Callable[[Connection], None]


def migrate(database: Database, also: Sequence[Step] = ()) -> None:
    """Apply the missing migrations, then the further steps, in one transaction and under one lock.

    Several processes may call this at once: one works, the others wait and find nothing left to do.
    """
    with hold(database) as connection:
        _refuse_unknown(connection)
        if _revision(connection) != newest():
            _upgrade(connection)
        for step in also:
            step(connection)


@contextmanager
def hold(database: Database) -> Iterator[Connection]:
    """A transaction during which no other process changes the schema."""
    with database.transaction() as connection:
        # A migration of a big table, or the wait for one, may take longer than any statement of a page.
        connection.execute(text("SET LOCAL statement_timeout = 0"))
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
        yield connection


def current(database: Database) -> str | None:
    """The revision of the schema in the database; None before the first migration."""
    with database.transaction() as connection:
        return _revision(connection)


def is_current(database: Database) -> bool:
    return current(database) == newest()


def newest() -> str:
    """The revision that this version of Armarium needs."""
    return known()[-1]


@cache
def known() -> tuple[str, ...]:
    """The revisions of the one line of history, by the names of their files: 0001_what_it_does.py."""
    files = (file.name for file in resources.files("armarium.db.migrations.versions").iterdir())
    return tuple(sorted(name.partition("_")[0] for name in files if name[0].isdigit()))


def _upgrade(connection: Connection) -> None:
    """Apply the migrations that are missing, in the transaction of this connection."""
    config = Config()
    config.set_main_option("script_location", "armarium.db:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection  # for migrations/env.py
    command.upgrade(config, "head")


def _revision(connection: Connection) -> str | None:
    """What Alembic notes in its table; there is none before the first migration."""
    if connection.execute(text("SELECT to_regclass('alembic_version')")).scalar() is None:
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def _refuse_unknown(connection: Connection) -> None:
    revision = _revision(connection)
    if revision is not None and revision not in known():
        raise Misconfigured(
            message(
                "The database has schema revision %(found)s, which this version of Armarium does not know: "
                "the newest it knows is %(known)s. A newer version has used this database. "
                "Install that version or a later one, or use another database.",
                found=revision,
                known=newest(),
            )
        )
