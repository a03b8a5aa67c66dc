"""The environment to which the database belongs."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "environment",
        sa.Column("one", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.CheckConstraint("one", name="one"),
        sa.PrimaryKeyConstraint("one", name="environment_pkey"),
    )


def downgrade() -> None:
    op.drop_table("environment")
