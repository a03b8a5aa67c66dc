"""The table of findings."""

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from armarium.db.columns import flag, limit, moment, number, reference, text
from armarium.db.schema import schema

finding = sa.Table(
    "selection_finding",
    schema,
    number(),
    reference("record", "selection_record.id", index=True),
    moment("at"),
    text("author"),
    text("kind"),  # see `model.Kind`; what is not said by a person has no text
    text("text"),
    text("proposal"),
    text("budget"),  # that is proposed
    limit("job"),
    sa.Column("facts", JSONB, nullable=False, server_default=sa.text("'{}'::jsonb")),
    flag("done", default=False),
    moment("closed_at", nullable=True),
    text("closed_by"),
)
sa.Index(
    "selection_finding_open_index",
    finding.c.id,
    postgresql_where=sa.text("NOT done"),
)
#: A harvest says each thing of a record once, until it has been dealt with.
sa.Index(
    "selection_finding_harvest_index",
    finding.c.record,
    finding.c.kind,
    unique=True,
    postgresql_where=sa.text("NOT done AND kind <> 'observation'"),
)
