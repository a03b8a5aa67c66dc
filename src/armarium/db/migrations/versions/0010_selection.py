"""Tables of selection: collections with their rules, and records."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TABLES = (
    "selection_comment",
    "selection_address",
    "selection_record",
    "selection_matrix",
    "selection_member_group",
    "selection_member",
    "selection_theme",
    "selection_collection",
)  # those that name others first


def _selection_collection() -> None:
    op.create_table(
        "selection_collection",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("description", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column(
            "budgets", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column(
            "frequencies", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column(
            "depths", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("default_budget", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("default_frequency", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("default_depth", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("default_theme", sa.BigInteger(), nullable=True),
        sa.Column("open_to_nominations", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="selection_collection_pkey"),
    )
    op.create_index(
        "selection_collection_name_index", "selection_collection", [sa.text("lower(name)")], unique=True
    )


def _selection_theme() -> None:
    op.create_table(
        "selection_theme",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("collection", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("place", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_theme_collection_fkey"
        ),
        sa.PrimaryKeyConstraint("id", name="selection_theme_pkey"),
        sa.UniqueConstraint("collection", "name", name="selection_theme_collection_name_key"),
    )


def _selection_member() -> None:
    op.create_table(
        "selection_member",
        sa.Column("collection", sa.BigInteger(), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="selection_member_account_fkey"),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_member_collection_fkey"
        ),
        sa.PrimaryKeyConstraint("collection", "account", name="selection_member_pkey"),
    )
    op.create_index("selection_member_account_index", "selection_member", ["account"])


def _selection_member_group() -> None:
    op.create_table(
        "selection_member_group",
        sa.Column("collection", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_member_group_collection_fkey"
        ),
        sa.PrimaryKeyConstraint("collection", "name", name="selection_member_group_pkey"),
    )


def _selection_matrix() -> None:
    op.create_table(
        "selection_matrix",
        sa.Column("budget", sa.Text(), nullable=False),
        sa.Column("frequency", sa.Text(), nullable=False),
        sa.Column("depth", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("budget", "frequency", "depth", name="selection_matrix_pkey"),
    )


def _selection_record() -> None:
    op.create_table(
        "selection_record",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("collection", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("host", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("domain", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("title", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("theme", sa.BigInteger(), nullable=False),
        sa.Column("budget", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("frequency", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("depth", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("language", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column(
            "keywords", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'::text[]"), nullable=False
        ),
        sa.Column("content_notes", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("technical_notes", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("state_reason", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("stated_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("stated_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("active", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("responsible", sa.BigInteger(), nullable=True),
        sa.Column("origin", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("check", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("modified_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("modified_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("harvested_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("harvested_job", sa.BigInteger(), nullable=True),
        sa.Column("harvested_objects", sa.BigInteger(), nullable=True),
        sa.Column("harvested_bytes", sa.BigInteger(), nullable=True),
        sa.Column("harvested_stop", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.ForeignKeyConstraint(
            ["collection"], ["selection_collection.id"], name="selection_record_collection_fkey"
        ),
        sa.ForeignKeyConstraint(["responsible"], ["account.id"], name="selection_record_responsible_fkey"),
        sa.ForeignKeyConstraint(["theme"], ["selection_theme.id"], name="selection_record_theme_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_record_pkey"),
        sa.UniqueConstraint("collection", "key", name="selection_record_collection_key_key"),
    )
    op.create_index("selection_record_domain_index", "selection_record", ["domain"])
    op.create_index("selection_record_host_index", "selection_record", ["host"])
    op.create_index("selection_record_key_index", "selection_record", ["key"])
    op.create_index("selection_record_modified_at_index", "selection_record", ["modified_at"])
    op.create_index("selection_record_responsible_index", "selection_record", ["responsible"])
    op.create_index("selection_record_state_index", "selection_record", ["state", "modified_at"])
    op.create_index("selection_record_theme_index", "selection_record", ["theme"])


def _selection_address() -> None:
    op.create_table(
        "selection_address",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("record", sa.BigInteger(), nullable=False),
        sa.Column("address", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("note", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["record"], ["selection_record.id"], name="selection_address_record_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_address_pkey"),
        sa.UniqueConstraint("record", "key", name="selection_address_record_key_key"),
    )
    op.create_index("selection_address_key_index", "selection_address", ["key"])


def _selection_comment() -> None:
    op.create_table(
        "selection_comment",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("record", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("author", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=True),
        sa.Column("text", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="selection_comment_account_fkey"),
        sa.ForeignKeyConstraint(["record"], ["selection_record.id"], name="selection_comment_record_fkey"),
        sa.PrimaryKeyConstraint("id", name="selection_comment_pkey"),
    )
    op.create_index("selection_comment_record_index", "selection_comment", ["record"])


def upgrade() -> None:
    _selection_collection()
    _selection_theme()
    _selection_member()
    _selection_member_group()
    _selection_matrix()
    _selection_record()
    _selection_address()
    _selection_comment()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
