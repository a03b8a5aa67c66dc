"""The table of nominations."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.db.rows import Rows
from armarium.db.schema import moment, number, reference, schema, text
from armarium.db.stretches import Beginning, count_up_to
from armarium.selection.nominations.model import Nomination, NominationState
from armarium.selection.tables import among, collection

nomination = sa.Table(
    "selection_nomination",
    schema,
    number(),
    moment("at"),
    reference(
        "collection", "selection_collection.id", nullable=True
    ),  # empty: whoever nominated did not know
    text("address"),
    sa.Column("key", sa.Text(collation="C"), nullable=False),
    text("title"),
    text("reason"),
    text("name"),  # of the person; removed after some time, as the mail address
    text("mail"),
    text("language"),  # in which the person wants an answer
    text("origin"),  # network address; removed after some days
    text("state"),  # waiting, accepted, declined
    text("answer"),
    moment("decided_at", nullable=True),
    text("decided_by"),
    reference("record", "selection_record.id", nullable=True),
    sa.Index("selection_nomination_state_index", "state", "at"),
    sa.Index("selection_nomination_key_index", "key"),
    sa.Index("selection_nomination_origin_index", "origin", "at"),
)


# Questions and changes


nominations = Rows(
    nomination,
    Nomination,
    order=(nomination.c.id.desc(),),
    joined=sa.select(nomination, sa.func.coalesce(collection.c.name, "").label("collection_name")).outerjoin(
        collection, collection.c.id == nomination.c.collection
    ),
)


def page(
    connection: Connection,
    state: NominationState | None,
    own: Collection[int] | None,
    *,
    limit: int,
    offset: Beginning = 0,
) -> tuple[list[Nomination], int]:
    """Oldest first where they wait, else newest first. `own`: of these collections, or of none."""
    waiting = state is NominationState.WAITING
    rows = replace(nominations, order=(nomination.c.id,)) if waiting else nominations
    return rows.page(connection, limit, offset, *_conditions(state, own))


def counts(connection: Connection, own: Collection[int] | None) -> dict[NominationState, int]:
    asked = sa.select(nomination.c.state, sa.func.count()).where(*_conditions(None, own))
    found = {row[0]: row[1] for row in connection.execute(asked.group_by(nomination.c.state))}
    return {state: found.get(state.value, 0) for state in NominationState}


def waiting_count(connection: Connection, own: Collection[int] | None) -> int:
    """Those that nobody has answered, counted to some bound."""
    asked = sa.select(nomination.c.id).where(*_conditions(NominationState.WAITING, own))
    return count_up_to(connection, asked)


def of_key(connection: Connection, key: str, *, besides: int) -> list[Nomination]:
    """What else was nominated under the same address, newest first."""
    found, _ = nominations.page(connection, 20, 0, nomination.c.key == key, nomination.c.id != besides)
    return found


def count_from(connection: Connection, origin: str, since: datetime) -> int:
    """How many came from there; those who ask at the same time wait for each other."""
    lock = sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(f"nomination {origin}", 0))
    connection.execute(sa.select(lock))
    asked = sa.select(sa.func.count()).where(nomination.c.origin == origin, nomination.c.at > since)
    return int(connection.scalar(asked) or 0)


def forget_origins(connection: Connection, before: datetime) -> int:
    old = sa.and_(nomination.c.at < before, nomination.c.origin != "")
    return connection.execute(sa.update(nomination).where(old).values(origin="")).rowcount


def forget_people(connection: Connection, before: datetime) -> int:
    old = sa.and_(nomination.c.at < before, sa.or_(nomination.c.name != "", nomination.c.mail != ""))
    return connection.execute(sa.update(nomination).where(old).values(name="", mail="")).rowcount


def _conditions(
    state: NominationState | None, own: Collection[int] | None
) -> Sequence["sa.ColumnElement[bool]"]:
    found: list[sa.ColumnElement[bool]] = []
    if state is not None:
        found.append(nomination.c.state == state.value)
    if own is not None:
        found.append(sa.or_(nomination.c.collection.is_(None), among(nomination.c.collection, own)))
    return found or [sa.true()]
