"""The legal scope: look, note, gather evidence. Nothing is ever changed or removed,
and the database refuses it."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from sqlalchemy import Connection

from armarium.audit.service import record as audited
from armarium.core import clock
from armarium.core.late import late
from armarium.core.name_server import NameServer
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.rows import Rows
from armarium.selection import permissions
from armarium.selection.legal import model
from armarium.selection.legal.model import Criterion, Found, ScopeNote
from armarium.selection.permissions import Editor
from armarium.selection.records import writing
from armarium.selection.records.model import Record
from armarium.selection.records.writing import TOPIC, subject
from armarium.selection.settings import SelectionSettings
from armarium.selection.tables import scope_note

if TYPE_CHECKING:  # names are asked and countries looked up when a person wants evidence
    from armarium.selection.legal.locating import Locator
else:
    Locator = late("armarium.selection.legal.locating:Locator")


notes = Rows(scope_note, ScopeNote, order=(scope_note.c.id.desc(),))


class LegalScope:
    def __init__(
        self, database: Database, settings: SelectionSettings, name_servers: Sequence[NameServer] = ()
    ) -> None:
        self._database = database
        self._settings = settings
        self._name_servers = name_servers

    @cached_property
    def _locator(self) -> "Locator":
        return Locator(self._settings, self._name_servers)

    def notes(self, number: int) -> list[ScopeNote]:
        """Newest first."""
        with self._database.transaction() as connection:
            return notes.all(connection, scope_note.c.record == number)

    def note(self, editor: Editor, number: int, criterion: Criterion, meets: bool, text: str) -> ScopeNote:
        """What a person found out, in their words."""
        found = Found(criterion, meets, model.check_text(text))
        return self._keep(editor, number, [found])[0]

    def gather(self, editor: Editor, number: int) -> list[ScopeNote]:
        """What name and servers say at this moment."""
        with permissions.changing(self._database, editor) as connection:
            record = _theirs(connection, editor, number)
        # Outside of any transaction: name servers may be slow.
        addresses = self._locator.addresses(record.host)
        located = self._locator.countries(addresses)
        found = [
            model.by_name(record.host, self._settings.national_domains),
            model.by_servers(record.host, located, self._settings.national_countries),
        ]
        return self._keep(editor, number, found)

    def _keep(self, editor: Editor, number: int, found: Sequence[Found]) -> list[ScopeNote]:
        with permissions.changing(self._database, editor) as connection:
            record = _theirs(connection, editor, number, lock=True)
            for one in found:
                values = {"record": number, "at": clock.now(), "author": editor.actor.name}
                values |= {"criterion": one.criterion.value, "meets": one.meets}
                notes.add(connection, **values, text=one.text, evidence=dict(one.evidence))
                said = {"criterion": one.criterion.value, "meets": one.meets, "text": one.text}
                audited(connection, editor.actor, "record.scope-noted", subject(record), after=said)
            announce(connection, TOPIC)
            return notes.all(connection, scope_note.c.record == number)[: len(found)]


def _theirs(connection: Connection, editor: Editor, number: int, *, lock: bool = False) -> Record:
    found = writing.existing(connection, number, lock=lock)
    permissions.check(connection, editor, [found.collection], "record.scope-noted")
    return found
