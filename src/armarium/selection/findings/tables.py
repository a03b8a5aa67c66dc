"""The table of findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import JSONB, insert

from armarium.db.columns import flag, limit, moment, number, reference, text
from armarium.db.figures import count_up_to
from armarium.db.schema import schema
from armarium.db.stretches import Beginning, stretch
from armarium.selection.findings.model import Finding, Kind, Observed, Result
from armarium.selection.model import Budget
from armarium.selection.tables import collection, record

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


# Questions


@dataclass(frozen=True)
class Wanted:
    """Which findings; an empty field asks nothing."""

    record: int | None = None
    collection: int | None = None
    within: frozenset[int] | None = None  # only of these collections
    kind: Kind | None = None
    done: bool | None = False


def _selected() -> "sa.Select[Any]":
    named = sa.func.coalesce(sa.func.nullif(record.c.title, ""), record.c.address)
    return (
        sa.select(
            finding,
            named.label("record_name"),
            record.c.collection,
            collection.c.name.label("collection_name"),
        )
        .join(record, record.c.id == finding.c.record)
        .join(collection, collection.c.id == record.c.collection)
    )


def _narrowed(asked: "sa.Select[Any]", wanted: Wanted) -> "sa.Select[Any]":
    if wanted.record is not None:
        asked = asked.where(finding.c.record == wanted.record)
    if wanted.collection is not None:
        asked = asked.where(record.c.collection == wanted.collection)
    if wanted.within is not None:
        own = sa.literal(sorted(wanted.within), sa.ARRAY(sa.BigInteger))
        asked = asked.where(record.c.collection == sa.any_(own))
    if wanted.kind is not None:
        asked = asked.where(finding.c.kind == wanted.kind.value)
    if wanted.done is None:
        return asked
    return asked.where(finding.c.done if wanted.done else ~finding.c.done)  # as the index of open ones has it


def findings(
    connection: Connection, wanted: Wanted, limit: int, offset: Beginning = 0
) -> tuple[list[Finding], int]:
    """Open ones first, then the newest."""
    asked = _narrowed(_selected(), wanted)
    total = connection.scalar(sa.select(sa.func.count()).select_from(asked.subquery())) or 0
    order = (finding.c.done, finding.c.at.desc(), finding.c.id.desc())
    return [_finding(row) for row in stretch(connection, asked, order, limit, offset)], total


def count(connection: Connection, wanted: Wanted, most: int) -> int:
    """At most so many: the figure stands on every page."""
    asked = sa.select(finding.c.id)
    if wanted.collection is not None or wanted.within is not None:
        asked = asked.join(record, record.c.id == finding.c.record)
    return count_up_to(connection, _narrowed(asked, wanted), most)


def by_id(connection: Connection, number: int, *, lock: bool = False) -> Finding | None:
    asked = _selected().where(finding.c.id == number)
    row = connection.execute(asked.with_for_update(of=finding) if lock else asked).one_or_none()
    return _finding(row) if row else None


def insert_finding(connection: Connection, values: Mapping[str, object]) -> int:
    found: int = connection.execute(finding.insert().values(**values).returning(finding.c.id)).scalar_one()
    return found


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


def _finding(row: "sa.Row[Any]") -> Finding:
    budget = Budget(row.budget) if row.budget else None
    return Finding(**{**row._mapping, "kind": Kind(row.kind), "budget": budget})
