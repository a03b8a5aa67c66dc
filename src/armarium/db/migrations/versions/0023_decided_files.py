"""What a person decided about a file of a rebuild stays confirmed: so far the decision itself said so."""

from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Only decisions for what the register says, and that were let go: with two people, by both of them."""
    op.execute("""
        INSERT INTO storage_event (at, file, kind, actor, details)
        SELECT DISTINCT ON (file.id) decided.at, file.id, 'content-confirmed', decided.actor,
            decided.details - 'reason'
        FROM storage_event AS decided
        JOIN stored_file AS file ON file.id = decided.file
        JOIN repair ON to_jsonb(repair.id) = decided.details->'repair'
        WHERE decided.kind = 'decided' AND file.origin = 'rebuild'
            AND decided.details->>'sha256' = file.sha256
            AND repair.state IN ('approved', 'running', 'failed', 'done', 'void')
            AND NOT EXISTS (
                SELECT FROM storage_event AS known
                WHERE known.file = file.id AND known.kind = 'content-confirmed'
            )
        ORDER BY file.id, decided.id DESC
    """)


def downgrade() -> None:
    """Events stay: history is never changed."""
