"""The tables of the transfer: its mapping, what it made in planning, and its log.

What planning numbers is named without foreign keys: planning deletes nothing, and rooms do not share tables.
"""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import count, flag, limit, moment, number, reference, text
from armarium.db.schema import schema

NO_FACTS = sa.text("'{}'::jsonb")

#: What planning is told; an empty budget, frequency or depth stands for all of them.
rule = sa.Table(
    "selection_rule",
    schema,
    number(),
    text("budget"),
    text("frequency"),
    text("depth"),
    text("profile"),
    limit("max_objects"),
    limit("max_bytes"),
    sa.Column("overrides", JSONB, nullable=False, server_default=NO_FACTS),
    text("pattern"),
    sa.UniqueConstraint("budget", "frequency", "depth"),
)

#: Which harvest takes the records of a collection with a frequency. Without a row: the usual one is made.
target = sa.Table(
    "selection_target",
    schema,
    sa.Column("collection", sa.BigInteger, sa.ForeignKey("selection_collection.id"), primary_key=True),
    sa.Column("frequency", sa.Text, primary_key=True),
    limit("harvest"),  # empty: to be made
    text("name"),
    text("schedule"),
    flag("automatic"),
    sa.Index("selection_target_harvest_index", "harvest"),
)

#: What was made in planning for a record on a domain: see `model.Link`.
link = sa.Table(
    "selection_link",
    schema,
    number(),
    reference("record", "selection_record.id"),
    text("domain"),
    sa.Column("planned_domain", sa.BigInteger, nullable=False),
    sa.Column("seed_list", sa.BigInteger, nullable=False),
    sa.Column("configuration", sa.BigInteger, nullable=False, unique=True),
    limit("harvest"),  # that the transfer put it into; empty: into none, or taken out again
    sa.Column("asked", JSONB, nullable=False, server_default=NO_FACTS),
    sa.Column("kept", JSONB, nullable=False, server_default=NO_FACTS),
    limit("transfer"),  # the last that changed something
    moment("made_at"),
    sa.UniqueConstraint("record", "domain"),
    sa.Index("selection_link_harvest_index", "harvest"),
)

transfer = sa.Table(
    "selection_transfer",
    schema,
    number(),
    text("state"),  # waiting, running, done, failed
    text("by"),
    limit("collection"),  # empty: all
    limit("harvest"),  # before a run of which it happened
    limit("run"),
    moment("asked_at"),
    moment("ended_at", nullable=True),
    count("total"),
    count("handled"),
    count("after"),  # the record up to which it came
    count("made"),
    count("changed"),
    count("taken_out"),
    count("conflict"),
    count("unable"),
    count("failed"),
    text("error"),
    sa.Index("selection_transfer_run_index", "run"),
)

transfer_line = sa.Table(
    "selection_transfer_line",
    schema,
    number(),
    reference("transfer", "selection_transfer.id"),
    text("kind"),
    reference("record", "selection_record.id"),
    text("domain"),
    sa.Column("changes", JSONB, nullable=False, server_default=sa.text("'[]'::jsonb")),  # [field, old, new]
    sa.Column("reason", JSONB),  # {"template", "values"}
    sa.Index("selection_transfer_line_transfer_index", "transfer", "kind", "id"),
    sa.Index("selection_transfer_line_record_index", "record", "id"),
)
