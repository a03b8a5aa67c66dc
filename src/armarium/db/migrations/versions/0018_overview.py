"""Indexes for the overview: the days of a month, and what went wrong in a week, without reading the rest."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("job_ended_at_index", "job")
    op.create_index(
        "job_ended_at_index",
        "job",
        ["ended_at", "id"],
        postgresql_include=["state", "brought_objects", "brought_bytes"],
    )
    op.create_index("arrival_refused_index", "arrival", ["id"], postgresql_where=sa.text("refusal <> ''"))
    op.drop_index("stored_file_stored_at_index", "stored_file")
    op.create_index(
        "stored_file_stored_at_index", "stored_file", ["stored_at", "id"], postgresql_include=["size"]
    )
    op.create_index(
        "selection_record_created_at_index",
        "selection_record",
        ["created_at"],
        postgresql_include=["collection"],
    )
    op.create_index(
        "selection_record_stated_at_index",
        "selection_record",
        ["stated_at"],
        postgresql_include=["state", "collection"],
    )


def downgrade() -> None:
    op.drop_index("selection_record_stated_at_index", "selection_record")
    op.drop_index("selection_record_created_at_index", "selection_record")
    op.drop_index("stored_file_stored_at_index", "stored_file")
    op.create_index("stored_file_stored_at_index", "stored_file", ["stored_at", "id"])
    op.drop_index("arrival_refused_index", "arrival")
    op.drop_index("job_ended_at_index", "job")
    op.create_index("job_ended_at_index", "job", ["ended_at", "id"])
