"""The tables of the reading room: rules, readers, what was used, and what was missing."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from armarium.db.schema import count, edition, flag, limit, moment, number, reference, schema, text


def _numbers(name: str) -> "sa.Column[object]":
    return sa.Column(name, ARRAY(sa.BigInteger), nullable=False, server_default=sa.text("'{}'"))


def _texts(name: str) -> "sa.Column[object]":
    return sa.Column(name, ARRAY(sa.Text), nullable=False, server_default=sa.text("'{}'"))


#: Places from which people read, such as the reading rooms of the library.
network = sa.Table(
    "access_network",
    schema,
    number(),
    text("name", unique=True),
    _texts("ranges"),  # CIDR
    text("note"),
    edition(),
    moment("created_at"),
    text("created_by"),
)

#: Counts the changes of rules and networks. Who changes one holds the row until the commit, so that a process
#: that sees a number has seen all changes up to it.
policy_edition = sa.Table(
    "access_policy_edition",
    schema,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=False),  # there is one row: 1
    count("changes"),
)

#: Who may see what. A rule that has ended stays, as history.
rule = sa.Table(
    "access_rule",
    schema,
    number(),
    text("effect"),  # allow, restrict, hide, embargo
    flag("take_down", default=False),  # holds against every other rule
    text("pattern"),  # as people typed it
    text("match"),  # everything, exact, prefix, host, domain
    text("key"),  # what it is in the index
    text("collection"),  # empty: any
    text("captured_from"),  # timestamps, whole or their first digits; empty: any
    text("captured_to"),
    flag("accredited", default=False),  # only for accredited readers
    _texts("roles"),  # only for these; empty: for anybody
    _numbers("accounts"),
    _numbers("networks"),
    sa.Column("embargo_years", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("embargo_months", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("embargo_days", sa.Integer, nullable=False, server_default=sa.text("0")),
    moment("valid_from", nullable=True),
    moment("valid_until", nullable=True),
    flag("one_reader", default=False),
    flag("no_downloads", default=False),
    text("public_message"),
    text("reason"),
    text("legal_basis"),
    count("change"),  # that of `policy_edition` when it was written last
    edition(),
    moment("created_at"),
    text("created_by"),
    moment("ended_at", nullable=True),
    text("ended_by"),
    text("ended_why"),
    sa.Index("access_rule_live", "key", postgresql_where=sa.text("ended_at IS NULL")),
    sa.Index("access_rule_change", "change"),
)

#: Readers whom the library knows, and for how long.
accreditation = sa.Table(
    "access_accreditation",
    schema,
    number(),
    reference("account", "account.id", index=True),
    sa.Column("first_day", sa.Date, nullable=False),
    sa.Column("last_day", sa.Date, nullable=False),
    text("note"),
    moment("created_at"),
    text("created_by"),
    moment("ended_at", nullable=True),
    text("ended_by"),
)

#: Pages that only one reader at a time may have.
lock = sa.Table(
    "access_lock",
    schema,
    sa.Column("key", sa.Text, primary_key=True),
    text("holder"),  # a word that means nothing outside the visit
    moment("until"),
)

#: How much was read, each day. Nothing here says who.
use = sa.Table(
    "access_use",
    schema,
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("collection", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),  # visit, search, page, part, list, record, file
    sa.Column("outcome", sa.Text, primary_key=True),  # shown, missing, restricted
    sa.Column("network", sa.BigInteger, primary_key=True, server_default=sa.text("0")),  # 0: elsewhere
    count("times"),
    count("bytes"),
)

#: Which sites were read, each month; the rare ones are put together when the month is over.
site_use = sa.Table(
    "access_site_use",
    schema,
    sa.Column("month", sa.Date, primary_key=True),
    sa.Column("domain", sa.Text, primary_key=True),
    count("times"),
)

#: Somebody looks at what some jobs brought.
viewing = sa.Table(
    "access_viewing",
    schema,
    number(),
    reference("account", "account.id", index=True),
    text("title"),
    _numbers("jobs"),
    flag("recording"),
    text("note"),
    sa.Column("proxy_digest", sa.LargeBinary),  # of the word by which a browser's proxy chooses it
    count("passed_over"),  # addresses that were missing, and for which the list had no room
    moment("created_at"),
    moment("ended_at", nullable=True),
)

#: Addresses that were asked for in a viewing and are not there.
missing = sa.Table(
    "access_missing",
    schema,
    number(),
    reference("viewing", "access_viewing.id"),
    text("url"),
    text("key"),
    text("domain"),
    text("kind"),  # what it looks like: page, image, style, …
    text("referrer"),
    count("times"),
    moment("first_at"),
    moment("last_at"),
    limit("harvest"),  # to which it was handed
    moment("handed_at", nullable=True),
    text("handed_by"),
    sa.UniqueConstraint("viewing", "url", name="access_missing_once"),
)

#: What archived pages look like, small; taken in the background, and again if it is gone.
picture = sa.Table(
    "access_picture",
    schema,
    sa.Column("key", sa.Text, primary_key=True),
    sa.Column("timestamp", sa.Text, primary_key=True),
    text("url"),
    text("state"),  # asked, taken, failed
    sa.Column("data", sa.LargeBinary),
    sa.Column("parts", sa.LargeBinary),  # the captures seen in it, as lines of CDXJ
    moment("asked_at"),
    moment("taken_at", nullable=True),
    sa.Index("access_picture_waiting", "asked_at", postgresql_where=sa.text("state = 'asked'")),
    sa.Index("access_picture_taken", "taken_at"),
)
