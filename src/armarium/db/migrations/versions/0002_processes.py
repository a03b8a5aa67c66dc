"""Tables of processes."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "process",
        sa.Column("id", sa.BigInteger, sa.Identity(), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("pid", sa.BigInteger, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("heartbeat", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("steady_since", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("interval", sa.Interval, nullable=False),
        sa.Column("message", sa.Text, nullable=False, server_default=""),
        sa.Column("monitoring", sa.Text),
        sa.Column("memory", sa.BigInteger),
        sa.Column("disk_free", sa.BigInteger),
        sa.Column("disk_total", sa.BigInteger),
        sa.Column("restarts", sa.Integer, nullable=False, server_default="0"),
        sa.Column("silence_noticed", sa.DateTime(timezone=True)),
        sa.PrimaryKeyConstraint("id", name="process_pkey"),
        sa.CheckConstraint(
            "state IN ('starting', 'running', 'draining', 'ended')", name=op.f("process_state_check")
        ),
    )
    op.create_index("process_machine_name_index", "process", ["machine", "name"])


def downgrade() -> None:
    op.drop_table("process")
