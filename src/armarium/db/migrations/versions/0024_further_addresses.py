"""Which further addresses were seen to answer, and which records still have the addresses of their import."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("selection_address", sa.Column("checked_at", sa.DateTime(timezone=True)))
    no = sa.text("false")
    op.add_column(
        "selection_record", sa.Column("taken_over", sa.Boolean(), nullable=False, server_default=no)
    )
    op.execute("UPDATE selection_record SET taken_over = true WHERE origin = 'import'")


def downgrade() -> None:
    op.drop_column("selection_record", "taken_over")
    op.drop_column("selection_address", "checked_at")
