"""Search of records: what they are found by; saved searches; bulk edits with the values before."""

from alembic import op

revision = "0015"
down_revision = "0010"
branch_labels = None
depends_on = None

FACETS = "collection, theme, state, active, budget, frequency, depth, responsible, language"
INDEXES = {
    "selection_record_found_by_index": "USING gin (text_trigrams(found_by))",
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
    op.execute(
        "ALTER TABLE selection_record ADD COLUMN found_by text NOT NULL GENERATED ALWAYS AS "
        "(selection_text(address, title, keywords, content_notes, technical_notes)) STORED"
    )
    for name, index in INDEXES.items():
        op.execute(f"CREATE INDEX {name} ON selection_record {index}")


def upgrade() -> None:
    _found_by()


def downgrade() -> None:
    for name in INDEXES:
        op.execute(f"DROP INDEX {name}")
    op.execute("ALTER TABLE selection_record DROP COLUMN found_by")
    op.execute("DROP FUNCTION selection_text(text, text, text[], text, text)")
    op.execute("DROP FUNCTION selection_folded(text)")
