"""Bringing the schema to this version, with what belongs to it: a command never does."""

from armarium.db.database import Database
from armarium.db.migrate import migrate
from armarium.planning import shipped
from armarium.selection import shipped as selection_shipped
from armarium.storage.replicas import service as replicas
from armarium.tasks import schema as task_schema


def prepare_database(database: Database) -> None:
    """Several processes may do so at once."""
    migrate(database, also=[task_schema.ensure, shipped.ensure, selection_shipped.ensure, replicas.ensure])
