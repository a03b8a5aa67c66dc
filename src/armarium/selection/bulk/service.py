"""The verbs of bulk edits: look at it first, do it, undo it."""

from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor, Via
from armarium.core.errors import DatabaseAway, Forbidden, NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import Listed
from armarium.db.stretches import Beginning
from armarium.languages.speech import say
from armarium.selection import permissions
from armarium.selection.bulk import rules, steps, tables
from armarium.selection.bulk.model import (
    IN_REQUEST,
    MOST,
    PREVIEW_KEPT,
    REFUSALS,
    RUNNING,
    UNDONE_WITHIN,
    Bulk,
    BulkRow,
    BulkState,
    Changes,
    Outcome,
    Verdict,
)
from armarium.selection.bulk.steps import Progress
from armarium.selection.model import RecordState
from armarium.selection.permissions import Editor, NotTheirs
from armarium.selection.records import queries as record_queries
from armarium.selection.search.model import Question
from armarium.selection.tables import collection_name
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskStopped, describe
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind
from armarium.tasks.service import Tasks

TOPIC = "bulk"
TASK = "selection.bulk"

Step = Callable[[Connection, Editor, Bulk, Progress], None]
#: What runs while a bulk edit is in such a state.
STEPS: Mapping[BulkState, Step] = {
    BulkState.JUDGING: steps.judge,
    BulkState.APPLYING: steps.apply,
    BulkState.UNDOING: steps.undo,
}
ACTIONS = {BulkState.APPLYING: "bulk.applied", BulkState.UNDOING: "bulk.undone"}


class BulkEdits(Listed[Bulk]):
    rows = tables.bulk_edits
    missing = message("There is no bulk edit with the number %(number)s. Previews are kept for a day.")

    def __init__(self, database: Database, tasks: Tasks, *, in_request: int = IN_REQUEST) -> None:
        super().__init__(database)
        self._tasks = tasks
        self._in_request = in_request

    # Reading

    def page(self, *, limit: int, offset: Beginning = 0) -> tuple[list[Bulk], int]:
        """Those that were done."""
        with self._database.transaction() as connection:
            return self.rows.page(connection, limit, offset, tables.bulk.c.state != BulkState.READY.value)

    def groups(self, number: int, *, sample: int) -> list[tuple[Verdict, int, list[BulkRow]]]:
        """Why records cannot be changed: for each reason, how many there are and the first of them."""
        with self._database.transaction() as connection:
            told = tables.counts(connection, number)
            return [
                (one, told[one], tables.rows(connection, number, verdicts=[one], limit=sample))
                for one in REFUSALS
                if told.get(one)
            ]

    def records(
        self,
        number: int,
        *,
        verdict: Verdict | None = None,
        outcome: Outcome | None = None,
        limit: int,
        offset: Beginning = 0,
    ) -> list[BulkRow]:
        wanted = [verdict] if verdict else []
        with self._database.transaction() as connection:
            return tables.rows(
                connection, number, verdicts=wanted, outcome=outcome, limit=limit, offset=offset
            )

    # Changing

    def preview(self, editor: Editor, question: Question, changes: Changes) -> Bulk:
        """What would become of the records that the question finds; nothing is changed yet."""
        checked = rules.checked_changes(changes, validates=editor.validates)
        with self._database.transaction() as connection:
            _check_choices(connection, checked)
            values = {"account": editor.account, "actor": editor.actor.name, "query": question.query()}
            states = {"state": BulkState.JUDGING.value, "made_at": clock.now()}
            number = self.rows.add(connection, **values, **states, changes=checked.document())
            found = tables.take_in(connection, number, question, editor.account)
            if not found:
                raise Refused(message("No record is found any more: there is nothing to change."))
            if found > MOST:
                raise Refused(message("At most %(most)s records at once. Narrow the search.", most=MOST))
            self.rows.update(connection, number, found=found)
            self._begin(connection, editor, number, found)
            return self.existing(connection, number)

    def apply(self, editor: Editor, number: int) -> Bulk:
        """Change the records of the preview that nobody has changed since."""
        with permissions.changing(self._database, editor) as connection:
            known = self._own(connection, editor, number, BulkState.READY)
            strange = _strange(connection, editor, known)
            if strange and not known.changing:
                raise NotTheirs(
                    rules.not_theirs(strange[0][1]), Subject("collection", *strange[0]), "bulk.applied"
                )
            if not known.changing:
                raise Refused(message("There is nothing to change."))
            for one in strange:
                permissions.log_denied(connection, editor, *one, "bulk.applied")
            self.rows.update(connection, number, state=BulkState.APPLYING.value)
            self._begin(connection, editor, number, known.changing)
            return self.existing(connection, number)

    def undo(self, editor: Editor, number: int) -> Bulk:
        """Give back what stood there before, for thirty days."""
        with permissions.changing(self._database, editor) as connection:
            known = self._own(connection, editor, number, BulkState.DONE)
            if not known.may_be_undone(clock.now()):
                raise Refused(
                    message("A bulk edit can be undone for %(days)s days.", days=UNDONE_WITHIN.days)
                )
            self.rows.update(connection, number, state=BulkState.UNDOING.value)
            self._begin(connection, editor, number, known.changed)
            return self.existing(connection, number)

    def run(self, editor: Editor, number: int) -> None:
        """What waits to be done in the background. Called again after an interruption, it begins anew:
        nothing of it was kept."""
        with permissions.changing(self._database, editor) as connection:
            known = self.existing(connection, number, lock=True)
            if known.state in RUNNING:
                self._step(connection, editor, known, self._progress_of(number))

    def fail(self, number: int, problem: str) -> None:
        """It cannot be done; a preview must be made anew, an undo can be tried again."""
        with self._database.transaction() as connection:
            known = self.existing(connection, number, lock=True)
            back = BulkState.DONE if known.state is BulkState.UNDOING else BulkState.FAILED
            self.rows.update(connection, number, state=back.value, problem=problem)
            announce(connection, TOPIC)

    def clear(self) -> int:
        """Forget previews that nobody came back to, and values before that nobody can ask for any more."""
        now = clock.now()
        with self._database.transaction() as connection:
            return tables.clear(
                connection, previews_before=now - PREVIEW_KEPT, done_before=now - UNDONE_WITHIN
            )

    # Steps

    def _own(self, connection: Connection, editor: Editor, number: int, state: BulkState) -> Bulk:
        known = self.existing(connection, number, lock=True)
        deed = "bulk.applied" if state is BulkState.READY else "bulk.undone"
        if known.account != editor.account and not editor.everywhere:
            text = message("This is somebody else's bulk edit: they or a curator can go on with it.")
            raise NotTheirs(text, subject(known), deed)
        if known.changes.state not in (None, RecordState.PROPOSED) and not editor.validates:
            raise NotTheirs(message("Only curators decide about proposals."), subject(known), deed)
        if known.state is not state:
            raise Refused(message("This bulk edit has gone on meanwhile. Look at it again."))
        return known

    def _begin(self, connection: Connection, editor: Editor, number: int, records: int) -> None:
        """Now, or in the background if it would take longer than people wait for a page."""
        announce(connection, TOPIC)
        known = self.existing(connection, number)
        if records <= self._in_request:
            self._step(connection, editor, known, _silent)
            return
        tables.put_progress(connection, number, 0, records)
        self._tasks.defer(
            connection, TASK, {"bulk": number, "editor": written(editor)}, lock=f"bulk {number}"
        )

    def _step(self, connection: Connection, editor: Editor, known: Bulk, progress: Progress) -> None:
        STEPS[known.state](connection, editor, known, progress)
        if action := ACTIONS.get(known.state):
            after = self.existing(connection, known.id)
            record(connection, editor.actor, action, subject(after), after=described(after))
        announce(connection, TOPIC)

    def _progress_of(self, number: int) -> Progress:
        def told(done: int, total: int) -> None:
            with self._database.transaction() as connection:
                tables.put_progress(connection, number, done, total)
                announce(connection, TOPIC)

        return told


