"""The verbs of nominations: made by strangers, decided by the librarians of the collection."""

from dataclasses import replace
from datetime import timedelta

from sqlalchemy import Connection

from armarium.accounts.rules import origin as network_of
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import ByNumber, reading
from armarium.db.stretches import Beginning
from armarium.languages.speech import translate
from armarium.notify.model import Letter
from armarium.notify.tasks import Letters
from armarium.selection import permissions
from armarium.selection.collections import queries as collection_queries
from armarium.selection.collections.model import Collection
from armarium.selection.model import Origin
from armarium.selection.nominations import model, tables
from armarium.selection.nominations.model import Nomination, NominationState, Proposal
from armarium.selection.permissions import Editor
from armarium.selection.records import queries as record_queries
from armarium.selection.records import writing
from armarium.selection.records.model import Draft, Record
from armarium.selection.records.rules import place_of
from armarium.selection.records.writing import Entered
from armarium.selection.settings import SelectionSettings
from armarium.tasks.context import TaskContext
from armarium.tasks.model import NEVER_AGAIN, TaskKind

TOPIC = "nominations"
HOUR = timedelta(hours=1)
ORIGINS_KEPT = timedelta(days=7)


class TooMany(Refused):
    """More came from one network than a person would write."""


def open_collections(connection: Connection) -> list[Collection]:
    """Those that the public may nominate sites for; none: there is no form."""
    found = collection_queries.collections(connection, only_active=True)
    return [one for one in found if one.open_to_nominations]


