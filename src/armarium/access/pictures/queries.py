"""Which pictures there are, and which are asked for. Only here SQL speaks of them."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert

from armarium.access.pictures.model import Place, State, Taken, Wanted
from armarium.access.tables import picture
from armarium.formats.cdx import CdxLine, parse_lines

IS_WAITING = picture.c.state == State.ASKED.value


def ask(connection: Connection, wanted: Iterable[Wanted], now: datetime, most: int) -> None:
    """Of those that are not known yet; beyond `most` that wait, nobody is in line."""
    waiting = connection.scalar(sa.select(sa.func.count()).select_from(picture).where(IS_WAITING)) or 0
    rows = [
        {
            "key": one.place.key,
            "timestamp": one.place.timestamp,
            "url": one.url,
            "state": State.ASKED.value,
            "asked_at": now,
        }
        for one in wanted
    ]
    if rows := rows[: max(most - waiting, 0)]:
        connection.execute(insert(picture).on_conflict_do_nothing(), rows)


def states(
    connection: Connection, places: Sequence[Place]
) -> dict[Place, tuple[State, Sequence[CdxLine] | None]]:
    """Of each its state, and its parts as `taken` gives them."""
    if not places:
        return {}
    asked = sa.select(picture.c.key, picture.c.timestamp, picture.c.state, picture.c.parts).where(
        sa.tuple_(picture.c.key, picture.c.timestamp).in_([tuple(place) for place in places])
    )
    return {
        Place(row.key, row.timestamp): (State(row.state), _parts(row.parts))
        for row in connection.execute(asked)
    }


def of_pages(connection: Connection, keys: Collection[str]) -> list[tuple[Place, Sequence[CdxLine] | None]]:
    """All pictures of these keys with their parts, oldest captures first."""
    asked = sa.select(picture.c.key, picture.c.timestamp, picture.c.parts).where(
        picture.c.key.in_(keys), picture.c.state == State.TAKEN.value
    )
    rows = connection.execute(asked.order_by(picture.c.timestamp))
    return [(Place(row.key, row.timestamp), _parts(row.parts)) for row in rows]


def taken(connection: Connection, place: Place) -> Taken | None:
    row = connection.execute(sa.select(picture.c.data, picture.c.parts).where(*_is(place))).one_or_none()
    parts = _parts(row.parts) if row else None
    return Taken(row.data, parts) if row and row.data and parts is not None else None


def _parts(written: bytes | None) -> Sequence[CdxLine] | None:
    """None: what is seen in it is not known."""
    lines = list(parse_lines((written or b"").splitlines()))
    known = [line for line in lines if isinstance(line, CdxLine)]
    return known if known and len(known) == len(lines) else None


def waiting(connection: Connection, limit: int) -> list[Wanted]:
    """Those that wait longest."""
    asked = sa.select(picture).where(IS_WAITING).order_by(picture.c.asked_at, picture.c.key).limit(limit)
    rows = connection.execute(asked).mappings()
    return [Wanted(Place(row["key"], row["timestamp"]), row["url"]) for row in rows]


def put(connection: Connection, place: Place, found: Taken | None, now: datetime) -> None:
    values: dict[str, Any] = {"state": State.FAILED.value, "taken_at": now}
    if found:
        parts = b"\n".join(part.to_cdxj() for part in found.parts)
        values |= {"state": State.TAKEN.value, "data": found.data, "parts": parts}
    connection.execute(sa.update(picture).where(*_is(place)).values(values))


def tidy(connection: Connection, keep: int, failed_before: datetime) -> int:
    """Forget the oldest beyond `keep`, and failures that may be tried again."""
    gone = connection.execute(
        sa.delete(picture).where(picture.c.state == State.FAILED.value, picture.c.taken_at < failed_before)
    ).rowcount
    newest = sa.select(picture.c.taken_at).where(~IS_WAITING).order_by(picture.c.taken_at.desc())
    edge = newest.offset(keep).limit(1).scalar_subquery()
    return gone + connection.execute(sa.delete(picture).where(picture.c.taken_at <= edge)).rowcount


def _is(place: Place) -> tuple[sa.ColumnElement[bool], ...]:
    return picture.c.key == place.key, picture.c.timestamp == place.timestamp
