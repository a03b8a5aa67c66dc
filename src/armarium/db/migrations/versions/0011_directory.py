"""People of a directory: where an account comes from, groups, browsers on their way to a provider."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "account", sa.Column("source", sa.Text(), server_default=sa.text("'local'"), nullable=False)
    )
    op.add_column("account", sa.Column("subject", sa.Text(), nullable=True))
    op.create_unique_constraint("account_source_subject_key", "account", ["source", "subject"])
    op.create_check_constraint("one_proof", "account", "source = 'local' OR password_hash IS NULL")
    op.create_table(
        "account_group",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="account_group_account_fkey"),
        sa.PrimaryKeyConstraint("account", "source", "name", name="account_group_pkey"),
    )
    op.create_index("account_group_name_index", "account_group", ["name"])
    op.create_table(
        "openid_attempt",
        sa.Column("key_digest", sa.LargeBinary(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key_digest", name="openid_attempt_pkey"),
    )


def downgrade() -> None:
    op.drop_table("openid_attempt")
    op.drop_table("account_group")
    op.drop_constraint("one_proof", "account")
    op.drop_constraint("account_source_subject_key", "account")
    op.drop_column("account", "subject")
    op.drop_column("account", "source")
