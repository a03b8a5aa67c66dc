"""The tables of accounts."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from armarium.db.schema import schema


def moment(name: str, *, nullable: bool = False) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


account = sa.Table(
    "account",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("name", sa.Text, nullable=False, unique=True),
    sa.Column("display_name", sa.Text, nullable=False),
    sa.Column("mail", sa.Text, nullable=False),
    sa.Column("language", sa.Text, nullable=False),
    sa.Column("roles", ARRAY(sa.Text), nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("password_hash", sa.Text),
    moment("created_at"),
    moment("last_sign_in_at", nullable=True),
    sa.Column("source", sa.Text, nullable=False, server_default=sa.text("'local'")),
    sa.Column("subject", sa.Text),  # what a directory calls the person, whatever the name is today
    sa.UniqueConstraint("source", "subject"),
    # Whoever signs in by a directory must not get in by a second way that the directory cannot shut.
    sa.CheckConstraint("source = 'local' OR password_hash IS NULL", name="one_proof"),
)

session = sa.Table(
    "session",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), nullable=False, index=True),
    sa.Column("key_digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("csrf", sa.Text, nullable=False),
    moment("created_at"),
    moment("last_seen_at"),
    moment("expires_at"),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("agent", sa.Text, nullable=False),
    sa.Column("notices", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),
)

link = sa.Table(
    "one_time_link",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("key_digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("purpose", sa.Text, nullable=False),
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id")),
    moment("created_at"),
    moment("expires_at"),
    moment("used_at", nullable=True),
)

token = sa.Table(
    "api_token",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), nullable=False, index=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("hint", sa.Text, nullable=False),
    sa.Column("key_digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("scopes", ARRAY(sa.Text), nullable=False),
    moment("created_at"),
    moment("expires_at", nullable=True),
    moment("last_used_at", nullable=True),
    moment("revoked_at", nullable=True),
)

failure = sa.Table(
    "sign_in_failure",
    schema,
    sa.Column("id", sa.BigInteger, sa.Identity(), primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("address", sa.Text, nullable=False),
    moment("at"),
    sa.Index("sign_in_failure_at_index", "at"),
)
