"""The verbs of the search, and of saved searches."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import ByNumber, reading
from armarium.db.stretches import Beginning
from armarium.selection.model import checked_name
from armarium.selection.permissions import Editor, NotTheirs, changing, editable_collections
from armarium.selection.records.model import Record
from armarium.selection.search import queries
from armarium.selection.search.model import Question, Saved, Shared, Sharing


@dataclass(frozen=True)
class Found:
    records: list[Record]
    total: int
    facets: Mapping[str, Mapping[Any, int]]  # how many have each value, by the field of the question


class Search:
    def __init__(self, database: Database) -> None:
        self._database = database

    def found(self, question: Question, me: int | None = None, *, limit: int, offset: Beginning = 0) -> Found:
        """A page of what answers, how many there are, and how they are divided.

        `me`: the account of whoever asks, for what they are responsible for.
        """
        with self._database.transaction() as connection:
            among = queries.answering(connection, question, me)
            total, facets = queries.facets(connection, question, me, among)
            if not total:
                return Found([], 0, facets)
            page = queries.page(connection, question, me, limit=limit, offset=offset, among=among)
        return Found(page, total, facets)

    page = reading(queries.page)
    count = reading(queries.count)
    numbers = reading(queries.numbers)


# Saved searches: a question with a name. Its owner may share it; others use or copy it


TOPIC = "searches"
MOST = 500  # of one person


class Searches(ByNumber[Saved]):
    rows = queries.searches
    missing = message("There is no saved search with the number %(number)s.")

    # Reading

    def visible(self, editor: Editor) -> list[Saved]:
        """Their own first, then those that others share with them, by name."""
        with self._database.transaction() as connection:
            own = editable_collections(connection, editor)
            found = queries.visible(connection, editor.account, own)
        return sorted(found, key=lambda one: (one.owner != editor.account, one.name.casefold(), one.id))

    def get(self, editor: Editor, number: int) -> Saved:
        with self._database.transaction() as connection:
            return self._visible(connection, editor, number)

    def named(self, editor: Editor, name: str) -> Saved:
        """By its name or its number."""
        folded = name.strip().casefold()
        for one in self.visible(editor):
            if one.name.casefold() == folded or str(one.id) == folded:
                return one
        raise NotFound(message("There is no saved search named %(name)s.", name=name))

    # Changing

    def save(
        self,
        editor: Editor,
        name: str,
        question: Question,
        sharing: Sharing | None = None,
        owner: int | None = None,
    ) -> Saved:
        """A new one; `owner`: whose it is, if a command makes it for somebody."""
        account = owner or editor.account
        if account is None:
            raise Refused(message("Say whose search it is to be."), field="owner")
        with self._database.transaction() as connection:
            if queries.count_saved(connection, account) >= MOST:
                raise Refused(
                    message("One person keeps at most %(most)s searches. Delete one first.", most=MOST)
                )
            values = {"owner": account, "name": checked_name(name), "query": question.query()}
            moments = {"created_at": clock.now(), "modified_at": clock.now()}
            shared = self._shared(connection, editor, sharing or Sharing())
            number = self.rows.insert(connection, **values, **shared, **moments)
            if number is None:
                raise _taken(name)
            return self._told(connection, editor, number, "search.saved", {})

    def change(
        self,
        editor: Editor,
        number: int,
        *,
        name: str | None = None,
        question: Question | None = None,
        sharing: Sharing | None = None,
    ) -> Saved:
        """Another name, another question, shared with others: what is not given stays."""
        with changing(self._database, editor) as connection:
            before = self._owned(connection, editor, number, "search.changed")
            values: dict[str, object] = {"modified_at": clock.now()}
            if name is not None:
                values["name"] = checked_name(name)
            if question is not None:
                values["query"] = question.query()
            if sharing is not None:
                values |= self._shared(connection, editor, sharing)
            if not queries.update(connection, number, values):
                raise _taken(name or before.name)
            return self._told(connection, editor, number, "search.changed", before.described())

    def hand_over(self, editor: Editor, number: int, to: str) -> Saved:
        """To the account of this name: from now on it is theirs."""
        with changing(self._database, editor) as connection:
            before = self._owned(connection, editor, number, "search.handed_over")
            account = queries.account_named(connection, to)
            if account is None:
                raise Refused(
                    message("There is no account named %(name)s, or it is blocked.", name=to), field="to"
                )
            if not queries.update(connection, number, {"owner": account, "modified_at": clock.now()}):
                text = message("%(name)s has a search of this name already. Rename yours first.", name=to)
                raise Refused(text, field="to")
            return self._told(connection, editor, number, "search.handed_over", before.described())

    def copy(self, editor: Editor, number: int, name: str = "") -> Saved:
        """One of their own, made of what somebody shares."""
        found = self.get(editor, number)
        return self.save(editor, name or found.name, Question.parse(found.query))

    def delete(self, editor: Editor, number: int) -> Saved:
        with changing(self._database, editor) as connection:
            before = self._owned(connection, editor, number, "search.deleted")
            queries.delete(connection, number)
            record(connection, editor.actor, "search.deleted", subject(before), before=before.described())
            announce(connection, TOPIC)
            return before

    # Steps

    def _visible(self, connection: Connection, editor: Editor, number: int) -> Saved:
        own = editable_collections(connection, editor)
        found = self.existing(connection, number)
        if not _may_see(found, editor, own):
            raise NotFound(self.missing.saying(number=number))
        return found

    def _owned(self, connection: Connection, editor: Editor, number: int, deed: str) -> Saved:
        """Somebody with a shell on the server acts for everybody; others for their account only."""
        found = self._visible(connection, editor, number)
        if editor.account is not None and found.owner != editor.account:
            text = message(
                "This search belongs to %(name)s. Copy it, and change your copy.", name=found.owner_name
            )
            raise NotTheirs(text, subject(found), deed)
        return found

    def _shared(self, connection: Connection, editor: Editor, sharing: Sharing) -> dict[str, object]:
        if sharing.shared is not Shared.COLLECTION:
            return {"shared": sharing.shared.value, "collection": None}
        own = editable_collections(connection, editor)
        if sharing.collection is None or not queries.collection_exists(connection, sharing.collection):
            raise Refused(message("Choose the collection whose members may use it."), field="collection")
        if own is not None and sharing.collection not in own:
            raise Refused(
                message("You can share it with a collection that you belong to."), field="collection"
            )
        return {"shared": sharing.shared.value, "collection": sharing.collection}

    def _told(
        self, connection: Connection, editor: Editor, number: int, action: str, before: Mapping[str, object]
    ) -> Saved:
        made = self.existing(connection, number)
        if before != made.described():
            record(connection, editor.actor, action, subject(made), before=before, after=made.described())
            announce(connection, TOPIC)
        return made


def subject(saved: Saved) -> Subject:
    return Subject("search", saved.id, saved.name)


def _may_see(saved: Saved, editor: Editor, own: frozenset[int] | None) -> bool:
    if editor.account is None or saved.owner == editor.account or saved.shared is Shared.EVERYBODY:
        return True
    return saved.shared is Shared.COLLECTION and (own is None or saved.collection in own)


def _taken(name: str) -> Refused:
    return Refused(message("You have a search named %(name)s already.", name=name), field="name")
