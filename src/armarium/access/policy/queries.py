"""SQL of the rules."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.access.policy.model import Rule, RuleEffect, State, Terms
from armarium.access.tables import rule
from armarium.db.stretches import Beginning, stretch

_OWN = ("id", "edition", "created_at", "created_by", "ended_at", "ended_by", "ended_why")


@dataclass(frozen=True)
class RuleFilter:
    """Which rules are looked for."""

    text: str = ""  # in the pattern, the reason or the message
    effect: RuleEffect | None = None
    state: State | None = None  # None: all that have not ended
    collection: str = ""
    take_down: bool | None = None


def page(
    connection: Connection, wanted: RuleFilter, now: datetime, limit: int, offset: Beginning
) -> tuple[list[Rule], int]:
    asked = sa.select(rule).where(*_conditions(wanted, now))
    total = connection.scalar(sa.select(sa.func.count()).select_from(asked.subquery()))
    newest = stretch(connection, asked, [rule.c.id.desc()], limit, offset)
    return [_rule(row) for row in newest], int(total or 0)


def not_ended(connection: Connection) -> list[Rule]:
    return [_rule(row) for row in connection.execute(sa.select(rule).where(rule.c.ended_at.is_(None)))]


def changed_since(connection: Connection, change: int) -> list[Rule]:
    """Those that were made, changed or ended after a change."""
    return [_rule(row) for row in connection.execute(sa.select(rule).where(rule.c.change > change))]


def by_id(connection: Connection, number: int, *, lock: bool = False) -> Rule | None:
    asked = sa.select(rule).where(rule.c.id == number)
    row = connection.execute(asked.with_for_update() if lock else asked).one_or_none()
    return _rule(row) if row else None


def insert(connection: Connection, change: int, terms: Sequence[Terms], at: datetime, by: str) -> list[Rule]:
    rows = [{**one.flat(), "change": change, "created_at": at, "created_by": by} for one in terms]
    if not rows:
        return []
    found = connection.execute(sa.insert(rule).returning(rule, sort_by_parameter_order=True), rows)
    return [_rule(row) for row in found]


def update(connection: Connection, change: int, number: int, terms: Terms) -> None:
    changed = sa.update(rule).where(rule.c.id == number)
    connection.execute(changed.values(**terms.flat(), change=change, edition=rule.c.edition + 1))


def end(connection: Connection, change: int, number: int, at: datetime, by: str, why: str) -> None:
    ended = {"ended_at": at, "ended_by": by, "ended_why": why}
    changed = sa.update(rule).where(rule.c.id == number)
    connection.execute(changed.values(**ended, change=change, edition=rule.c.edition + 1))


def _conditions(wanted: RuleFilter, now: datetime) -> list[sa.ColumnElement[bool]]:
    found = [*_of_state(wanted.state, now)]
    if wanted.text:
        texts = (rule.c.pattern, rule.c.reason, rule.c.public_message, rule.c.key)
        found.append(sa.or_(*(text.icontains(wanted.text, autoescape=True) for text in texts)))
    if wanted.effect is not None:
        found.append(rule.c.effect == wanted.effect.value)
    if wanted.collection:
        found.append(rule.c.collection == wanted.collection)
    if wanted.take_down is not None:
        found.append(rule.c.take_down.is_(wanted.take_down))
    return found


def _of_state(state: State | None, now: datetime) -> list[sa.ColumnElement[bool]]:
    if state is State.ENDED:
        return [rule.c.ended_at.is_not(None)]
    alive = rule.c.ended_at.is_(None)
    over = rule.c.valid_until.is_not(None) & (rule.c.valid_until <= now)
    to_come = rule.c.valid_from.is_not(None) & (rule.c.valid_from > now)
    match state:
        case State.EXPIRED:
            return [alive, over]
        case State.PLANNED:
            return [alive, to_come, ~over]
        case State.IN_FORCE:
            return [alive, ~over, ~to_come]
    return [alive]


def _rule(row: sa.Row[Any]) -> Rule:
    found = row._asdict()
    return Rule(terms=Terms.of(found), **{name: found[name] for name in _OWN})
