"""Production, dress rehearsal, pre-production: they share code, never data.

A database belongs to the environment that first used it. Processes of another one refuse it: a rehearsal
that was started with the settings of production must not plan harvests there.
"""

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.core.errors import Misconfigured
from armarium.core.message import message
from armarium.db.schema import schema

# --- The table in which a database says which environment it belongs to.


environment = sa.Table(
    "environment",
    schema,
    sa.Column("one", sa.Boolean, primary_key=True, server_default=sa.text("true")),  # one row and no other
    sa.Column("name", sa.Text, nullable=False),
    sa.CheckConstraint("one", name="one"),
)


# --- Production, dress rehearsal, pre-production: they share code, never data.


PRODUCTION = "production"


def take(connection: Connection, name: str) -> None:
    """Make the database this environment's own; if it has an owner already, that must be the same."""
    connection.execute(insert(environment).values(name=name).on_conflict_do_nothing())
    owner = connection.scalar(sa.select(environment.c.name))
    if owner != name:
        raise Misconfigured(
            message(
                "This database belongs to the environment “%(owner)s”, and the settings say "
                "database.environment = “%(name)s”. Environments share no data: give this one a database "
                "and a data folder of its own, or correct the setting.",
                owner=owner,
                name=name,
            )
        )
