"""The collection of a harvest is called as the harvest is: so far its title was empty."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("""
        UPDATE index_collection SET title = harvest.name FROM harvest
        WHERE index_collection.title = '' AND index_collection.name = 'harvest-' || harvest.id
    """)


def downgrade() -> None:
    """Titles may stay: people may have changed them since."""
