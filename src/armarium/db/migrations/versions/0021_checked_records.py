"""When the address of a record was last seen to answer: without that it cannot be validated."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("selection_record", sa.Column("checked_at", sa.DateTime(timezone=True)))
    # Records that came in by a live check, and those at which somebody looked again since.
    op.execute("""
        UPDATE selection_record SET checked_at = seen.at
        FROM (
            SELECT record, max(checked_at) AS at FROM selection_check
            WHERE record IS NOT NULL AND state IN ('fine', 'redirects') GROUP BY record
        ) AS seen
        WHERE seen.record = selection_record.id
    """)
    op.execute("""
        UPDATE selection_record SET checked_at = created_at WHERE checked_at IS NULL AND "check" IS NOT NULL
    """)


def downgrade() -> None:
    op.drop_column("selection_record", "checked_at")
