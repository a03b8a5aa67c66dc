"""Imports of domains are made in slices: the lines wait in a table until the domains of them are made."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "domain_import", sa.Column("origin", sa.Text(), server_default=sa.text("''"), nullable=False)
    )
    op.add_column(
        "domain_import", sa.Column("actor", JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False)
    )
    # What was under way was one transaction of a process that is gone: nothing of it was made.
    op.execute("UPDATE domain_import SET state = 'failed', ended_at = begun_at WHERE state = 'running'")
    op.create_table(
        "domain_import_line",
        sa.Column("import", sa.BigInteger(), nullable=False),
        sa.Column("line", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("seed", sa.Text(), nullable=True),
        sa.Column("comments", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["import"], ["domain_import.id"], name="domain_import_line_import_fkey"),
    )
    op.create_index("domain_import_line_name_index", "domain_import_line", ["import", "name"])


def downgrade() -> None:
    op.drop_table("domain_import_line")
    op.drop_column("domain_import", "actor")
    op.drop_column("domain_import", "origin")
