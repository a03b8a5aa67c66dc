"""Tables of the live checks of addresses."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text(), server_default=sa.text("''"), nullable=False)


def _batch() -> None:
    op.create_table(
        "selection_check_batch",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("collection", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.BigInteger(), nullable=True),
        sa.Column("account", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        _text("created_by"),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_check_batch_collection_fkey"
        ),
        sa.ForeignKeyConstraint(
            ["record"], ["selection_record.id"], name="selection_check_batch_record_fkey"
        ),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="selection_check_batch_account_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_check_batch_pkey"),
    )
    op.create_index("selection_check_batch_account_index", "selection_check_batch", ["account", "created_at"])
    op.create_index("selection_check_batch_created_at_index", "selection_check_batch", ["created_at"])


def _check() -> None:
    op.create_table(
        "selection_check",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("batch", sa.BigInteger(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        _text("typed"),
        _text("address"),
        sa.Column("key", sa.Text(collation="C"), server_default=sa.text("''"), nullable=False),
        _text("state"),
        sa.Column("twin", sa.Integer(), server_default=sa.text("0"), nullable=False),
        _text("trouble"),
        sa.Column("steps", postgresql.JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False),
        _text("robots"),
        _text("robots_rule"),
        _text("title"),
        _text("language"),
        _text("media_type"),
        sa.Column("size", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("whole", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        _text("tls_problem"),
        sa.Column("seconds", sa.Float(), server_default=sa.text("0"), nullable=False),
        sa.Column("picture", sa.LargeBinary(), nullable=True),
        _text("picture_state"),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("record", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["batch"], ["selection_check_batch.id"], name="selection_check_batch_fkey"),
        sa.ForeignKeyConstraint(["record"], ["selection_record.id"], name="selection_check_record_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_check_pkey"),
        sa.UniqueConstraint("batch", "line", name="selection_check_batch_line_key"),
    )
    op.create_index("selection_check_record_index", "selection_check", ["record"])


def upgrade() -> None:
    _batch()
    _check()


def downgrade() -> None:
    op.drop_table("selection_check")
    op.drop_table("selection_check_batch")
