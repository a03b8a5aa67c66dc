"""The table of saved searches."""

import sqlalchemy as sa

from armarium.db.columns import moment, number, reference, text
from armarium.db.schema import schema

search = sa.Table(
    "selection_search",
    schema,
    number(),
    reference("owner", "account.id"),
    text("name"),
    text("query"),  # the canonical query string of the question
    text("shared"),  # nobody, everybody, collection
    reference("collection", "selection_collection.id", nullable=True),  # whose members may use it
    moment("created_at"),
    moment("modified_at"),
    sa.UniqueConstraint("owner", "name"),
    sa.Index("selection_search_shared_index", "shared"),
)
