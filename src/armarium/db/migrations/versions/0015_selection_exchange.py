"""Tables of imports of records."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def _text(name: str) -> "sa.Column[str]":
    return sa.Column(name, sa.Text(), server_default=sa.text("''"), nullable=False)


def _count(name: str) -> "sa.Column[int]":
    return sa.Column(name, sa.BigInteger(), server_default=sa.text("0"), nullable=False)


def _moment(name: str, nullable: bool = True) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _list(name: str) -> "sa.Column[object]":
    return sa.Column(name, postgresql.JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False)


def upgrade() -> None:
    op.create_table(
        "selection_import",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        _text("name"),
        _count("bytes"),
        sa.Column("collection", sa.BigInteger(), nullable=True),
        _text("mode"),
        _text("state"),
        _moment("created_at", nullable=False),
        _text("by"),
        sa.Column("editor", postgresql.JSONB(), nullable=False),
        _text("language"),
        _moment("begun_at"),
        _moment("ended_at"),
        _count("done"),
        sa.Column("total", sa.BigInteger(), nullable=True),
        *(_count(name) for name in ("lines", "created", "changed", "unchanged", "refused")),
        _list("notes"),
        sa.Column("error", postgresql.JSONB(), nullable=True),
        _list("denied"),
        _moment("cleared_at"),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_import_collection_fkey"
        ),
        sa.PrimaryKeyConstraint("id", name="selection_import_pkey"),
    )
    op.create_index("selection_import_created_at_index", "selection_import", ["created_at"])
    op.create_table(
        "selection_import_piece",
        sa.Column("import", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import"], ["selection_import.id"], name="selection_import_piece_import_fkey"
        ),
        sa.PrimaryKeyConstraint("import", "place", name="selection_import_piece_pkey"),
    )
    op.create_table(
        "selection_import_fault",
        sa.Column("import", sa.BigInteger(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("line", sa.Integer(), nullable=False),
        _text("column"),
        _text("given"),
        sa.Column("text", postgresql.JSONB(), nullable=False),
        sa.ForeignKeyConstraint(
            ["import"], ["selection_import.id"], name="selection_import_fault_import_fkey"
        ),
        sa.PrimaryKeyConstraint("import", "place", name="selection_import_fault_pkey"),
    )


def downgrade() -> None:
    for name in ("selection_import_fault", "selection_import_piece", "selection_import"):
        op.drop_table(name)
