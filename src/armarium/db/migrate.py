"""Bring the database's schema to the revision that this version of Armarium needs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, text

from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.db.database import Database

# Any number will do, as long as every process of every version uses the same one.
LOCK = 0x41524D_4D494752

Step = Callable[[Connection], None]


def migrate(database: Database, also: Sequence[Step] = ()) -> None:
    """Apply the missing migrations, then the further steps, in one transaction and under one lock.

    Several processes may call this at once: one works, the others wait and find nothing left to do.
    """
    with hold(database) as connection:
        _refuse_unknown(connection)
        config = _config()
        config.attributes["connection"] = connection  # for migrations/env.py
        command.upgrade(config, "head")
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


@cache  # asked again and again by whoever watches over this process
def newest() -> str | None:
    """The revision that this version of Armarium needs."""
    return _script().get_current_head()


def _script() -> ScriptDirectory:
    return ScriptDirectory.from_config(_config())


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "armarium.db:migrations")
    config.set_main_option("path_separator", "os")
    return config


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _refuse_unknown(connection: Connection) -> None:
    revision = _revision(connection)
    known = {script.revision for script in _script().walk_revisions()}
    if revision is not None and revision not in known:
        raise Misconfigured(
            message(
                "The database has schema revision %(found)s, which this version of Armarium does not know: "
                "the newest it knows is %(known)s. A newer version has used this database. "
                "Install that version or a later one, or use another database.",
                found=revision,
                known=newest(),
            )
        )
