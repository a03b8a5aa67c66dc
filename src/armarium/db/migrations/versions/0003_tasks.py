"""Tables of tasks and notifications.

procrastinate's own tables are not here: `armarium.tasks.schema.ensure` makes them from its SQL files.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "task_schema",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("applied_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "task_failure",
        sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
        sa.Column("task_id", sa.BigInteger, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("error", sa.Text, nullable=False),
        sa.Column("traceback", sa.Text, nullable=False),
    )
    op.create_index("ix_task_failure_task", "task_failure", ["task_id", "id"])
    op.create_table(
        "notification",
        sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("severity", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("audience", sa.Text, nullable=False),
        sa.Column("subject", postgresql.JSONB, nullable=False),
        sa.Column("text", postgresql.JSONB, nullable=False),
        sa.Column("deliveries", postgresql.JSONB, nullable=False),
        sa.Column("repeats", sa.Integer, nullable=False, server_default="0"),
        sa.Column("last_repeat", sa.DateTime(timezone=True)),
    )
    op.create_index("ix_notification_key", "notification", ["key", "at"])
    op.create_index("ix_notification_at", "notification", ["at"])


def downgrade() -> None:
    op.drop_table("notification")
    op.drop_table("task_failure")
    op.drop_table("task_schema")
