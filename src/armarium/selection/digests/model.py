"""A digest: whom it is for, what it says, and in which words."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from armarium.core.message import message
from armarium.languages.speech import ngettext, number, say, speaking


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


# In words, in the language of the person it is for


LONGEST = 500  # characters of a comment or a reason


def written(reader: Reader, news: News, site: str, language: str) -> tuple[str, str]:
    """Subject and text."""
    with speaking(language):
        parts = [say(message("Hello %(name)s,", name=reader.name)), *_counts(news, site)]
        parts += _list(say(message("Refused since the last mail:")), news.refused, site)
        parts += _list(say(message("New comments on your records:")), news.comments, site)
        parts.append(
            say(
                message(
                    "How often this mail comes can be changed here: %(address)s",
                    address=f"{site}/selection/digest",
                )
            )
        )
        return say(message("What waits for you in Select")), "\n\n".join(parts)


def _counts(news: News, site: str) -> list[str]:
    lines = []
    if news.proposals:
        said = ngettext(
            "%(num)s record waits for a decision", "%(num)s records wait for a decision", news.proposals
        )
        lines.append(_with_address(said % {"num": number(news.proposals)}, f"{site}/selection/tray"))
    if news.nominations:
        said = ngettext(
            "%(num)s nomination waits for an answer",
            "%(num)s nominations wait for an answer",
            news.nominations,
        )
        there = f"{site}/selection/nominations"
        lines.append(_with_address(said % {"num": number(news.nominations)}, there))
    return lines


def _with_address(said: str, address: str) -> str:
    """With a colon as the language writes it."""
    return say(message("%(label)s: %(value)s", label=said, value=address))


def _list(heading: str, lines: Sequence[Line], site: str) -> list[str]:
    if not lines:
        return []
    listed = [
        f"- {one.name}\n  {_shortened(one.text)}\n  {site}/selection/records/{one.record}" for one in lines
    ]
    return ["\n".join([heading, *listed])]


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
