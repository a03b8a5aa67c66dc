"""Tables of accounts and the audit log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def number() -> "sa.Column[int]":
    return sa.Column("id", sa.BigInteger, sa.Identity(), nullable=False)


def moment(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def text(name: str, *, nullable: bool = False) -> "sa.Column[str]":
    return sa.Column(name, sa.Text, nullable=nullable)


def upgrade() -> None:
    create_accounts()
    create_proofs()
    create_audit()


def create_accounts() -> None:
    op.create_table(
        "account",
        number(),
        text("name"),
        text("display_name"),
        text("mail"),
        text("language"),
        sa.Column("roles", ARRAY(sa.Text), nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        text("password_hash", nullable=True),
        moment("created_at"),
        moment("last_sign_in_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="account_pkey"),
        sa.UniqueConstraint("name", name="account_name_key"),
    )
    op.create_table(
        "sign_in_failure",
        number(),
        text("name"),
        text("address"),
        moment("at"),
        sa.PrimaryKeyConstraint("id", name="sign_in_failure_pkey"),
    )
    op.create_index("sign_in_failure_at_index", "sign_in_failure", ["at"])


def create_proofs() -> None:
    """What proves an identity: sessions, one-time links, API tokens; always as digests."""
    op.create_table(
        "session",
        number(),
        sa.Column("account", sa.BigInteger, nullable=False),
        sa.Column("key_digest", sa.LargeBinary, nullable=False),
        text("csrf"),
        moment("created_at"),
        moment("last_seen_at"),
        moment("expires_at"),
        text("address"),
        text("agent"),
        sa.Column("notices", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
        sa.PrimaryKeyConstraint("id", name="session_pkey"),
        sa.UniqueConstraint("key_digest", name="session_key_digest_key"),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="session_account_fkey"),
    )
    op.create_index("session_account_index", "session", ["account"])
    op.create_table(
        "one_time_link",
        number(),
        sa.Column("key_digest", sa.LargeBinary, nullable=False),
        text("purpose"),
        sa.Column("account", sa.BigInteger),
        moment("created_at"),
        moment("expires_at"),
        moment("used_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="one_time_link_pkey"),
        sa.UniqueConstraint("key_digest", name="one_time_link_key_digest_key"),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="one_time_link_account_fkey"),
    )
    op.create_table(
        "api_token",
        number(),
        sa.Column("account", sa.BigInteger, nullable=False),
        text("name"),
        text("hint"),
        sa.Column("key_digest", sa.LargeBinary, nullable=False),
        sa.Column("scopes", ARRAY(sa.Text), nullable=False),
        moment("created_at"),
        moment("expires_at", nullable=True),
        moment("last_used_at", nullable=True),
        moment("revoked_at", nullable=True),
        sa.PrimaryKeyConstraint("id", name="api_token_pkey"),
        sa.UniqueConstraint("key_digest", name="api_token_key_digest_key"),
        sa.ForeignKeyConstraint(["account"], ["account.id"], name="api_token_account_fkey"),
    )
    op.create_index("api_token_account_index", "api_token", ["account"])


def create_audit() -> None:
    op.create_table(
        "audit",
        number(),
        moment("at"),
        text("actor"),
        sa.Column("account", sa.BigInteger),
        text("via"),
        text("address", nullable=True),
        text("action"),
        text("object_kind"),
        text("object_id"),
        text("object_name"),
        sa.Column("before", JSONB, nullable=False),
        sa.Column("after", JSONB, nullable=False),
        sa.PrimaryKeyConstraint("id", name="audit_pkey"),
    )
    op.create_index("audit_at_index", "audit", ["at"])
    op.create_index("audit_object_index", "audit", ["object_kind", "object_id"])
    op.create_index("audit_actor_index", "audit", ["actor"])
    op.execute(
        """
        CREATE FUNCTION audit_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            RAISE EXCEPTION 'The audit log is never changed.' USING ERRCODE = 'insufficient_privilege';
        END $$
        """
    )
    op.execute(
        """
        CREATE TRIGGER audit_is_final BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
        FOR EACH STATEMENT EXECUTE FUNCTION audit_is_final()
        """
    )


def downgrade() -> None:
    for table in ("audit", "api_token", "one_time_link", "session", "sign_in_failure", "account"):
        op.drop_table(table)
    op.execute("DROP FUNCTION audit_is_final()")
