"""A small library with two collections, for the tests of selection."""

from dataclasses import dataclass, replace
from typing import Any

from armarium.accounts.model import Profile, Role
from armarium.accounts.service import Accounts
from armarium.accounts.settings import AccountSettings
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.db.database import Database
from armarium.selection.collections.model import Choices, Collection
from armarium.selection.collections.service import Collections
from armarium.selection.model import Budget, Combination, Depth, Frequency, RecordState
from armarium.selection.permissions import Editor
from armarium.selection.records import queries
from armarium.selection.records.model import Draft, Record
from armarium.selection.records.rules import place_of
from armarium.selection.records.service import Records
from armarium.selection.records.writing import Entered

#: A whole domain every day is more than any crawler can do.
TOO_MUCH = Combination(Budget.LARGE, Frequency.DAILY, Depth.DOMAIN)


@dataclass(frozen=True)
class World:
    database: Database
    collections: Collections
    records: Records
    press: Collection
    arts: Collection
    ada: Editor  # a librarian of press
    ben: Editor  # a librarian of arts
    cora: Editor  # a curator
    numbers: dict[str, int]  # of the accounts, by name

    def draft(self, address: str, collection: Collection | None = None, **values: Any) -> Draft:
        chosen = collection or self.press
        first = Draft(chosen.id, address, chosen.themes[0].id, Budget.SMALL, Frequency.MONTHLY, Depth.HOST)
        return replace(first, **values)

    def record(
        self, address: str, collection: Collection | None = None, by: Editor | None = None, **values: Any
    ) -> Record:
        """As if it had been seen to answer: without a check nobody could validate it."""
        draft, editor = self.draft(address, collection, **values), by or self.cora
        made = self.records.create(editor, Entered(draft, check=1))
        if made.further:
            self.saw(made.id)
            if editor.validates:
                self.records.decide(editor, [made.id], RecordState.VALIDATED)
        return self.records.get(made.id)

    def saw(self, *numbers: int) -> None:
        """The addresses of these records were looked at, and answered."""
        with self.database.transaction() as connection:
            for one in queries.by_ids(connection, numbers):
                queries.note_seen(connection, one.id, [place_of(address).key for address in one.addresses])


def world(database: Database) -> World:
    accounts = Accounts(database, AccountSettings())
    roles = {"ada": Role.LIBRARIAN, "ben": Role.LIBRARIAN, "cora": Role.CURATOR}
    numbers = {
        name: accounts.create(
            SYSTEM, Profile(name, name.title(), f"{name}@library.example", "", frozenset({role}))
        ).id
        for name, role in roles.items()
    }
    collections = Collections(database)
    press = collections.create(SYSTEM, Choices("Press"), themes=["News", "Opinion"], default_theme="News")
    arts = collections.create(SYSTEM, Choices("Arts"), themes=["Music", "Theatre"])
    collections.set_members(SYSTEM, press.id, [numbers["ada"]])
    collections.set_members(SYSTEM, arts.id, [numbers["ben"]])
    collections.set_matrix(SYSTEM, {TOO_MUCH: "More than a crawler can do in a day."})

    def editor(name: str, curates: bool = False) -> Editor:
        actor = Actor(name, Via.PAGE, numbers[name])
        return Editor(actor, numbers[name], everywhere=curates, validates=curates)

    return World(
        database,
        collections,
        Records(database),
        press,
        arts,
        editor("ada"),
        editor("ben"),
        editor("cora", curates=True),
        numbers,
    )
