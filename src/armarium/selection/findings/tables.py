"""The table of findings."""

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB, insert

from armarium.db.rows import Rows
from armarium.db.schema import flag, limit, moment, number, reference, schema, text
from armarium.db.stretches import count_up_to
from armarium.selection.findings.model import Finding, Kind, Observed, Result
from armarium.selection.tables import among, collection, record

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

findings = Rows(
    finding,
    Finding,
    order=(finding.c.done, finding.c.at.desc(), finding.c.id.desc()),  # open ones first, then the newest
    joined=sa.select(
        finding,
        sa.func.coalesce(sa.func.nullif(record.c.title, ""), record.c.address).label("record_name"),
        record.c.collection,
        collection.c.name.label("collection_name"),
    )
    .join(record, record.c.id == finding.c.record)
    .join(collection, collection.c.id == record.c.collection),
)

# Questions and changes


@dataclass(frozen=True)
class FindingFilter:
    """Which findings; an empty field asks nothing."""

    record: int | None = None
    collection: int | None = None
    within: frozenset[int] | None = None  # only of these collections
    kind: Kind | None = None
    done: bool | None = False


def fitting(wanted: FindingFilter) -> list["sa.ColumnElement[bool]"]:
    found: list[sa.ColumnElement[bool]] = []
    if wanted.record is not None:
        found.append(finding.c.record == wanted.record)
    if wanted.collection is not None:
        found.append(record.c.collection == wanted.collection)
    if wanted.within is not None:
        found.append(among(record.c.collection, wanted.within))
    if wanted.kind is not None:
        found.append(finding.c.kind == wanted.kind.value)
    if wanted.done is not None:  # as the index of open ones has it
        found.append(finding.c.done if wanted.done else ~finding.c.done)
    return found


def count(connection: Connection, wanted: FindingFilter, most: int) -> int:
    """At most so many: the figure stands on every page."""
    asked = sa.select(finding.c.id)
    if wanted.collection is not None or wanted.within is not None:
        asked = asked.join(record, record.c.id == finding.c.record)
    return count_up_to(connection, asked.where(*fitting(wanted)), most)


def observe(connection: Connection, number: int, author: str, result: Result, seen: Observed) -> None:
    """Say it of the record; what is said already and not dealt with is brought up to date."""
    values = {
        "at": result.at,
        "author": author,
        "job": result.job,
        "budget": seen.budget or "",
        "facts": {
            "objects": result.objects,
            "bytes": result.bytes,
            "stop": result.stop,
            "max_objects": result.max_objects,
            "max_bytes": result.max_bytes,
            "seeds": list(seen.seeds),
        },
    }
    made = insert(finding).values(record=number, kind=seen.kind.value, **values)
    same = made.on_conflict_do_update(
        index_elements=[finding.c.record, finding.c.kind],
        index_where=sa.text("NOT done AND kind <> 'observation'"),
        set_=values,
    )
    connection.execute(same)


def close(connection: Connection, numbers: Sequence[int], at: object, by: str) -> None:
    changed = sa.update(finding).where(finding.c.id.in_(numbers))
    connection.execute(changed.values(done=True, closed_at=at, closed_by=by))


def close_others(connection: Connection, number: int, kinds: Sequence[Kind], at: object, by: str) -> None:
    """What an earlier harvest said of the record and the last one does not say any more."""
    kept = [Kind.OBSERVATION.value, *(one.value for one in kinds)]
    changed = sa.update(finding).where(
        finding.c.record == number, ~finding.c.done, finding.c.kind.not_in(kept)
    )
    connection.execute(changed.values(done=True, closed_at=at, closed_by=by))


def note_harvest(connection: Connection, number: int, result: Result) -> None:
    """No change of the record as people know it: its history and its edition stay."""
    changed = sa.update(record).where(record.c.id == number)
    connection.execute(
        changed.values(
            harvested_at=result.at,
            harvested_job=result.job,
            harvested_objects=result.objects,
            harvested_bytes=result.bytes,
            harvested_stop=result.stop,
        )
    )