def _silent(done: int, total: int) -> None:
    """In a request nobody watches."""


def subject(bulk: Bulk) -> Subject:
    return Subject("bulk", bulk.id, str(bulk.id))


def described(bulk: Bulk) -> dict[str, object]:
    counts = {name: getattr(bulk, name) for name in ("changed", "passed_over", "restored", "kept")}
    return {**bulk.changes.document(), **{name: number for name, number in counts.items() if number}}


def _strange(connection: Connection, editor: Editor, bulk: Bulk) -> list[tuple[int, str]]:
    """The collections, not theirs, that it would change: those of the records, and the one they move to."""
    own = permissions.editable_collections(connection, editor)
    if own is None:
        return []
    found = dict(tables.strange_collections(connection, bulk.id))
    target = bulk.changes.collection
    if found and target is not None:
        found[target] = collection_name(connection, target) or str(target)
    return sorted(one for one in found.items() if one[0] not in own)


def _check_choices(connection: Connection, changes: Changes) -> None:
    """The account, the collection and the theme that were chosen exist."""
    around = steps.surroundings(connection, permissions.ITSELF)
    if changes.collection is not None and changes.collection not in around.collections:
        raise Refused(message("This collection does not exist."), field="collection")
    themes = {theme.id for one in around.collections.values() for theme in one.active_themes}
    if changes.theme is not None and changes.theme not in themes:
        raise Refused(message("This theme does not exist, or is no longer in use."), field="theme")
    if changes.responsible and not record_queries.accounts_among(connection, [changes.responsible]):
        raise Refused(message("This account does not exist, or is blocked."), field="responsible")


def written(editor: Editor) -> dict[str, Any]:
    """Who does it, for the task."""
    actor = editor.actor
    return {
        "name": actor.name,
        "via": actor.via.value,
        "address": actor.address,
        "account": editor.account,
        "everywhere": editor.everywhere,
        "validates": editor.validates,
    }


def read(document: Mapping[str, Any]) -> Editor:
    actor = Actor(document["name"], Via(document["via"]), document["account"], document["address"])
    return Editor(actor, document["account"], document["everywhere"], document["validates"])


# Tasks


RETRY = Retry(attempts=5)


def run(context: TaskContext, bulk: int, editor: Mapping[str, Any]) -> None:
    """A bulk edit of many records: all of them or none."""
    edits = context.service(BulkEdits)
    try:
        edits.run(read(editor), bulk)
    except (TaskStopped, DatabaseAway):
        raise  # run again by itself
    except (Forbidden, NotFound, Refused) as refusal:
        edits.fail(bulk, say(refusal.message))
    except Exception as error:
        # A fault that comes again each time must not leave a page that says for ever: running.
        if context.attempt >= RETRY.attempts:
            edits.fail(bulk, describe(error).error)
        raise


def clear(context: TaskContext) -> None:
    """Forget previews of bulk edits, and values that can no longer be given back."""
    context.service(BulkEdits).clear()


TASKS = (
    TaskKind(TASK, run, retry=RETRY, priority=5),
    TaskKind("selection.clear_bulk", clear, retry=NEVER_AGAIN, priority=-5, cron="17 3 * * *"),
)
