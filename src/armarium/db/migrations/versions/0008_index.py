"""Tables of the index: what is indexed, and in which runs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

TABLES = (
    "index_membership",
    "index_file",
    "index_run",
    "index_step",
    "index_collection",
)  # those that name others first


def _index_collection() -> None:
    op.create_table(
        "index_collection",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("everything", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column(
            "harvests",
            postgresql.ARRAY(sa.BigInteger()),
            server_default=sa.text("'{}'::bigint[]"),
            nullable=False,
        ),
        sa.Column(
            "accessions",
            postgresql.ARRAY(sa.BigInteger()),
            server_default=sa.text("'{}'::bigint[]"),
            nullable=False,
        ),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="index_collection_pkey"),
        sa.UniqueConstraint("name", name="index_collection_name_key"),
    )


def _index_step() -> None:
    op.create_table(
        "index_step",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("step", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("heard_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("done", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("total", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("about", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="index_step_pkey"),
    )


def _index_run() -> None:
    op.create_table(
        "index_run",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("collection", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("level", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("day", sa.Date(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("lines", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("sha256", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("first", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("last", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["collection"], ["index_collection.id"], name="index_run_collection_fkey"),
        sa.PrimaryKeyConstraint("id", name="index_run_pkey"),
        sa.UniqueConstraint("name", name="index_run_name_key"),
    )
    op.create_index(
        "index_run_live_index",
        "index_run",
        ["collection", "kind", "level", "day"],
        unique=False,
        postgresql_where=sa.text("state = 'live'"),
    )


def _index_file() -> None:
    op.create_table(
        "index_file",
        sa.Column("file", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("harvest", sa.BigInteger(), nullable=True),
        sa.Column("accession", sa.BigInteger(), nullable=True),
        sa.Column("job", sa.BigInteger(), nullable=True),
        sa.Column("sha256", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("made_from", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("error", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "problems",
            postgresql.JSONB(astext_type=sa.Text()),
            server_default=sa.text("'[]'::jsonb"),
            nullable=False,
        ),
        sa.Column("lines", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("indexed_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["file"], ["stored_file.id"], name="index_file_file_fkey"),
        sa.PrimaryKeyConstraint("file", name="index_file_pkey"),
        sa.UniqueConstraint("name", name="index_file_name_key"),
    )
    op.create_index("index_file_harvest_index", "index_file", ["harvest", "file"], unique=False)
    op.create_index("index_file_job_index", "index_file", ["job", "file"], unique=False)
    op.create_index("index_file_state_index", "index_file", ["state", "file"], unique=False)


def _index_membership() -> None:
    op.create_table(
        "index_membership",
        sa.Column("collection", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("file", sa.BigInteger(), nullable=False),
        sa.Column("run", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection"], ["index_collection.id"], name="index_membership_collection_fkey"
        ),
        sa.ForeignKeyConstraint(["file"], ["index_file.file"], name="index_membership_file_fkey"),
        sa.ForeignKeyConstraint(["run"], ["index_run.id"], name="index_membership_run_fkey"),
        sa.PrimaryKeyConstraint("collection", "kind", "file", name="index_membership_pkey"),
    )
    op.create_index("index_membership_run_index", "index_membership", ["run", "file"], unique=False)


def upgrade() -> None:
    _index_collection()
    _index_step()
    _index_run()
    _index_file()
    _index_membership()
    op.execute(
        "INSERT INTO index_collection (name, title, everything, created_at, created_by) "
        "VALUES ('main', 'Everything', true, now(), '')"
    )


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
