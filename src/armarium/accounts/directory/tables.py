"""The tables of directories."""

import sqlalchemy as sa

from armarium.accounts.tables import moment
from armarium.db.schema import schema

#: As the directory told them at the last sign-in.
account_group = sa.Table(
    "account_group",
    schema,
    sa.Column("account", sa.BigInteger, sa.ForeignKey("account.id"), primary_key=True),
    sa.Column("source", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Index("account_group_name_index", "name"),
)

#: Browsers that were sent to a provider and may come back, each once.
attempt = sa.Table(
    "openid_attempt",
    schema,
    sa.Column("key_digest", sa.LargeBinary, primary_key=True),
    sa.Column("target", sa.Text, nullable=False),
    moment("expires_at"),
)
