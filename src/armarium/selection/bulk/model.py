"""A bulk edit: what is to be changed, and what came of it for each record; with its titles."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Self

from armarium.core.message import Message, message
from armarium.selection.model import Budget, Depth, Frequency, RecordState

MOST = 100_000  # records of one bulk edit
IN_REQUEST = 5000  # more of them are changed in the background
UNDONE_WITHIN = timedelta(days=30)
PREVIEW_KEPT = timedelta(days=1)
NOBODY = 0  # as the responsible person


class BulkState(StrEnum):
    JUDGING = "judging"  # the preview is being made
    READY = "ready"  # somebody looks at the preview
    APPLYING = "applying"
    DONE = "done"
    UNDOING = "undoing"
    UNDONE = "undone"
    FAILED = "failed"


RUNNING = frozenset({BulkState.JUDGING, BulkState.APPLYING, BulkState.UNDOING})


class Verdict(StrEnum):
    """Of the preview, about one record."""

    CHANGE = "change"
    SAME = "same"
    NOT_YOURS = "not-yours"
    COMBINATION = "combination"
    THEME = "theme"
    KNOWN = "known"
    NOT_SEEN = "not-seen"
    CLOSED = "closed"
    TEXT = "text"


REFUSALS = tuple(one for one in Verdict if one not in {Verdict.CHANGE, Verdict.SAME})


class Outcome(StrEnum):
    """What came of one record; empty: nothing was tried."""

    CHANGED = "changed"
    PASSED_OVER = "passed-over"  # somebody changed it after the preview, or a rule did
    RESTORED = "restored"
    KEPT = "kept"  # somebody changed it since, or what it was is no longer allowed


@dataclass(frozen=True)
class Changes:
    """None and what is empty stays as it is."""

    collection: int | None = None
    theme: int | None = None
    budget: Budget | None = None
    frequency: Frequency | None = None
    depth: Depth | None = None
    responsible: int | None = None  # NOBODY: from now on nobody
    language: str | None = None  # empty: not known
    keywords_add: tuple[str, ...] = ()
    keywords_remove: tuple[str, ...] = ()
    active: bool | None = None
    content_notes: str = ""  # what is written below the notes that there are
    technical_notes: str = ""
    state: RecordState | None = None
    reason: str = ""

    @property
    def nothing(self) -> bool:
        return all(
            getattr(self, one.name) in (None, "", ()) for one in fields(self) if one.name != "language"
        ) and (self.language is None)

    def document(self) -> dict[str, Any]:
        """As the table keeps it: only what is changed."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        empty = {one.name: one.default for one in fields(self)}
        return {name: plain(value) for name, value in values.items() if value != empty[name]}

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> Self:
        made = {"budget": Budget, "frequency": Frequency, "depth": Depth, "state": RecordState}
        several = {"keywords_add": tuple, "keywords_remove": tuple}
        kinds: dict[str, Any] = {**made, **several}
        return cls(
            **{name: kinds[name](value) if name in kinds else value for name, value in document.items()}
        )


def plain(value: Any) -> Any:
    """As JSON has it."""
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


@dataclass(frozen=True)
class Bulk:
    id: int
    account: int | None
    actor: str
    query: str
    changes: Changes
    state: BulkState
    found: int
    changing: int
    same: int
    refused: int
    changed: int
    passed_over: int
    restored: int
    kept: int
    problem: str
    made_at: datetime
    applied_at: datetime | None
    undone_at: datetime | None
    undone_by: str
    done: int = 0  # of `total` records, while it runs
    total: int = 0

    def undone_until(self) -> datetime | None:
        return self.applied_at + UNDONE_WITHIN if self.applied_at else None

    def may_be_undone(self, now: datetime) -> bool:
        until = self.undone_until()
        return self.state is BulkState.DONE and self.changed > 0 and until is not None and now < until


@dataclass(frozen=True)
class BulkRow:
    """What a bulk edit does to one record."""

    record: int
    name: str
    address: str
    collection_name: str
    verdict: Verdict
    why: Message | None
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    outcome: str


# Titles, and words of the audit log


STATES: Mapping[BulkState, Message] = {
    BulkState.JUDGING: message("Preparing preview"),
    BulkState.READY: message("Preview"),
    BulkState.APPLYING: message("Being done"),
    BulkState.DONE: message("Done"),
    BulkState.UNDOING: message("Being undone"),
    BulkState.UNDONE: message("Undone"),
    BulkState.FAILED: message("Failed"),
}
TONES: Mapping[BulkState, str] = {
    BulkState.JUDGING: "waiting",
    BulkState.READY: "neutral",
    BulkState.APPLYING: "waiting",
    BulkState.DONE: "good",
    BulkState.UNDOING: "waiting",
    BulkState.UNDONE: "neutral",
    BulkState.FAILED: "bad",
}
REFUSAL_TITLES: Mapping[Verdict, Message] = {
    Verdict.NOT_YOURS: message("Of a collection that is not yours"),
    Verdict.COMBINATION: message("Budget, frequency and depth do not go together"),
    Verdict.THEME: message("The theme is one of another collection"),
    Verdict.KNOWN: message("The collection has the address already"),
    Verdict.NOT_SEEN: message("The address was not seen to answer"),
    Verdict.CLOSED: message("The collection takes no new records"),
    Verdict.TEXT: message("A text would be too long"),
}
FIELDS: Mapping[str, Message] = {
    "collection": message("Collection"),
    "theme": message("Theme"),
    "budget": message("Budget"),
    "frequency": message("Frequency"),
    "depth": message("Depth"),
    "responsible": message("Responsible"),
    "language": message("Language"),
    "keywords": message("Keywords"),
    "keywords_add": message("Keywords to add"),
    "keywords_remove": message("Keywords to remove"),
    "active": message("Active"),
    "content_notes": message("Notes on the content"),
    "technical_notes": message("Technical notes"),
    "state": message("State"),
    "state_reason": message("Reason"),
    "reason": message("Reason"),
}

ACTIONS: dict[str, Message] = {
    "bulk.applied": message("Bulk edit done"),
    "bulk.undone": message("Bulk edit undone"),
    "record.restored": message("Change of a record undone"),
}
WORDS: dict[str, Message] = {
    "bulk": message("Bulk edit"),
    "keywords_add": message("Keywords to add"),
    "keywords_remove": message("Keywords to remove"),
    "reason": message("Reason"),
    "changed": message("Records changed"),
    "passed_over": message("Records passed over"),
    "restored": message("Records restored"),
    "kept": message("Records kept"),
}
