"""The verbs of findings."""

from collections.abc import Sequence
from dataclasses import replace

from sqlalchemy import Connection

from armarium.audit.service import record as audited
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.reading import ByNumber
from armarium.db.stretches import Beginning
from armarium.selection import permissions
from armarium.selection.collections import queries as collection_queries
from armarium.selection.findings import model, tables
from armarium.selection.findings.model import Finding, Kind, Result
from armarium.selection.findings.tables import FindingFilter
from armarium.selection.permissions import Editor
from armarium.selection.records import queries as record_queries
from armarium.selection.records import writing
from armarium.selection.transfer.tables import by_configurations

TOPIC = "findings"
MOST = 1000  # are counted


class Findings(ByNumber[Finding]):
    rows = tables.findings
    missing = message("There is no finding with the number %(number)s.")

    # Reading

    def page(
        self, wanted: FindingFilter, *, limit: int, offset: Beginning = 0, of: Editor | None = None
    ) -> tuple[list[Finding], int]:
        """`of`: only those of the collections that this person may change."""
        with self._database.transaction() as connection:
            if of is not None:
                wanted = replace(wanted, within=permissions.editable_collections(connection, of))
            return self.rows.page(connection, limit, offset, *tables.fitting(wanted))

    def count(self, editor: Editor) -> int:
        """Open ones of the collections that they may change, to some bound: it stands on every page."""
        with self._database.transaction() as connection:
            return tables.count(
                connection, FindingFilter(within=permissions.editable_collections(connection, editor)), MOST
            )

    def get(self, number: int) -> Finding:
        with self._database.transaction() as connection:
            return self.existing(connection, number)

    # Changing

    def add(self, editor: Editor, number: int, text: str, proposal: str = "") -> Finding:
        """What a person observed: whoever checks what was collected need be no member of the collection."""
        text = model.checked_text(text, "text", required=True)
        proposal = model.checked_text(proposal, "proposal")
        with self._database.transaction() as connection:
            record = writing.existing(connection, number)
            said = {"record": number, "at": clock.now(), "author": editor.actor.name}
            said |= {"kind": Kind.OBSERVATION.value, "text": text, "proposal": proposal}
            made = self.rows.add(connection, **said)
            facts = {"finding": text, "proposal": proposal}
            audited(connection, editor.actor, "record.finding_added", writing.subject(record), after=facts)
            announce(connection, TOPIC)
            return self.existing(connection, made)

    def close(self, editor: Editor, number: int) -> Finding:
        """It was dealt with, or there was nothing to do."""
        with permissions.changing(self._database, editor) as connection:
            before = self.existing(connection, number, lock=True)
            permissions.check(connection, editor, [before.collection], "record.finding_closed")
            return self._close(connection, editor, before)

    def accept(self, editor: Editor, number: int) -> Finding:
        """Do what a harvest proposes: give the record the larger budget."""
        with permissions.changing(self._database, editor) as connection:
            before = self.existing(connection, number, lock=True)
            if before.done or before.budget is None:
                raise Refused(message("This finding proposes nothing that could be done by itself."))
            writing.change_many(connection, editor, {before.record: {"budget": before.budget}})
            return self._close(connection, editor, before)

    def _close(self, connection: Connection, editor: Editor, before: Finding) -> Finding:
        if not before.done:
            tables.close(connection, [before.id], clock.now(), editor.actor.name)
            record = writing.existing(connection, before.record)
            facts = {"finding": before.text or before.kind.value}
            audited(connection, editor.actor, "record.finding_closed", writing.subject(record), after=facts)
            announce(connection, TOPIC)
        return self.existing(connection, before.id)

    # What harvests tell

    def learn(self, connection: Connection, results: Sequence[Result]) -> int:
        """Write what a job brought onto the records it was for; how many there are."""
        records = by_configurations(connection, [one.configuration for one in results])
        told = {records[one.configuration]: one for one in results if one.configuration in records}
        if not told:
            return 0
        collections = {one.id: one for one in collection_queries.collections(connection)}
        matrix = collection_queries.the_matrix(connection)
        for record in record_queries.by_ids(connection, list(told), lock=True):
            result = told[record.id]
            if record.harvested_job is not None and record.harvested_job > result.job:
                continue  # a later job was faster
            tables.note_harvest(connection, record.id, result)
            seen = model.observed(result, record, collections[record.collection], matrix)
            kinds = [one.kind for one in seen]
            tables.close_others(connection, record.id, kinds, clock.now(), SYSTEM.name)
            for one in seen:
                tables.observe(connection, record.id, SYSTEM.name, result, one)
        announce(connection, writing.TOPIC)
        announce(connection, TOPIC)
        return len(told)
