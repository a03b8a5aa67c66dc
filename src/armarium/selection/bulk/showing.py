"""Old → new in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from armarium.accounts.model import Account
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.bulk.model import BulkRow, Changes
from armarium.selection.bulk.words import FIELDS
from armarium.selection.collections.model import Collection
from armarium.selection.search.showing import names_of
from armarium.selection.search.words import NO, TABLES, YES

NONE = message("none")


class Speaker:
    """Says values of records: numbers of themes, accounts and collections by their names."""

    def __init__(self, collections: Sequence[Collection], people: Sequence[Account]) -> None:
        self._names = names_of(collections)
        self._who = {one.id: one.name for one in people}

    def changes(self, row: BulkRow) -> list[dict[str, Any]]:
        """As `parts.changes` shows them."""
        return [
            {
                "key": say(FIELDS[name]),
                "before": self.said(name, row.before.get(name)),
                "after": self.said(name, value),
            }
            for name, value in row.after.items()
            if name in FIELDS
        ]

    def chosen(self, changes: Changes) -> list[tuple[str, str]]:
        """What is to be changed: field and new value."""
        return [(say(FIELDS[name]), self.said(name, value)) for name, value in changes.document().items()]

    def said(self, name: str, value: Any) -> str:
        if name == "responsible":
            return self._who.get(value, str(value)) if value else say(message("nobody"))
        if name == "active":
            return say(YES if value else NO)
        if value in (None, "", [], ()):
            return say(NONE)
        if name in {"collection", "theme"}:
            known: Mapping[int, str] = self._names.collections if name == "collection" else self._names.themes
            return known.get(value, str(value))
        table: Mapping[str, Message] = TABLES.get(name, {})
        if value in table if isinstance(value, str) else False:
            return say(table[value])
        return ", ".join(value) if isinstance(value, list) else str(value)
