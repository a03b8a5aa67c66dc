"""SQL of batches and their results."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.core.entities import from_row
from armarium.db.stretches import Beginning, stretch
from armarium.storage.batches.model import Batch, Result, ResultState, Selection, SelectionKind
from armarium.storage.figures import Pace, pace
from armarium.storage.model import FileState, RunState
from armarium.storage.tables import batch, batch_result, stored_file

OPEN = (RunState.WAITING.value, RunState.RUNNING.value)
#: What went wrong first, what has not come yet last.
ORDER = sa.case({"failed": 0, "done": 1}, value=batch_result.c.state, else_=2)


def add(connection: Connection, values: Mapping[str, Any]) -> int:
    made = sa.insert(batch).values(**values).returning(batch.c.id)
    return int(connection.execute(made).scalar_one())


def count_files(connection: Connection, selection: Selection) -> int:
    counted = sa.select(sa.func.count()).select_from(stored_file).where(*_conditions(selection))
    return connection.scalar(counted) or 0


def await_files(connection: Connection, number: int, selection: Selection, size: int) -> int:
    """A waiting result for each chosen file, in parts of this size by their numbers; how many there are."""
    place = sa.func.row_number().over(order_by=stored_file.c.id)
    part = sa.cast((place - 1) // size, sa.Integer)
    waiting = sa.literal(ResultState.WAITING.value)
    chosen = sa.select(sa.literal(number), stored_file.c.id, part, waiting).where(*_conditions(selection))
    columns = ["batch", "file", "part", "state"]
    connection.execute(sa.insert(batch_result).from_select(columns, chosen))
    counted = sa.select(sa.func.count()).select_from(batch_result).where(batch_result.c.batch == number)
    return connection.scalar(counted) or 0


def _conditions(selection: Selection) -> list["sa.ColumnElement[bool]"]:
    stored = stored_file.c.state == FileState.STORED.value
    match selection.kind:
        case SelectionKind.ALL:
            return [stored]
        case SelectionKind.NAME:
            return [stored, stored_file.c.name.like(pattern(selection.value), escape="\\")]
        case _:
            return [stored, stored_file.c[selection.kind.value] == int(selection.value)]


def pattern(text: str) -> str:
    """`*.warc.gz` as SQL says it; without a star or question mark the name contains the text."""
    plain = text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    if "*" not in plain and "?" not in plain:
        return f"%{plain}%"
    return plain.replace("*", "%").replace("?", "_")


def one(connection: Connection, number: int, *, lock: bool = False) -> Batch | None:
    asked = sa.select(batch).where(batch.c.id == number)
    # Not the stronger FOR UPDATE: results that name the batch are written meanwhile.
    row = connection.execute(asked.with_for_update(key_share=True) if lock else asked).mappings().first()
    return _batch(row) if row else None


def state_of(connection: Connection, number: int) -> RunState | None:
    found = connection.scalar(sa.select(batch.c.state).where(batch.c.id == number))
    return RunState(found) if found else None


def page(
    connection: Connection, state: RunState | None = None, *, limit: int, offset: Beginning = 0
) -> tuple[list[Batch], int]:
    """Newest first."""
    where = [batch.c.state == state.value] if state else []
    found = stretch(connection, sa.select(batch).where(*where), [batch.c.id.desc()], limit, offset)
    total = connection.scalar(sa.select(sa.func.count()).select_from(batch).where(*where)) or 0
    return [_batch(row) for row in found.mappings()], total


def change(connection: Connection, number: int, **values: object) -> None:
    connection.execute(sa.update(batch).where(batch.c.id == number).values(**values))


def begin(connection: Connection, number: int, now: datetime) -> None:
    mine = sa.and_(batch.c.id == number, batch.c.state == RunState.WAITING.value)
    connection.execute(sa.update(batch).where(mine).values(state=RunState.RUNNING.value, started_at=now))


def unended(connection: Connection) -> list[int]:
    return list(connection.scalars(sa.select(batch.c.id).where(batch.c.state.in_(OPEN))))


# Results ----------------------------------------------------------------------------------------------


def parts_waiting(connection: Connection, number: int) -> list[int]:
    """Parts of which some file has no result yet."""
    mine = (batch_result.c.batch == number, _waiting())
    return sorted(connection.scalars(sa.select(batch_result.c.part).where(*mine).distinct()))


def waiting_of_part(connection: Connection, number: int, part: int) -> list[Mapping[Any, Any]]:
    """The files of a part for which there is no result yet."""
    asked = (
        sa.select(stored_file)
        .join(batch_result, batch_result.c.file == stored_file.c.id)
        .where(batch_result.c.batch == number, batch_result.c.part == part, _waiting())
        .order_by(stored_file.c.id)
    )
    return list(connection.execute(asked).mappings())


def _waiting() -> "sa.ColumnElement[bool]":
    """As the partial index has it."""
    return batch_result.c.state == sa.literal_column(f"'{ResultState.WAITING.value}'")


def put_result(connection: Connection, number: int, file: int, values: Mapping[str, Any]) -> bool:
    """Keep a result; False if there is one: another worker was given the same part."""
    mine = sa.and_(
        batch_result.c.batch == number,
        batch_result.c.file == file,
        batch_result.c.state == ResultState.WAITING.value,
    )
    return connection.execute(sa.update(batch_result).where(mine).values(**values)).rowcount == 1


def count_result(connection: Connection, number: int, failed: bool, now: datetime) -> None:
    """One more; the last one ends the batch, and nothing does while it is not known how many there are."""
    last = sa.and_(batch.c.files_total > 0, batch.c.files + 1 >= batch.c.files_total)
    ends = sa.and_(last, batch.c.state.in_(OPEN))
    changed = sa.update(batch).where(batch.c.id == number)
    connection.execute(
        changed.values(
            files=batch.c.files + 1,
            failures=batch.c.failures + int(failed),
            state=sa.case((ends, RunState.FINISHED.value), else_=batch.c.state),
            ended_at=sa.case((ends, now), else_=batch.c.ended_at),
        )
    )


def results(
    connection: Connection,
    number: int,
    state: ResultState | None = None,
    *,
    limit: int,
    offset: Beginning = 0,
) -> tuple[list[Result], int]:
    """Errors first."""
    where = [batch_result.c.batch == number]
    if state:
        where.append(batch_result.c.state == state.value)
    found = stretch(connection, _asked().where(*where), (ORDER, batch_result.c.file), limit, offset)
    total = connection.scalar(sa.select(sa.func.count()).select_from(batch_result).where(*where)) or 0
    return [_result(row) for row in found.mappings()], total


def speed(connection: Connection, number: int) -> Pace:
    """Files a second."""
    ended = sa.and_(batch_result.c.batch == number, batch_result.c.at.is_not(None))
    asked = sa.select(batch_result.c.at, sa.literal(1).label("amount")).where(ended)
    return pace(connection, asked)


def results_after(connection: Connection, number: int, file: int, most: int) -> list[Result]:
    """Results that have come, in the order of the files' numbers."""
    asked = _asked().where(
        batch_result.c.batch == number,
        batch_result.c.file > file,
        batch_result.c.state != ResultState.WAITING.value,
    )
    rows = connection.execute(asked.order_by(batch_result.c.file).limit(most)).mappings()
    return [_result(row) for row in rows]


def _asked() -> "sa.Select[Any]":
    return sa.select(batch_result, stored_file.c.name).join(
        stored_file, stored_file.c.id == batch_result.c.file
    )


def _batch(row: Mapping[Any, Any]) -> Batch:
    chosen = row["selection"]
    selection = Selection(SelectionKind(chosen.get("kind", "all")), chosen.get("value", ""))
    return Batch(**{**row, "selection": selection, "state": RunState(row["state"])})


def _result(row: Mapping[Any, Any]) -> Result:
    return from_row(Result, row)
