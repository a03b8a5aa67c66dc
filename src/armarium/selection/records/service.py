"""The verbs of records. None is deleted: one that is no longer wanted becomes inactive."""

from collections.abc import Mapping, Sequence
from typing import Any

from armarium.audit.service import record as audited
from armarium.core import clock
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.selection import rights
from armarium.selection.model import State
from armarium.selection.records import queries, writing
from armarium.selection.records.model import FIELDS, Comment, Draft, Record
from armarium.selection.records.writing import TOPIC, Entered
from armarium.selection.rights import Editor

LONGEST_COMMENT = 10_000
LONGEST_REASON = 2000


class Records:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def get(self, number: int) -> Record:
        with self._database.transaction() as connection:
            found = queries.by_id(connection, number)
        if found is None:
            raise NotFound(message("There is no record with the number %(number)s.", number=number))
        return found

    def comments(self, number: int) -> list[Comment]:
        with self._database.transaction() as connection:
            return queries.comments(connection, number)

    def may_change(self, editor: Editor, collection: int) -> bool:
        """For pages, which offer only what can be done."""
        with self._database.transaction() as connection:
            own = rights.theirs(connection, editor)
        return own is None or collection in own

    # Changing

    def create(self, editor: Editor, entered: Entered) -> Record:
        return self.create_many(editor, [entered])[0]

    def create_many(self, editor: Editor, entered: Sequence[Entered]) -> list[Record]:
        """All of them or none."""
        with rights.changing(self._database, editor) as connection:
            return writing.create_many(connection, editor, entered)

    def change(self, editor: Editor, number: int, draft: Draft, *, seen: int | None = None) -> Record:
        """All fields as the draft says; another collection moves the record."""
        values = {name: getattr(draft, name) for name in FIELDS}
        return self.change_fields(editor, number, values, seen=seen)

    def change_fields(
        self, editor: Editor, number: int, values: Mapping[str, Any], *, seen: int | None = None
    ) -> Record:
        with rights.changing(self._database, editor) as connection:
            before = queries.by_id(connection, number, lock=True)
            if before is None:
                raise NotFound(message("There is no record with the number %(number)s.", number=number))
            if seen is not None and seen != before.edition:
                raise Refused(message("Somebody changed this record meanwhile. Look at it again, then save."))
            moved = values.get("collection", before.collection) != before.collection
            action = "record.moved" if moved else "record.changed"
            changed = writing.change_many(connection, editor, {number: values}, action)
            return changed[0] if changed else before

    def decide(self, editor: Editor, numbers: Sequence[int], state: State, reason: str = "") -> list[Record]:
        """Validate, refuse with a reason, or propose again."""
        reason = reason.strip()
        if state is State.REFUSED and not reason:
            raise Refused(message("Say why: the librarian will ask."), field="reason")
        if len(reason) > LONGEST_REASON:
            raise Refused(
                message("A reason has at most %(most)s characters.", most=LONGEST_REASON), field="reason"
            )
        with rights.changing(self._database, editor) as connection:
            return writing.decide_many(connection, editor, numbers, state, reason)

    def comment(self, editor: Editor, number: int, text: str) -> Comment:
        """Whoever reads a record may say something about it; comments are never changed."""
        text = text.strip()
        if not text or len(text) > LONGEST_COMMENT or "\x00" in text:
            raise Refused(
                message("A comment has 1 to %(most)s characters.", most=LONGEST_COMMENT), field="text"
            )
        with self._database.transaction() as connection:
            found = queries.by_id(connection, number)
            if found is None:
                raise NotFound(message("There is no record with the number %(number)s.", number=number))
            said = {"record": number, "at": clock.now(), "author": editor.actor.name, "text": text}
            made = queries.insert_comment(connection, {**said, "account": editor.account})
            subject = writing.subject(found)
            audited(connection, editor.actor, "record.commented", subject, after={"comment": text})
            announce(connection, TOPIC)
            return Comment(made, number, clock.now(), editor.actor.name, text)
