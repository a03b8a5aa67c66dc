"""Table of the pictures of archived pages."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "access_picture",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("timestamp", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("key", "timestamp", name="access_picture_pkey"),
    )
    op.create_index(
        "access_picture_waiting", "access_picture", ["asked_at"], postgresql_where=sa.text("state = 'asked'")
    )
    op.create_index("access_picture_taken", "access_picture", ["taken_at"])
