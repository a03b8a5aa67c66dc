"""The digest of the index that came with a file: what was altered since is not used."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "stored_file", sa.Column("companion_sha256", sa.Text(), server_default=sa.text("''"), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("stored_file", "companion_sha256")
