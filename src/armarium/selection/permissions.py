"""Who may change which collection. Everybody of the staff may read all of them.

An attempt on another collection ends its transaction and is then written to the audit log, in one of its
own: the log must keep what was tried although nothing of it was done.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from psycopg.errors import UniqueViolation
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.accounts.model import Identity, Permission
from armarium.audit.service import Subject, record
from armarium.core.actor import SYSTEM, Actor
from armarium.core.errors import Forbidden, Refused
from armarium.core.message import Message, message
from armarium.db.database import Database
from armarium.selection import tables


@dataclass(frozen=True)
class Editor:
    """Somebody who changes records, and how far their right reaches."""

    actor: Actor
    account: int | None
    everywhere: bool  # every collection, not only their own
    validates: bool  # decides about proposals


#: Armarium itself, as in the transfer.
ITSELF = Editor(SYSTEM, None, everywhere=True, validates=True)


def editor_of(identity: Identity) -> Editor:
    """What the roles say, and the scopes of a token, if one was shown."""
    return Editor(
        actor=identity.actor,
        account=identity.account.id,
        everywhere=identity.may(Permission.SELECTION_EVERYWHERE),
        validates=identity.may(Permission.SELECTION_VALIDATE),
    )


def shell_editor(actor: Actor) -> Editor:
    """Whoever has a shell on the server, named in the log."""
    return Editor(actor, None, everywhere=True, validates=True)


class NotTheirs(Forbidden):
    """Somebody tried to change a collection that is not theirs, or to decide without being a curator."""

    def __init__(self, text: Message, subject: Subject, deed: str) -> None:
        super().__init__(text)
        self.subject = subject
        self.deed = deed


@contextmanager
def changing(database: Database, editor: Editor) -> Iterator[Connection]:
    """The transaction of a change; what was tried on somebody else's collection is logged after its end."""
    try:
        with database.transaction() as connection:
            yield connection
    except IntegrityError as twice:
        if not isinstance(twice.orig, UniqueViolation):
            raise
        # It was looked for and not found, and another has written it before this commit.
        text = message("Somebody else changed the same thing at this moment. Try again.")
        raise Refused(text) from twice
    except NotTheirs as denied:
        with database.transaction() as connection:
            record(connection, editor.actor, "selection.denied", denied.subject, after={"deed": denied.deed})
        raise


def editable_collections(connection: Connection, editor: Editor) -> frozenset[int] | None:
    """The collections that they may change; None: every one."""
    if editor.everywhere:
        return None
    return tables.collections_of(connection, editor.account) if editor.account else frozenset()


def check(connection: Connection, editor: Editor, collections: Iterable[int], deed: str) -> None:
    """Refuse unless all of them are theirs. `deed`: what is tried, for the log: "record.changed"."""
    own = editable_collections(connection, editor)
    if own is None:
        return
    strange = sorted(set(collections) - own)
    if strange:
        name = tables.collection_name(connection, strange[0]) or str(strange[0])
        raise NotTheirs(not_theirs(name), Subject("collection", strange[0], name), deed)


def not_theirs(name: str) -> Message:
    return message(
        "The collection %(name)s is not one of yours: you may read its records, not change them. "
        "Ask an administrator to make you a member.",
        name=name,
    )


def log_denied(connection: Connection, editor: Editor, number: int, name: str, deed: str) -> None:
    """For attempts of which the rest is done, as lines of an import."""
    subject = Subject("collection", number, name)
    record(connection, editor.actor, "selection.denied", subject, after={"deed": deed})
