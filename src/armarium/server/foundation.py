"""What every house stands on: its database, running, and with the schema of this version.

Apart from the assembly: who needs few of the services, such as the supervisor, imports no others.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from armarium.db import embedded, environment
from armarium.db.database import Database
from armarium.db.migrate import migrate
from armarium.db.settings import DatabaseSettings
from armarium.planning import shipped
from armarium.selection import shipped as selection_shipped
from armarium.settings import Settings
from armarium.storage.replicas import service as places
from armarium.tasks import schema as task_schema


def prepare_database(database: Database) -> None:
    """Bring the schema to this version; several processes may do so at once."""
    migrate(database, also=[task_schema.ensure, shipped.ensure, selection_shipped.ensure, places.ensure])


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
