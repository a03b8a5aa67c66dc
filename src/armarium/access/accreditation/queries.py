"""The SQL of accreditations."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection, RowMapping

from armarium.access.accreditation.model import (
    SOON,
    Accreditation,
    AccreditationFilter,
    AccreditationState,
    Period,
)
from armarium.access.tables import accreditation
from armarium.accounts.tables import account
from armarium.db.stretches import Beginning, stretch

COLUMNS = (*accreditation.c, account.c.name, account.c.display_name, account.c.active)
JOINED = accreditation.join(account, accreditation.c.account == account.c.id)


def _value(row: RowMapping) -> Accreditation:
    return Accreditation(**row)


def _in_state(state: AccreditationState, today: date) -> sa.ColumnElement[bool]:
    table = accreditation.c
    living, begun = table.ended_at.is_(None), table.first_day <= today
    conditions: dict[AccreditationState, list[sa.ColumnElement[bool]]] = {
        AccreditationState.ENDED: [table.ended_at.is_not(None)],
        AccreditationState.EXPIRED: [living, table.last_day < today],
        AccreditationState.COMING: [living, table.first_day > today, table.last_day >= today],
        AccreditationState.SOON: [living, begun, table.last_day >= today, table.last_day < today + SOON],
        AccreditationState.VALID: [living, begun, table.last_day >= today],  # those that end soon among them
    }
    return sa.and_(*conditions[state])


def _matching(wanted: AccreditationFilter, today: date) -> sa.Select[Any]:
    chosen = sa.select(*COLUMNS).select_from(JOINED)
    if wanted.text:
        places = (account.c.name, account.c.display_name, account.c.mail, accreditation.c.note)
        chosen = chosen.where(sa.or_(*(p.icontains(wanted.text, autoescape=True) for p in places)))
    if wanted.state:
        chosen = chosen.where(_in_state(wanted.state, today))
    return chosen


def page(
    connection: Connection, wanted: AccreditationFilter, today: date, limit: int, offset: Beginning
) -> tuple[list[Accreditation], int]:
    chosen = _matching(wanted, today)
    total = connection.scalar(sa.select(sa.func.count()).select_from(chosen.subquery())) or 0
    # What ends first needs a look first; what is over comes last.
    over = sa.or_(accreditation.c.ended_at.is_not(None), accreditation.c.last_day < today)
    order = (over, accreditation.c.last_day, account.c.name, accreditation.c.id)
    rows = stretch(connection, chosen, order, limit, offset).mappings()
    return [_value(row) for row in rows], total


def count(connection: Connection, state: AccreditationState, today: date) -> int:
    wanted = sa.select(sa.func.count()).select_from(accreditation).where(_in_state(state, today))
    return connection.scalar(wanted) or 0


def by_id(connection: Connection, number: int, *, lock: bool = False) -> Accreditation | None:
    wanted = sa.select(*COLUMNS).select_from(JOINED).where(accreditation.c.id == number)
    if lock:
        wanted = wanted.with_for_update(of=accreditation)
    row = connection.execute(wanted).mappings().one_or_none()
    return _value(row) if row else None


def overlapping(
    connection: Connection, person: int, period: Period, but: int | None = None
) -> Accreditation | None:
    table = accreditation.c
    wanted = (
        sa.select(*COLUMNS)
        .select_from(JOINED)
        .where(
            table.account == person,
            table.ended_at.is_(None),
            table.first_day <= period.last_day,
            table.last_day >= period.first_day,
        )
        .order_by(table.first_day)
        .limit(1)
    )
    if but is not None:
        wanted = wanted.where(table.id != but)
    row = connection.execute(wanted).mappings().one_or_none()
    return _value(row) if row else None


def insert(connection: Connection, values: Mapping[str, object]) -> int:
    added = accreditation.insert().values(values).returning(accreditation.c.id)
    return int(connection.execute(added).scalar_one())


def update(connection: Connection, number: int, **values: object) -> None:
    connection.execute(accreditation.update().where(accreditation.c.id == number).values(**values))


def lock_account(connection: Connection, person: int) -> None:
    """Two who accredit the same reader at once must see each other."""
    connection.execute(sa.select(account.c.id).where(account.c.id == person).with_for_update())
