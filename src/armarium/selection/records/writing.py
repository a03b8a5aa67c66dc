"""The one way in which records are made and changed: forms, imports, bulk edits, nominations and the API all
come here, so that rights, the matrix, the history and the return to “proposed” hold for each of them.

The caller has opened the transaction with `permissions.changing`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection

from armarium.audit.service import Happening, Subject, record_many
from armarium.core import clock
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.selection import permissions
from armarium.selection.collections import queries as collection_queries
from armarium.selection.collections.model import Collection
from armarium.selection.collections.service import existing as existing_collection
from armarium.selection.model import Origin, RecordState
from armarium.selection.permissions import Editor
from armarium.selection.records import queries, rules
from armarium.selection.records.model import FIELDS, TECHNICAL, Draft, Record

TOPIC = "records"
NO_RECORD = message("There is no record with the number %(number)s.")


class Known(Refused):
    """The collection has this address already."""

    def __init__(self, address: str, collection: str, record: int) -> None:
        text = "%(address)s is in the collection %(collection)s already: record %(record)s."
        super().__init__(
            message(text, address=address, collection=collection, record=record), field="address"
        )
        self.record = record


@dataclass(frozen=True)
class Entered:
    """A draft with what its way into the collection says of it."""

    draft: Draft
    origin: Origin = Origin.ENTRY
    check: int | None = None  # the live check that justified it


def subject(record: Record) -> Subject:
    return Subject("record", record.id, record.name)


def create_many(connection: Connection, editor: Editor, entered: Sequence[Entered]) -> list[Record]:
    """New records: proposed, or validated at once if the editor decides and every address has answered."""
    collections = _collections(connection, {one.draft.collection for one in entered})
    permissions.check(connection, editor, collections, "record.created")
    matrix = collection_queries.the_matrix(connection)
    drafts = [
        rules.checked(one.draft, refuse_closed(collections[one.draft.collection]), matrix) for one in entered
    ]
    _refuse_unknown_people(connection, drafts)
    _refuse_known(connection, collections, drafts)
    rows = [_row(editor, draft, one) for draft, one in zip(drafts, entered, strict=True)]
    numbers = queries.insert_many(connection, rows)
    with_further = {number: draft for number, draft in zip(numbers, drafts, strict=True) if draft.further}
    if with_further:
        _put_further(connection, with_further)
    made = queries.by_ids(connection, numbers)
    record_many(
        connection,
        editor.actor,
        [Happening("record.created", subject(one), {}, one.described()) for one in made],
    )
    announce(connection, TOPIC)
    return made


def change_many(
    connection: Connection,
    editor: Editor,
    changes: Mapping[int, Mapping[str, Any]],
    action: str = "record.changed",
    stated: Mapping[int, Mapping[str, Any]] | None = None,
) -> list[Record]:
    """Other values for some fields of a draft, by the number of the record. What is the same stays untouched.

    With an address that it had not, a record is a proposal: nobody has seen that answer.
    Whoever changes technical settings and does not decide about proposals makes a proposal of the record.
    `stated`: the columns of its state, all four of them, where an undo gives back what was decided before.
    """
    stated = stated or {}
    if unknown := {name for one in changes.values() for name in one} - set(FIELDS):
        raise ValueError(f"no field of a record: {sorted(unknown)}")
    before = _locked(connection, list(changes))
    touched = {one.collection for one in before}
    touched |= {int(values["collection"]) for values in changes.values() if "collection" in values}
    collections = _collections(connection, touched)
    permissions.check(connection, editor, touched, action)
    matrix = collection_queries.the_matrix(connection)
    after: list[tuple[Record, Draft]] = []
    for one in before:
        wanted = replace(one, **changes[one.id])
        draft = rules.checked(wanted.draft, collections[wanted.collection], matrix, kept=one)
        if differs(one, draft) or one.id in stated:
            after.append((one, draft))
    # Who was responsible when they were blocked may stay so until somebody chooses another.
    _refuse_unknown_people(
        connection, [draft for one, draft in after if draft.responsible != one.responsible]
    )
    _refuse_known(connection, collections, [draft for one, draft in after if _moves(one, draft)], after)
    return _write(connection, editor, after, action, stated)


def decide_many(
    connection: Connection, editor: Editor, numbers: Sequence[int], state: RecordState, reason: str = ""
) -> list[Record]:
    """Validate, refuse with a reason, or propose again. What was not seen to answer cannot be validated."""
    asked = _locked(connection, numbers)
    for one in asked if state is RecordState.VALIDATED else ():
        if not one.can_be_validated and one.state is not state:
            raise Refused(rules.not_seen(one))
    if asked and state is not RecordState.PROPOSED and not editor.validates:
        text = message("Only curators decide about proposals. Write a comment if you want one decided.")
        raise permissions.NotTheirs(text, subject(asked[0]), f"record.{state.value}")
    permissions.check(connection, editor, {one.collection for one in asked}, f"record.{state.value}")
    before = [one for one in asked if (one.state, one.state_reason) != (state, reason)]
    values = {**_stated(editor, state, reason), **_modified(editor)}
    queries.update_many(connection, [one.id for one in before], values)
    return _told(connection, editor, before, f"record.{state.value}")


# Steps


def _write(
    connection: Connection,
    editor: Editor,
    after: Sequence[tuple[Record, Draft]],
    action: str,
    stated: Mapping[int, Mapping[str, Any]],
) -> list[Record]:
    further: dict[int, Draft] = {}
    changed: dict[int, dict[str, object]] = {}
    decided: dict[int, dict[str, object]] = {}
    for one, draft in after:
        made, new_address = rules.become(one, draft)
        again = one.state is RecordState.VALIDATED and (
            new_address or (not editor.validates and _technical(one, draft))
        )
        state = stated.get(one.id) or (_stated(editor, RecordState.PROPOSED) if again else {})
        place = decided if state else changed
        seen = {"checked_at": made.checked_at, "taken_over": made.taken_over}
        place[one.id] = {**_columns(draft), **state, **seen, **_modified(editor)}
        if made.further != one.further:
            further[one.id] = made
    queries.update_each(connection, changed)
    queries.update_each(connection, decided)
    if further:
        _put_further(connection, further)
    return _told(connection, editor, [one for one, _ in after], action)


def _told(connection: Connection, editor: Editor, before: Sequence[Record], action: str) -> list[Record]:
    """Write the history of what has changed, and give the records as they are now."""
    old = {one.id: one for one in before}
    made = queries.by_ids(connection, list(old))
    happenings = [Happening(action, subject(one), old[one.id].described(), one.described()) for one in made]
    record_many(connection, editor.actor, happenings)
    if made:
        announce(connection, TOPIC)
    return made


def _locked(connection: Connection, numbers: Sequence[int]) -> list[Record]:
    found = queries.by_ids(connection, numbers, lock=True)
    if missing := set(numbers) - {one.id for one in found}:
        raise no_record(min(missing))
    return found


def _collections(connection: Connection, numbers: set[int]) -> dict[int, Collection]:
    return {number: existing_collection(connection, number) for number in sorted(numbers)}


def refuse_closed(collection: Collection) -> Collection:
    if not collection.active:
        raise Refused(
            message("The collection %(name)s is not active: it takes no new records.", name=collection.name),
            field="collection",
        )
    return collection


def _row(editor: Editor, draft: Draft, entered: Entered) -> dict[str, object]:
    now = clock.now()
    taken_over = entered.origin is Origin.IMPORT
    seen = entered.check is not None and not draft.further  # no check has looked at further addresses yet
    validated = editor.validates and (seen or taken_over)
    decided = {"stated_at": now, "stated_by": editor.actor.name} if validated else {}
    return {
        **_columns(draft),
        "state": (RecordState.VALIDATED if validated else RecordState.PROPOSED).value,
        "stated_at": None,
        "stated_by": "",
        **decided,
        "origin": entered.origin.value,
        "check": entered.check,
        "checked_at": None if entered.check is None else now,
        "taken_over": taken_over,
        "created_at": now,
        "created_by": editor.actor.name,
        **_modified(editor),
    }


def _columns(draft: Draft) -> dict[str, object]:
    place = rules.place_of(draft.address)
    values = {name: getattr(draft, name) for name in FIELDS if name != "further"}
    return {
        **values,
        "keywords": list(draft.keywords),
        "address": place.address,
        "key": place.key,
        "host": place.host,
        "domain": place.domain,
    }


def _stated(editor: Editor, state: RecordState, reason: str = "") -> dict[str, object]:
    return {
        "state": state.value,
        "state_reason": reason,
        "stated_at": clock.now(),
        "stated_by": editor.actor.name,
    }


def _modified(editor: Editor) -> dict[str, object]:
    return {"modified_at": clock.now(), "modified_by": editor.actor.name}


def _put_further(connection: Connection, drafts: Mapping[int, Draft]) -> None:
    listed = {
        number: [(one, rules.place_of(one.address).key) for one in draft.further]
        for number, draft in drafts.items()
    }
    queries.put_further(connection, listed)


def differs(one: Record, draft: Draft) -> bool:
    return any(getattr(one, name) != getattr(draft, name) for name in FIELDS)


def _technical(one: Record, draft: Draft) -> bool:
    return any(getattr(one, name) != getattr(draft, name) for name in TECHNICAL)


def _moves(one: Record, draft: Draft) -> bool:
    return one.collection != draft.collection or one.key != rules.place_of(draft.address).key


def _refuse_known(
    connection: Connection,
    collections: Mapping[int, Collection],
    drafts: Sequence[Draft],
    changed: Sequence[tuple[Record, Draft]] = (),
) -> None:
    """An address stands in a collection once."""
    leaving = {one.id for one, draft in changed if _moves(one, draft)}
    for number, collection in collections.items():
        wanted: dict[str, str] = {}
        for draft in drafts:
            if draft.collection == number:
                place = rules.place_of(draft.address)
                if place.key in wanted:
                    raise Refused(
                        message("%(address)s is listed twice. Remove one of the two.", address=draft.address),
                        field="address",
                    )
                wanted[place.key] = draft.address
        taken = queries.keys_taken(connection, number, wanted)
        for key, there in taken.items():
            if there not in leaving:
                raise Known(wanted[key], collection.name, there)


def _refuse_unknown_people(connection: Connection, drafts: Sequence[Draft]) -> None:
    wanted = {draft.responsible for draft in drafts if draft.responsible is not None}
    if wanted - queries.accounts_among(connection, wanted):
        raise Refused(message("This account does not exist, or is blocked."), field="responsible")


def existing(connection: Connection, number: int, *, lock: bool = False) -> Record:
    found = queries.by_id(connection, number, lock=lock)
    if found is None:
        raise NotFound(NO_RECORD.saying(number=number))
    return found


def no_record(number: int) -> Refused:
    """As one of several that somebody chose."""
    return Refused(NO_RECORD.saying(number=number))
