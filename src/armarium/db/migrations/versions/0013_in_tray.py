"""The in-tray of selection: what waits, oldest first, and which comments somebody has seen."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "selection_look",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.BigInteger(), nullable=False),
        sa.Column("comment", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="selection_look_account_fkey"),
        sa.ForeignKeyConstraint(["record"], ["selection_record.id"], name="selection_look_record_fkey"),
        sa.PrimaryKeyConstraint("account", "record", name="selection_look_pkey"),
    )
    op.create_index("selection_comment_at_index", "selection_comment", ["at"])
    op.create_index(
        "selection_record_waiting_index",
        "selection_record",
        [sa.text("coalesce(stated_at, created_at)"), "id"],
        postgresql_where=sa.text("state = 'proposed' AND active"),
    )
    op.create_index(
        "selection_record_made_index",
        "selection_record",
        ["created_by"],
        postgresql_where=sa.text("responsible IS NULL"),
    )


def downgrade() -> None:
    op.drop_index("selection_record_made_index", "selection_record")
    op.drop_index("selection_record_waiting_index", "selection_record")
    op.drop_index("selection_comment_at_index", "selection_comment")
    op.drop_table("selection_look")
