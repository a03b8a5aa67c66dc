"""What a bulk edit makes of a record, and why it cannot. Pure: collections, matrix and rights are given."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.bulk.model import NOBODY, Changes, Verdict, plain
from armarium.selection.collections.model import Collection, Matrix
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.records.model import FIELDS, Draft, Record
from armarium.selection.records.rules import (
    LONGEST_NOTES,
    checked,
    checked_language,
    checked_reason,
    not_seen,
)

STATED = ("state", "state_reason", "stated_at", "stated_by")
#: What a refusal of the rules of records speaks of.
REASONS = {
    "theme": Verdict.THEME,
    "budget": Verdict.COMBINATION,
    "address": Verdict.KNOWN,
    "collection": Verdict.CLOSED,
}


@dataclass(frozen=True)
class Context:
    """By what a record is judged."""

    collections: Mapping[int, Collection]
    matrix: Matrix
    own: frozenset[int] | None  # None: every collection is theirs


@dataclass(frozen=True)
class Judged:
    verdict: Verdict
    why: Message | None = None
    values: Mapping[str, Any] = field(default_factory=dict)  # fields of the record that get another value
    decided: bool = False  # its state changes as well


def checked_changes(changes: Changes, *, validates: bool) -> Changes:
    """The changes with their texts trimmed, or a refusal that names the field."""
    if changes.nothing:
        raise Refused(message("Choose at least one field to change."), field="responsible")
    if changes.state not in (None, RecordState.PROPOSED) and not validates:
        raise Refused(message("Only curators decide about proposals."), field="state")
    reason = checked_reason(changes.state, changes.reason) if changes.state else ""
    checked_language(changes.language or "")
    for name in ("content_notes", "technical_notes"):
        if len(getattr(changes, name)) > LONGEST_NOTES or "\x00" in getattr(changes, name):
            raise Refused(message("Notes have at most %(most)s characters.", most=LONGEST_NOTES), field=name)
    return replace(changes, reason=reason)


def judged(record: Record, changes: Changes, around: Context) -> Judged:
    """What becomes of this record, or why nothing can."""
    target = around.collections[changes.collection or record.collection]
    for one in (around.collections[record.collection], target):
        if around.own is not None and one.id not in around.own:
            return Judged(Verdict.NOT_YOURS, not_theirs(one.name))
    if target.id != record.collection and not target.active:
        text = message("The collection %(name)s is not active: it takes no new records.", name=target.name)
        return Judged(Verdict.CLOSED, text)
    try:
        draft = checked(
            replace(record.draft, **new_values(record, changes, target)), target, around.matrix, kept=record
        )
    except Refused as refusal:
        return Judged(REASONS.get(refusal.field or "", Verdict.TEXT), refusal.message)
    values = {name: getattr(draft, name) for name in FIELDS if getattr(draft, name) != getattr(record, name)}
    decided = changes.state is not None and (record.state, record.state_reason) != (
        changes.state,
        changes.reason,
    )
    if decided and changes.state is RecordState.VALIDATED and not record.can_be_validated:
        return Judged(Verdict.NOT_SEEN, not_seen(record))
    return Judged(Verdict.CHANGE if values or decided else Verdict.SAME, None, values, decided)


def new_values(record: Record, changes: Changes, target: Collection) -> dict[str, Any]:
    """The values that the record is to have."""
    names = ("budget", "frequency", "depth", "language", "active")
    values = {name: given for name in names if (given := getattr(changes, name)) is not None}
    values["collection"] = target.id
    values["theme"] = _theme(record, changes, target)
    if changes.responsible is not None:
        values["responsible"] = None if changes.responsible == NOBODY else changes.responsible
    if changes.keywords_add or changes.keywords_remove:
        gone = {one.casefold() for one in changes.keywords_remove}
        there = tuple(one for one in record.keywords if one.casefold() not in gone)
        known = {one.casefold() for one in there}
        values["keywords"] = (*there, *(one for one in changes.keywords_add if one.casefold() not in known))
    for name in ("content_notes", "technical_notes"):
        if added := getattr(changes, name).strip():
            values[name] = "\n".join(filter(None, (getattr(record, name), added)))
    return values


def _theme(record: Record, changes: Changes, target: Collection) -> int:
    """The one that was chosen; after a move, else the one of the same name, else the usual one."""
    if changes.theme is not None:
        return changes.theme
    if target.id == record.collection:
        return record.theme
    same = target.theme_named(record.theme_name)
    if same is not None and same.active:
        return same.id
    return target.default_theme or record.theme


def not_theirs(name: str) -> Message:
    return message(
        "The collection %(name)s is not one of yours: you may read its records, not change them.", name=name
    )


# As the table keeps it


def kept(text: Message | None) -> dict[str, Any] | None:
    if text is None:
        return None
    values = {name: say(one) if isinstance(one, Message) else plain(one) for name, one in text.values.items()}
    return {"text": text.template, "values": values}


def before_of(record: Record, values: Mapping[str, Any]) -> dict[str, Any]:
    """What an undo needs: the fields that change, and what had been decided."""
    return {name: plain(getattr(record, name)) for name in (*values, *STATED)}


def after_of(judged: Judged, changes: Changes) -> dict[str, Any]:
    values = {name: plain(value) for name, value in judged.values.items()}
    if judged.decided and changes.state is not None:
        values |= {"state": changes.state.value, "state_reason": changes.reason}
    return values


def restored(before: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Of what the table kept: the fields of the record, and the columns of its state."""
    made: dict[str, Any] = {"budget": Budget, "frequency": Frequency, "depth": Depth, "keywords": tuple}
    fields = {
        name: made[name](value) if name in made else value for name, value in before.items() if name in FIELDS
    }
    stated = {name: before[name] for name in STATED}
    if stated["stated_at"]:
        stated["stated_at"] = datetime.fromisoformat(stated["stated_at"])
    return fields, stated


def checked_return(record: Record, fields: Mapping[str, Any], home: Collection, matrix: Matrix) -> Draft:
    return checked(replace(record.draft, **fields), home, matrix, kept=record)
