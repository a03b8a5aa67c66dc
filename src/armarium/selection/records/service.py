"""The verbs of records. None is deleted: one that is no longer wanted becomes inactive."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from armarium.audit.service import record as audited
from armarium.core import clock
from armarium.core.entities import values_of
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.selection import permissions
from armarium.selection.model import Combination, RecordState
from armarium.selection.permissions import Editor
from armarium.selection.records import queries, writing
from armarium.selection.records.model import Comment, Draft, Record
from armarium.selection.records.rules import checked_reason
from armarium.selection.records.writing import TOPIC, Entered

LONGEST_COMMENT = 10_000


@dataclass(frozen=True)
class Destination:
    """Where a record is moved to."""

    collection: int
    theme: int
    combination: Combination | None = None  # None: as it is, if it is offered there


class ChangedMeanwhile(Refused):
    """Somebody else was faster."""

    def __init__(self, record: Record) -> None:
        super().__init__(
            message(
                "Somebody changed the record %(name)s meanwhile. Look at it again, then decide or save.",
                name=record.name,
            )
        )
        self.record = record


class Records:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    get = reading(writing.existing)
    comments = reading(queries.comments)

    def may_change(self, editor: Editor, collection: int) -> bool:
        """For pages, which offer only what can be done."""
        with self._database.transaction() as connection:
            own = permissions.editable_collections(connection, editor)
        return own is None or collection in own

    # Changing

    def create(self, editor: Editor, entered: Entered) -> Record:
        return self.create_many(editor, [entered])[0]

    def create_many(self, editor: Editor, entered: Sequence[Entered]) -> list[Record]:
        """All of them or none."""
        with permissions.changing(self._database, editor) as connection:
            return writing.create_many(connection, editor, entered)

    def change(
        self,
        editor: Editor,
        number: int,
        draft: Draft,
        *,
        seen: int | None = None,
        propose: bool = False,
    ) -> Record:
        """All fields as the draft says; another collection moves the record."""
        return self.change_fields(editor, number, values_of(draft, Draft), seen=seen, propose=propose)

    def change_fields(
        self,
        editor: Editor,
        number: int,
        values: Mapping[str, Any],
        *,
        seen: int | None = None,
        propose: bool = False,
    ) -> Record:
        """`propose`: a refused record, corrected, goes back to the curators in the same step."""
        with permissions.changing(self._database, editor) as connection:
            before = writing.existing(connection, number, lock=True)
            moved = values.get("collection", before.collection) != before.collection
            action = "record.moved" if moved else "record.changed"
            permissions.check(connection, editor, [before.collection], action)
            if seen is not None and seen != before.edition:
                raise ChangedMeanwhile(before)
            changed = writing.change_many(connection, editor, {number: values}, action)
            if propose:
                changed = writing.decide_many(connection, editor, [number], RecordState.PROPOSED) or changed
            return changed[0] if changed else before

    def move(self, editor: Editor, number: int, to: Destination, *, seen: int | None = None) -> Record:
        """Into another collection, with one of its themes; rights in both are needed."""
        values: dict[str, Any] = {"collection": to.collection, "theme": to.theme}
        if to.combination:
            values.update(vars(to.combination))
        return self.change_fields(editor, number, values, seen=seen)

    def decide(
        self,
        editor: Editor,
        numbers: Sequence[int],
        state: RecordState,
        reason: str = "",
        *,
        seen: Mapping[int, int] | None = None,
    ) -> list[Record]:
        """Validate, refuse with a reason, or propose again. `seen`: the editions about which they decide."""
        reason = checked_reason(state, reason)
        with permissions.changing(self._database, editor) as connection:
            for one in queries.by_ids(connection, numbers, lock=True) if seen else ():
                if seen and seen.get(one.id, one.edition) != one.edition:
                    raise ChangedMeanwhile(one)
            return writing.decide_many(connection, editor, numbers, state, reason)

    def comment(self, editor: Editor, number: int, text: str) -> Comment:
        """Whoever reads a record may say something about it; comments are never changed."""
        text = text.strip()
        if not text or len(text) > LONGEST_COMMENT or "\x00" in text:
            raise Refused(
                message("A comment has 1 to %(most)s characters.", most=LONGEST_COMMENT), field="text"
            )
        with self._database.transaction() as connection:
            found, now = writing.existing(connection, number), clock.now()
            said = {"record": number, "at": now, "author": editor.actor.name, "text": text}
            made = queries.said.add(connection, **said, account=editor.account)
            subject = writing.subject(found)
            audited(connection, editor.actor, "record.commented", subject, after={"comment": text})
            announce(connection, TOPIC)
            return Comment(made, number, now, editor.actor.name, text)
