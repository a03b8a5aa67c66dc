"""Files of an import that wait for a replica are looked for each minute."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "accession_line_waiting_index",
        "accession_line",
        ["id"],
        postgresql_where=sa.text("outcome = 'waiting'"),
    )


def downgrade() -> None:
    op.drop_index("accession_line_waiting_index", "accession_line")
