"""Tables of the reading room: rules, readers, what was used, and what was missing."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

TABLES = (
    "access_missing",
    "access_viewing",
    "access_accreditation",
    "access_use",
    "access_site_use",
    "access_rule",
    "access_network",
    "access_policy_edition",
    "access_lock",
)  # those that name others first


def _access_lock() -> None:
    op.create_table(
        "access_lock",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name="access_lock_pkey"),
    )


def _access_network() -> None:
    op.create_table(
        "access_network",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("ranges", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("note", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="access_network_pkey"),
        sa.UniqueConstraint("name", name="access_network_name_key"),
    )


def _access_policy_edition() -> None:
    op.create_table(
        "access_policy_edition",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("changes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="access_policy_edition_pkey"),
    )


def _access_rule() -> None:
    op.create_table(
        "access_rule",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("effect", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("take_down", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("pattern", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("match", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("key", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("collection", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("captured_from", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("captured_to", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("accredited", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("roles", postgresql.ARRAY(sa.Text()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column(
            "accounts", postgresql.ARRAY(sa.BigInteger()), server_default=sa.text("'{}'"), nullable=False
        ),
        sa.Column(
            "networks", postgresql.ARRAY(sa.BigInteger()), server_default=sa.text("'{}'"), nullable=False
        ),
        sa.Column("embargo_years", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("embargo_months", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("embargo_days", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("valid_from", sa.DateTime(timezone=True), nullable=True),
        sa.Column("valid_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("one_reader", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("no_downloads", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("public_message", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("reason", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("legal_basis", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("change", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("edition", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("ended_why", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="access_rule_pkey"),
    )
    op.create_index(
        "access_rule_live", "access_rule", ["key"], unique=False, postgresql_where=sa.text("ended_at IS NULL")
    )
    op.create_index("access_rule_change", "access_rule", ["change"], unique=False)


def _access_site_use() -> None:
    op.create_table(
        "access_site_use",
        sa.Column("month", sa.Date(), nullable=False),
        sa.Column("domain", sa.Text(), nullable=False),
        sa.Column("times", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("month", "domain", name="access_site_use_pkey"),
    )


def _access_use() -> None:
    op.create_table(
        "access_use",
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("collection", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("network", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("times", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("bytes", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("day", "collection", "kind", "outcome", "network", name="access_use_pkey"),
    )


def _access_accreditation() -> None:
    op.create_table(
        "access_accreditation",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("first_day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("note", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("created_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="access_accreditation_account_fkey"),
        sa.PrimaryKeyConstraint("id", name="access_accreditation_pkey"),
    )
    op.create_index("access_accreditation_account_index", "access_accreditation", ["account"], unique=False)


def _access_viewing() -> None:
    op.create_table(
        "access_viewing",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account", sa.BigInteger(), nullable=False),
        sa.Column("title", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("jobs", postgresql.ARRAY(sa.BigInteger()), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("recording", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("note", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("proxy_digest", sa.LargeBinary(), nullable=True),
        sa.Column("passed_over", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="access_viewing_account_fkey"),
        sa.PrimaryKeyConstraint("id", name="access_viewing_pkey"),
    )
    op.create_index("access_viewing_account_index", "access_viewing", ["account"], unique=False)


def _access_missing() -> None:
    op.create_table(
        "access_missing",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("viewing", sa.BigInteger(), nullable=False),
        sa.Column("url", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("key", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("domain", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("kind", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("referrer", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("times", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("first_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("harvest", sa.BigInteger(), nullable=True),
        sa.Column("handed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("handed_by", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["viewing"], ["access_viewing.id"], name="access_missing_viewing_fkey"),
        sa.PrimaryKeyConstraint("id", name="access_missing_pkey"),
        sa.UniqueConstraint("viewing", "url", name="access_missing_once"),
    )


def upgrade() -> None:
    _access_lock()
    _access_network()
    _access_policy_edition()
    _access_rule()
    _access_site_use()
    _access_use()
    _access_accreditation()
    _access_viewing()
    _access_missing()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)
