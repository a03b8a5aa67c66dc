"""Letters, nominations, the legal scope of records, and digests."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

TABLES = ("selection_digest", "selection_scope_note", "selection_nomination", "letter")


def _letter() -> None:
    op.create_table(
        "letter",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name="letter_pkey"),
    )
    op.create_index("letter_at_index", "letter", ["at"])


def _selection_nomination() -> None:
    op.create_table(
        "selection_nomination",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("collection", sa.BigInteger(), nullable=True),
        sa.Column("address", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("title", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("reason", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("mail", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("language", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("origin", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("answer", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("decided_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("record", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_nomination_collection_fkey"
        ),
        sa.ForeignKeyConstraint(["record"], ["selection_record.id"], name="selection_nomination_record_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_nomination_pkey"),
    )
    op.create_index("selection_nomination_key_index", "selection_nomination", ["key"])
    op.create_index("selection_nomination_origin_index", "selection_nomination", ["origin", "at"])
    op.create_index("selection_nomination_state_index", "selection_nomination", ["state", "at"])


def _selection_scope_note() -> None:
    op.create_table(
        "selection_scope_note",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("record", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("author", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("criterion", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("meets", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("text", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("evidence", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.ForeignKeyConstraint(["record"], ["selection_record.id"], name="selection_scope_note_record_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_scope_note_pkey"),
    )
    op.create_index("selection_scope_note_record_index", "selection_scope_note", ["record"])


def _selection_digest() -> None:
    op.create_table(
        "selection_digest",
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("rhythm", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="selection_digest_account_fkey"),
        sa.PrimaryKeyConstraint("account", name="selection_digest_pkey"),
    )


def _evidence_is_final() -> None:
    """Evidence that could be altered would be none."""
    op.execute(
        """
        CREATE FUNCTION scope_note_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'Evidence of the legal scope is never changed.'
                USING ERRCODE = 'insufficient_privilege';
        END $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER scope_note_is_final BEFORE UPDATE OR DELETE OR TRUNCATE ON selection_scope_note
        FOR EACH STATEMENT EXECUTE FUNCTION scope_note_is_final()
        """
    )


def upgrade() -> None:
    _letter()
    _selection_nomination()
    _selection_scope_note()
    _selection_digest()
    _evidence_is_final()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
    op.execute("DROP FUNCTION scope_note_is_final()")
