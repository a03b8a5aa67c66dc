"""The form of a bulk edit, and its changes in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from armarium.accounts.model import Account
from armarium.accounts.service import Accounts
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.languages.speech import say
from armarium.selection.bulk.model import FIELDS, NOBODY, BulkRow, Changes
from armarium.selection.collections.model import Collection
from armarium.selection.model import Budget, Depth, Frequency, RecordState
from armarium.selection.search.labels import NO, TABLES, YES, meant, names_of
from armarium.selection.search.model import NOBODY as NOBODY_ASKED
from armarium.web.form_values import FormReader
from armarium.web.forms import Form

UNKNOWN = "-"  # a language that is not known
CHOOSE = message("Choose one of the list.")


def changes_of(form: Form, accounts: Accounts) -> Changes:
    with FormReader(form) as read:
        return Changes(
            collection=read.thing("collection", CHOOSE, required=False),
            theme=read.thing("theme", CHOOSE, required=False),
            budget=read.option("budget", Budget, CHOOSE),
            frequency=read.option("frequency", Frequency, CHOOSE),
            depth=read.option("depth", Depth, CHOOSE),
            responsible=read.checked(lambda: responsible_named(form.get("responsible"), accounts), None),
            language=language_of(form.get("language")),
            keywords_add=keywords_in(form.get("keywords_add")),
            keywords_remove=keywords_in(form.get("keywords_remove")),
            active={"yes": True, "no": False}.get(form.get("active")),
            content_notes=form.get("content_notes"),
            technical_notes=form.get("technical_notes"),
            state=read.option("state", RecordState, CHOOSE),
            reason=form.get("reason"),
        )


def responsible_named(name: str, accounts: Accounts) -> int | None:
    name = name.strip()
    if not name:
        return None
    if meant(name) == NOBODY_ASKED:
        return NOBODY
    try:
        return accounts.named(name).id
    except NotFound as missing:
        raise Refused(missing.message, field="responsible") from missing


def language_of(text: str) -> str | None:
    typed = text.strip()
    return None if not typed else "" if typed == UNKNOWN else typed


def keywords_in(text: str) -> tuple[str, ...]:
    """Lines or commas part them."""
    return tuple(one.strip() for line in text.splitlines() for one in line.split(",") if one.strip())


# Old → new in words


NONE = message("none")


class ValueTitles:
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
