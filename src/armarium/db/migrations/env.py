"""What Alembic runs around the migrations: on the connection that holds the lock of `migrate`."""

from alembic import context

from armarium.db.schema import schema

context.configure(
    connection=context.config.attributes["connection"], target_metadata=schema, compare_server_default=True
)
with context.begin_transaction():
    context.run_migrations()
