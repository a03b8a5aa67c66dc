"""Search of records: what they are found by; saved searches; bulk edits with the values before."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

FACETS = "collection, theme, state, active, budget, frequency, depth, responsible, language"
INDEXES = {
    "selection_record_found_by_index": "USING gin (selection_trigrams(found_by))",
    "selection_record_title_index": "(selection_folded(title), id)",
    "selection_record_facets_index": f"({FACETS})",
}


def _found_by() -> None:
    """Texts without accents and capitals. Each function repeats the other: while a database is restored, a
    function does not find its neighbours."""
    fold = "lower(regexp_replace(normalize({}, NFKD), U&'[\\0300-\\036F]', '', 'g'))"
    op.execute(
        "CREATE FUNCTION selection_folded(text) RETURNS text "
        f"LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 20 AS $$ SELECT {fold.format('$1')} $$"
    )
    # array_to_string is not immutable by its declaration; of texts it is.
    joined = "$1 || E'\\n' || $2 || E'\\n' || array_to_string($3, E'\\n') || E'\\n' || $4 || E'\\n' || $5"
    op.execute(
        "CREATE FUNCTION selection_text(text, text, text[], text, text) RETURNS text "
        f"LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 50 AS $$ SELECT {fold.format(joined)} $$"
    )
    # In pieces, since to find a character PostgreSQL counts from the beginning: the parts of 20,000
    # characters of notes would take seconds. Dear, so that it is read from the index and never made for
    # each row.
    op.execute(
        "CREATE FUNCTION selection_trigrams(text) RETURNS text[] "
        "LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 5000 AS $$ "
        "SELECT array(SELECT substr(piece, place, 3) FROM (SELECT substr($1, 100 * number + 1, 102) AS piece "
        "FROM generate_series(0, length($1) / 100) number OFFSET 0"
        ") pieces, generate_series(1, length(piece) - 2) place) $$"
    )
    op.execute(
        "ALTER TABLE selection_record ADD COLUMN found_by text NOT NULL GENERATED ALWAYS AS "
        "(selection_text(address, title, keywords, content_notes, technical_notes)) STORED"
    )
    for name, index in INDEXES.items():
        op.execute(f"CREATE INDEX {name} ON selection_record {index}")


def _search() -> None:
    op.create_table(
        "selection_search",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("owner", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("query", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("shared", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("collection", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("modified_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_search_collection_fkey"
        ),
        sa.ForeignKeyConstraint(["owner"], ["account.id"], name="selection_search_owner_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_search_pkey"),
        sa.UniqueConstraint("owner", "name", name="selection_search_owner_name_key"),
    )
    op.create_index("selection_search_shared_index", "selection_search", ["shared"])


def _bulk() -> None:
    counts = ("found", "changing", "same", "refused", "changed", "passed_over", "restored", "kept")
    op.create_table(
        "selection_bulk",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=True),
        sa.Column("actor", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("query", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("changes", postgresql.JSONB(), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        *(sa.Column(one, sa.BigInteger(), server_default=sa.text("0"), nullable=False) for one in counts),
        sa.Column("problem", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("applied_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="selection_bulk_account_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_bulk_pkey"),
    )
    op.create_index("selection_bulk_made_at_index", "selection_bulk", ["made_at"])
    op.create_table(
        "selection_bulk_record",
        sa.Column("bulk", sa.BigInteger(), nullable=False),
        sa.Column("record", sa.BigInteger(), nullable=False),
        sa.Column("edition", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("why", postgresql.JSONB(), nullable=True),
        sa.Column("before", postgresql.JSONB(), nullable=True),
        sa.Column("after", postgresql.JSONB(), nullable=True),
        sa.Column("outcome", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("edition_after", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["bulk"], ["selection_bulk.id"], name="selection_bulk_record_bulk_fkey"),
        sa.ForeignKeyConstraint(
            ["record"], ["selection_record.id"], name="selection_bulk_record_record_fkey"
        ),
        sa.PrimaryKeyConstraint("bulk", "record", name="selection_bulk_record_pkey"),
    )
    op.create_table(
        "selection_bulk_progress",
        sa.Column("bulk", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("done", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("total", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("bulk", name="selection_bulk_progress_pkey"),
    )


def upgrade() -> None:
    _found_by()
    _search()
    _bulk()


def downgrade() -> None:
    for table in ("selection_bulk_progress", "selection_bulk_record", "selection_bulk", "selection_search"):
        op.drop_table(table)
    for name in INDEXES:
        op.execute(f"DROP INDEX {name}")
    op.execute("ALTER TABLE selection_record DROP COLUMN found_by")
    op.execute("DROP FUNCTION selection_trigrams(text)")
    op.execute("DROP FUNCTION selection_text(text, text, text[], text, text)")
    op.execute("DROP FUNCTION selection_folded(text)")
