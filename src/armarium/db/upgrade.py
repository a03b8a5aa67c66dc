"""Alembic, which applies the migrations."""

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection


def upgrade(connection: Connection) -> None:
    """Apply those that are missing, in the transaction of this connection."""
    config = Config()
    config.set_main_option("script_location", "armarium.db:migrations")
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection  # for migrations/env.py
    command.upgrade(config, "head")
