"""A total budget of each run of a harvest, and the share that each of its jobs has."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

LIMITS = ("total_objects", "total_bytes")


def upgrade() -> None:
    for table in ("harvest", "harvest_run"):
        for name in LIMITS:
            op.add_column(table, sa.Column(name, sa.BigInteger(), nullable=True))
    op.create_table(
        "job_share",
        sa.Column("job", sa.BigInteger(), nullable=False),
        sa.Column("objects", sa.BigInteger(), nullable=True),
        sa.Column("bytes", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("job", name="job_share_pkey"),
    )


def downgrade() -> None:
    op.drop_table("job_share")
    for table in ("harvest_run", "harvest"):
        for name in LIMITS:
            op.drop_column(table, name)
