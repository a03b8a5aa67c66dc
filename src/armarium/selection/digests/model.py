"""What a digest says."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum


class Rhythm(StrEnum):
    NEVER = "never"
    DAILY = "daily"
    WEEKLY = "weekly"


#: Of those who have not said how often.
USUAL = Rhythm.WEEKLY
MONDAY = 0
LISTED = 20  # of each kind; the rest is counted


@dataclass(frozen=True)
class Line:
    """One thing that somebody should know: a record, and what was said about it."""

    record: int
    name: str
    text: str = ""


@dataclass(frozen=True)
class News:
    """What has happened for one person since the last digest, and what waits."""

    proposals: int = 0  # that wait for a decision
    nominations: int = 0  # that wait for an answer
    refused: Sequence[Line] = field(default_factory=tuple)  # their records, with the reason
    comments: Sequence[Line] = field(default_factory=tuple)  # on their records, by others

    @property
    def is_empty(self) -> bool:
        return not (self.proposals or self.nominations or self.refused or self.comments)


@dataclass(frozen=True)
class Reader:
    """Somebody who may want a digest."""

    account: int
    name: str
    mail: str
    language: str
    roles: frozenset[str]
    rhythm: Rhythm
    written_at: datetime | None

    def is_due(self, now: datetime) -> bool:
        """Once a day, or on Mondays; a digest that was missed comes the next time that is asked."""
        if self.rhythm is Rhythm.NEVER or not self.mail:
            return False
        days = 1 if self.rhythm is Rhythm.DAILY else 7
        if self.written_at is None:
            return self.rhythm is Rhythm.DAILY or now.weekday() == MONDAY
        return (now.date() - self.written_at.date()).days >= days
