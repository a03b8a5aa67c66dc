"""Environments share code, never data."""

import pytest

from armarium.core.errors import Misconfigured
from armarium.db.database import Database
from armarium.db.environment import take


def test_a_database_belongs_to_the_environment_that_first_used_it(database: Database) -> None:
    with database.transaction() as connection:
        take(connection, "production")
        take(connection, "production")
    with pytest.raises(Misconfigured, match=r"belongs to the environment “production”.*“rehearsal”"):  # noqa: SIM117
        with database.transaction() as connection:
            take(connection, "rehearsal")
    with database.transaction() as connection:
        take(connection, "production")