class Nominations(ByNumber[Nomination]):
    rows = tables.nominations
    missing = message("There is no nomination with the number %(number)s.")

    def __init__(self, database: Database, letters: Letters, settings: SelectionSettings) -> None:
        super().__init__(database)
        self._letters = letters
        self._settings = settings

    # Of strangers

    open_collections = reading(open_collections)

    def nominate(self, actor: Actor, proposal: Proposal, *, language: str) -> Nomination:
        """Keep a proposal for the librarians. Nothing is fetched: strangers must not send us anywhere."""
        proposal = model.checked(proposal)
        origin = network_of(actor.address) if actor.address else ""
        with self._database.transaction() as connection:
            opened = {one.id for one in open_collections(connection)}
            if not opened and actor.account is None:
                raise closed()
            if (
                proposal.collection is not None
                and actor.account is None
                and proposal.collection not in opened
            ):
                raise Refused(message("This collection takes no nominations."), field="collection")
            self._throttle(connection, actor, origin)
            values = {name: getattr(proposal, name) for name in Proposal.__dataclass_fields__}
            values |= {"at": clock.now(), "key": place_of(proposal.address).key, "language": language}
            values |= {"origin": "" if actor.account else origin, "state": NominationState.WAITING.value}
            made = self.existing(connection, self.rows.add(connection, **values))
            # The log is kept for ever: where strangers are is for the throttle, and forgotten after days.
            by = actor if actor.account else replace(actor, address=None)
            record(connection, by, "nomination.made", subject(made), after=made.described())
            announce(connection, TOPIC)
            return made

    def _throttle(self, connection: Connection, actor: Actor, origin: str) -> None:
        if actor.account is None and origin:
            came = tables.count_from(connection, origin, clock.now() - HOUR)
            if came >= self._settings.nominations_per_hour:
                raise TooMany(
                    message("Many nominations came from your network within the last hour. Try again later.")
                )

    # Of librarians

    def page(
        self, editor: Editor, state: NominationState | None, *, limit: int, offset: Beginning = 0
    ) -> tuple[list[Nomination], int]:
        """Of the collections that they may change, and those that name none."""
        with self._database.transaction() as connection:
            own = permissions.editable_collections(connection, editor)
            return tables.page(connection, state, own, limit=limit, offset=offset)

    def counts(self, editor: Editor) -> dict[NominationState, int]:
        with self._database.transaction() as connection:
            return tables.counts(connection, permissions.editable_collections(connection, editor))

    def waiting(self, editor: Editor) -> int:
        """How many wait for them, to some bound."""
        with self._database.transaction() as connection:
            return tables.waiting_count(connection, permissions.editable_collections(connection, editor))

    def get(self, editor: Editor, number: int) -> Nomination:
        with permissions.changing(self._database, editor) as connection:
            return self._seen(connection, editor, number, "nomination.read")

    def around(self, nomination: Nomination) -> tuple[list[Record], list[Nomination]]:
        """Records of the same address, and what else was nominated under it."""
        with self._database.transaction() as connection:
            known = record_queries.by_keys(connection, [nomination.key])
            return known, tables.of_key(connection, nomination.key, besides=nomination.id)

    def accept(self, editor: Editor, number: int, draft: Draft, *, answer: str = "") -> Record:
        """Make a record of it, by the rules of every record."""
        answer = model.check_answer(answer)
        with permissions.changing(self._database, editor) as connection:
            before = self._waiting(connection, editor, number, "nomination.accepted")
            (made,) = writing.create_many(connection, editor, [Entered(draft, Origin.NOMINATION)])
            decided = {"state": NominationState.ACCEPTED.value, "answer": answer, "record": made.id}
            text = message(
                "thank you for nominating %(address)s. The library has selected it.",
                address=before.address,
            )
            self._decide(connection, editor, before, decided, text)
            return made

    def decline(self, editor: Editor, number: int, answer: str = "") -> Nomination:
        answer = model.check_answer(answer)
        with permissions.changing(self._database, editor) as connection:
            before = self._waiting(connection, editor, number, "nomination.declined")
            decided: dict[str, object] = {"state": NominationState.DECLINED.value, "answer": answer}
            text = message(
                "thank you for nominating %(address)s. The library has decided not to select it.",
                address=before.address,
            )
            return self._decide(connection, editor, before, decided, text)

    # Of time

    def forget(self) -> int:
        """Remove network addresses after days, names and mail addresses when the settings say."""
        now = clock.now()
        with self._database.transaction() as connection:
            tables.forget_origins(connection, now - ORIGINS_KEPT)
            kept = timedelta(days=self._settings.keep_nominators_days)
            return tables.forget_people(connection, now - kept)

    # Steps

    def _seen(self, connection: Connection, editor: Editor, number: int, deed: str) -> Nomination:
        found = self.existing(connection, number, lock=deed != "nomination.read")
        if found.collection is not None:
            permissions.check(connection, editor, [found.collection], deed)
        return found

    def _waiting(self, connection: Connection, editor: Editor, number: int, deed: str) -> Nomination:
        found = self._seen(connection, editor, number, deed)
        if found.state is not NominationState.WAITING:
            raise Refused(
                message("%(name)s has decided about this nomination already.", name=found.decided_by)
            )
        return found

    def _decide(
        self,
        connection: Connection,
        editor: Editor,
        before: Nomination,
        decided: dict[str, object],
        text: Message,
    ) -> Nomination:
        by = {"decided_at": clock.now(), "decided_by": editor.actor.name}
        self.rows.update(connection, before.id, **decided, **by)
        after = self.existing(connection, before.id)
        action = f"nomination.{after.state.value}"
        old, new = before.described(), after.described()
        record(connection, editor.actor, action, subject(after), before=old, after=new)
        self._answer(connection, after, text)
        announce(connection, TOPIC)
        return after

    def _answer(self, connection: Connection, nomination: Nomination, text: Message) -> None:
        if not nomination.mail:
            return
        language = nomination.language or "en"
        about = message("Your nomination of %(address)s", address=nomination.address)
        greeting = message("Dear %(name)s,", name=nomination.name) if nomination.name else message("Hello,")
        parts = [translate(greeting, language), translate(text, language)]
        if nomination.answer:
            parts.append(nomination.answer)
        letter = Letter(nomination.mail, language, translate(about, language), "\n\n".join(parts))
        self._letters.write(connection, letter)


def subject(nomination: Nomination) -> Subject:
    return Subject("nomination", nomination.id, nomination.subject_name)


def closed() -> NotFound:
    return NotFound(message("The library takes no nominations at the moment."))


# Tasks


def forget_nominators(context: TaskContext) -> None:
    """Remove what is no longer needed about those who nominated."""
    context.service(Nominations).forget()


TASKS = (
    TaskKind(
        "selection.forget-nominators", forget_nominators, retry=NEVER_AGAIN, priority=-5, cron="41 3 * * *"
    ),
)
