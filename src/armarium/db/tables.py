"""The table in which a database says which environment it belongs to."""

import sqlalchemy as sa

from armarium.db.schema import schema

environment = sa.Table(
    "environment",
    schema,
    sa.Column("one", sa.Boolean, primary_key=True, server_default=sa.text("true")),  # one row and no other
    sa.Column("name", sa.Text, nullable=False),
    sa.CheckConstraint("one", name="one"),
)
