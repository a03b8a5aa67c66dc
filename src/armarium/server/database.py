"""What every process stands on: its database, running, and with the schema of this version."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from armarium.core.late import late
from armarium.db import embedded, environment
from armarium.db.database import Database
from armarium.db.settings import DatabaseSettings
from armarium.settings import Settings

if TYPE_CHECKING:
    from armarium.server.schema import prepare_database
else:
    prepare_database = late("armarium.server.schema:prepare_database")


@contextmanager
def founded(settings: Settings, *, application: str, prepare: bool = True) -> Iterator[Database]:
    """The database; the embedded server runs as long as somebody is in.

    `prepare`: bring the schema up to date first.
    """
    with ExitStack() as stack:
        chosen = settings[DatabaseSettings]
        if chosen.url is None:
            url = stack.enter_context(embedded.running(settings.home))
        else:
            url = chosen.url.get_secret_value()
        database = Database(url, application=application, pool_size=chosen.pool_size)
        stack.callback(database.close)
        if prepare:
            prepare_database(database)
            with database.transaction() as connection:
                environment.take(connection, chosen.environment)
        yield database
