"""Every line of a file, judged by the rules by which records are made and changed; nothing is written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from sqlalchemy import Connection

from armarium.core.entities import values_of
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.selection import permissions
from armarium.selection.collections import queries as collection_queries
from armarium.selection.collections.model import Collection
from armarium.selection.exchange import tables
from armarium.selection.exchange.columns import column_of
from armarium.selection.exchange.model import Counts, Fault, Line
from armarium.selection.exchange.parsing import ParsedLine, parse_line
from armarium.selection.model import Origin, RecordState
from armarium.selection.permissions import Editor
from armarium.selection.records import queries as record_queries
from armarium.selection.records import rules, writing
from armarium.selection.records.model import Draft, Record
from armarium.selection.records.rules import LONGEST_REASON
from armarium.selection.records.writing import Entered

AT_ONCE = 1000  # lines judged with the same look-ups
NOTED = 100  # lines that a note names
#: Columns that say what a field of the draft says, and the field.
PLAIN = {
    "title": "title",
    "budget": "budget",
    "frequency": "frequency",
    "depth": "depth",
    "language": "language",
    "keywords": "keywords",
    "content_notes": "content_notes",
    "technical_notes": "technical_notes",
    "active": "active",
    "further_addresses": "further",
    "address": "address",
}


@dataclass(frozen=True)
class Decision:
    state: RecordState
    reason: str


@dataclass
class Verdict:
    """What would be done, and what is wrong."""

    lines: int = 0
    unchanged: int = 0
    created: list[Entered] = field(default_factory=list)
    decided_new: list[Decision | None] = field(default_factory=list)  # for each of the created
    changed: dict[int, dict[str, Any]] = field(default_factory=dict)
    moved: dict[int, dict[str, Any]] = field(default_factory=dict)
    decided: dict[int, Decision] = field(default_factory=dict)
    faults: list[Fault] = field(default_factory=list)
    bad_lines: int = 0
    again: dict[int, int] = field(default_factory=dict)  # by line, records that become proposals again
    denied: dict[int, str] = field(default_factory=dict)  # collections that are not theirs, by number

    def counts(self) -> Counts:
        touched = self.changed.keys() | self.moved.keys() | self.decided.keys()
        return Counts(self.lines, len(self.created), len(touched), self.unchanged, self.bad_lines)

    def notes(self) -> list[Message]:
        """What is good and yet comes otherwise than the file says."""
        text = message(
            "The records of these lines get a new address, and are proposals until it was seen to answer: "
            "%(lines)s.",
            lines=", ".join(map(str, [*self.again][:NOTED])) + (" …" if len(self.again) > NOTED else ""),
        )
        return [text] if self.again else []


class Bad(Exception):  # noqa: N818
    """The line cannot be used; its faults are noted."""


class Judge:
    def __init__(self, connection: Connection, editor: Editor, collection: int | None) -> None:
        self._connection = connection
        self._editor = editor
        self._own = permissions.editable_collections(connection, editor)
        self._matrix = collection_queries.the_matrix(connection)
        self._collections = {one.id: one for one in collection_queries.collections(connection)}
        self._named = {one.name.casefold(): one for one in self._collections.values()}
        self._usual = self._collections.get(collection or 0)
        self._people = tables.people(connection)
        self._lines_of_records: dict[int, int] = {}
        self._lines_of_keys: dict[tuple[int, str], int] = {}
        self.verdict = Verdict()

    def judge(self, lines: Iterable[Line], keys: Sequence[str | None]) -> Iterator[int]:
        """Judge them all; how many are done is given now and then, so that somebody can be told."""
        unread = frozenset() if self._editor.validates else frozenset({"state", "reason"})
        wanted = (parse_line(line, keys, unread) for line in lines)
        while batch := list(islice(wanted, AT_ONCE)):
            self._judge_together(batch)
            yield self.verdict.lines

    def _judge_together(self, batch: Sequence[ParsedLine]) -> None:
        numbers = [one.values["number"] for one in batch if "number" in one.values]
        numbered = {one.id: one for one in record_queries.by_ids(self._connection, numbers)}
        places = {one.line: place for one in batch if (place := _place(one))}
        keys = {place.key for place in places.values()} | {one.key for one in numbered.values()}
        found = record_queries.by_keys(self._connection, keys)
        at = {(one.collection, one.key): one for one in found}
        for one in batch:
            self.verdict.lines += 1
            try:
                self._judge_one(one, numbered, places.get(one.line), at)
            except Bad:
                self.verdict.bad_lines += 1
                self.verdict.again.pop(one.line, None)
                self.verdict.faults += one.faults

    def _judge_one(
        self,
        wanted: ParsedLine,
        numbered: Mapping[int, Record],
        place: rules.Place | None,
        at: Mapping[tuple[int, str], Record],
    ) -> None:
        record = self._record(wanted, numbered)
        collection = self._collection(wanted, record)
        if record is None and place and collection:
            record = at.get((collection.id, place.key))
        if collection is None or wanted.faults:
            self._note_denied(wanted, record, collection)
            raise Bad
        draft = self._draft(wanted, record, collection)
        key = place.key if place else record.key if record else ""
        try:
            self._refuse_twins(wanted, record, draft, key, at.get((collection.id, key)))
        except Bad:
            if record is None or writing.differs(record, draft):
                self._note_denied(wanted, record, collection)
            raise
        self._conclude(wanted, record, draft, collection)

    def _refuse_twins(
        self, wanted: ParsedLine, record: Record | None, draft: Draft, key: str, taken: Record | None
    ) -> None:
        """A record has one line, and an address stands in a collection once."""
        if record is not None:
            self._refuse_repeated(wanted, self._lines_of_records, record.id, "number")
        self._refuse_repeated(wanted, self._lines_of_keys, (draft.collection, key), "address")
        if taken and record and taken.id != record.id:
            name = self._collections[draft.collection].name
            wanted.fault("address", writing.Known(draft.address, name, taken.id).message)
            raise Bad

    # What the line speaks of

    def _record(self, wanted: ParsedLine, numbered: Mapping[int, Record]) -> Record | None:
        number = wanted.values.get("number")
        if number is None:
            if "address" not in wanted.values and not wanted.faults:
                wanted.fault("address", message("Enter an address, or the number of a record."))
            return None
        if number not in numbered:
            wanted.fault(
                "number",
                message(
                    "There is no record with the number %(number)s. Correct it, or empty the cell for a "
                    "new record.",
                    number=number,
                ),
            )
        return numbered.get(number)

    def _collection(self, wanted: ParsedLine, record: Record | None) -> Collection | None:
        name = wanted.values.get("collection")
        if name is not None:
            found = self._named.get(name.casefold())
            if found is None:
                wanted.fault("collection", message("There is no collection named %(name)s.", name=name))
            return found
        if record is not None:
            return self._collections[record.collection]
        if self._usual is None and not wanted.faults:
            wanted.fault("collection", message("Name the collection here, or choose one for the whole file."))
        return self._usual

    def _draft(self, wanted: ParsedLine, record: Record | None, collection: Collection) -> Draft:
        theme = self._theme(wanted, record, collection)
        responsible = self._responsible(wanted, record)
        if wanted.faults:
            self._note_denied(wanted, record, collection)
            raise Bad
        said = {name: wanted.values[column] for column, name in PLAIN.items() if column in wanted.values}
        start = record.draft if record else _usual(collection)
        draft = replace(start, **said, collection=collection.id, theme=theme, responsible=responsible)
        try:
            if record is None:
                writing.refuse_closed(collection)
            return rules.checked(draft, collection, self._matrix, kept=record)
        except Refused as refusal:
            wanted.fault(column_of(refusal.field), refusal.message)
            self._note_denied(wanted, record, collection)
            raise Bad from None

    def _theme(self, wanted: ParsedLine, record: Record | None, collection: Collection) -> int:
        name = wanted.values.get("theme")
        if name is None and record is None and collection.default_theme:
            return collection.default_theme
        if name is None and record is not None:
            if record.collection == collection.id:
                return record.theme
            name = record.theme_name  # moved, and the theme may be there as well
        found = collection.theme_named(name) if name is not None else None
        if found is None:
            themes = ", ".join(theme.name for theme in collection.active_themes)
            wanted.fault("theme", message("Write one of the themes of the collection: %(all)s.", all=themes))
        return found.id if found else 0

    def _responsible(self, wanted: ParsedLine, record: Record | None) -> int | None:
        name = wanted.values.get("responsible")
        if name is None:
            return record.responsible if record else None
        if name == "" or (record and name.casefold() == record.responsible_name.casefold()):
            return record.responsible if record and name else None
        found = self._people.get(name.casefold())
        if found is None:
            wanted.fault(
                "responsible",
                message(
                    "There is no account %(name)s, or it is blocked. Write the account's name.", name=name
                ),
            )
        return found

    # What becomes of it

    def _conclude(
        self, wanted: ParsedLine, record: Record | None, draft: Draft, collection: Collection
    ) -> None:
        decision = self._decision(wanted, record, draft)
        differs = record is None or writing.differs(record, draft)
        if differs or decision:
            self._refuse_denied(wanted, record, collection)
        if record is None:
            self.verdict.created.append(Entered(draft, Origin.IMPORT))
            self.verdict.decided_new.append(decision)
        elif differs:
            place = self.verdict.changed if record.collection == draft.collection else self.verdict.moved
            place[record.id] = values_of(draft, Draft)
        elif not decision:
            self.verdict.unchanged += 1
        if record is not None and decision:
            self.verdict.decided[record.id] = decision

    def _decision(self, wanted: ParsedLine, record: Record | None, draft: Draft) -> Decision | None:
        """What the line says about the proposal, if it is anything new.

        What is validated and gets a new address is a proposal until that was seen: an export says “validated”
        of it, and whoever corrects the address in it means no decision.
        """
        state = wanted.values.get("state")
        reason = wanted.values.get("reason")
        if record is not None and state in (None, RecordState.VALIDATED):
            after, new_address = rules.become(record, draft)
            if new_address and RecordState.VALIDATED in (record.state, state):
                self.verdict.again[wanted.line] = record.id
                return None
            if state is RecordState.VALIDATED and record.state is not state and after.unseen:
                wanted.fault("state", rules.not_seen(after))
                raise Bad
        if state is None:
            return None
        before = (record.state, record.state_reason) if record else (RecordState.VALIDATED, "")
        if reason is None:
            reason = before[1] if state is before[0] else ""
        if state is RecordState.REFUSED and not reason:
            wanted.fault("reason", message("Say why: the librarian will ask."))
            raise Bad
        if len(reason) > LONGEST_REASON:
            wanted.fault("reason", message("A reason has at most %(most)s characters.", most=LONGEST_REASON))
            raise Bad
        return Decision(state, reason) if (state, reason) != before else None

    def _refuse_repeated(self, wanted: ParsedLine, lines: dict[Any, int], key: object, column: str) -> None:
        first = lines.setdefault(key, wanted.line)
        if first != wanted.line:
            wanted.fault(
                column, message("Line %(line)s is about the same record. Take one of them out.", line=first)
            )
            raise Bad

    def _refuse_denied(self, wanted: ParsedLine, record: Record | None, collection: Collection) -> None:
        if self._note_denied(wanted, record, collection):
            raise Bad

    def _note_denied(self, wanted: ParsedLine, record: Record | None, collection: Collection | None) -> bool:
        """Whether the line would change a collection that is not theirs, or would if it had no fault."""
        if self._own is None:
            return False
        touched = {one for one in (record and record.collection, collection and collection.id) if one}
        strange = sorted(touched - self._own)
        for number in strange:
            name = self._collections[number].name
            self.verdict.denied[number] = name
            wanted.fault("collection", permissions.not_theirs(name))
        return bool(strange)


def _place(wanted: ParsedLine) -> rules.Place | None:
    text = wanted.values.get("address")
    if text is None:
        return None
    try:
        return rules.place_of(text)
    except Refused as refusal:
        wanted.fault("address", refusal.message)
        return None


def _usual(collection: Collection) -> Draft:
    return Draft(collection.id, "", collection.default_theme or 0, **vars(collection.usual))
