"""A rule made ready for deciding: whether it fits capture, reader and moment, and when an embargo ends."""

from calendar import monthrange
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from armarium.access.model import Collection, Decision, Effect, Reader
from armarium.access.policy.model import Period, Rule, RuleEffect
from armarium.access.policy.patterns import split
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.timestamps import moment

WHOLE = 14  # digits of a timestamp that leaves nothing open


@lru_cache(maxsize=65536)
def end_of(day: str, period: Period) -> date | None:
    """The first day on which a capture of that day (eight digits) may be seen; None: there is none.

    A date that is none, or too far away, has no such day: what cannot be reckoned stays under embargo.
    """
    captured = moment(day) if len(day) == len("20260131") else None
    if captured is None:
        return None
    months = captured.year * 12 + captured.month - 1 + period.years * 12 + period.months
    year, month = divmod(months, 12)
    try:
        # A month after the 31st of January is the last of February.
        last = monthrange(year, month + 1)[1]
        return date(year, month + 1, min(captured.day, last)) + timedelta(days=period.days)
    except (ValueError, OverflowError):
        return None


_STRICTNESS = {RuleEffect.ALLOW: 0, RuleEffect.EMBARGO: 1, RuleEffect.RESTRICT: 2, RuleEffect.HIDE: 3}
_EFFECTS = {
    RuleEffect.ALLOW: Effect.ALLOWED,
    RuleEffect.EMBARGO: Effect.RESTRICTED,
    RuleEffect.RESTRICT: Effect.RESTRICTED,
    RuleEffect.HIDE: Effect.HIDDEN,
}

#: The collections to which a file belongs; None: nobody can tell at the moment.
Membership = Callable[[str], frozenset[str] | None]


class Misfit(StrEnum):
    """Why a rule that speaks of an address has no say about a capture of it."""

    AUDIENCE = "audience"
    NOT_YET = "not-yet"
    NO_LONGER = "no-longer"
    CAPTURED = "captured"
    COLLECTION = "collection"
    EMBARGO_OVER = "embargo-over"


class Question(NamedTuple):
    """Who wants what, when."""

    reader: Reader
    collection: Collection
    line: CdxLine
    now: datetime
    membership: Membership | None = None


class Entry:
    __slots__ = ("_decisions", "audience", "decision", "denies", "embargo", "host", "port", "rest", "rule")

    def __init__(self, rule: Rule) -> None:
        terms = rule.terms
        self.rule = rule
        self.audience = terms.audience if terms.audience.weight else None
        self.host, self.port, self.rest = split(terms.key) if terms.key else ("", "", "")
        self.denies = terms.effect is not RuleEffect.ALLOW
        self.embargo = terms.effect is RuleEffect.EMBARGO
        self.decision = Decision(
            _EFFECTS[terms.effect],
            rule.id,
            terms.public_message,
            one_reader=terms.one_reader and not self.denies,
            no_downloads=terms.no_downloads and not self.denies,
        )
        self._decisions: dict[date | None, Decision] = {}

    def order(self) -> tuple[int, ...]:
        """Who decides among rules for the same address: the narrowest audience, the strictest, the newest."""
        terms = self.rule.terms
        flags = (-self.decision.one_reader, -self.decision.no_downloads)
        return -terms.audience.weight, -_STRICTNESS[terms.effect], *flags, -self.rule.id

    def misfit(self, asked: Question) -> Misfit | None:
        """None: it has its say. Where that cannot be known, what denies does, and what allows does not."""
        if self.audience is not None and not self.audience.fits(asked.reader):
            return Misfit.AUDIENCE
        terms = self.rule.terms
        if terms.valid_from is not None and asked.now < terms.valid_from:
            return Misfit.NOT_YET
        if terms.valid_until is not None and asked.now >= terms.valid_until:
            return Misfit.NO_LONGER
        if (terms.captured_from or terms.captured_to) and not self._captured(asked.line.timestamp):
            return Misfit.CAPTURED
        if self.embargo and self._over(asked):
            return Misfit.EMBARGO_OVER
        if terms.collection and not self._in_collection(asked):
            return Misfit.COLLECTION
        return None

    def decided(self, asked: Question) -> Decision:
        if not self.embargo:
            return self.decision
        until = self._until(asked.line.timestamp)
        if until not in self._decisions:
            self._decisions[until] = replace(self.decision, until=until)
        return self._decisions[until]

    def _captured(self, timestamp: str) -> bool:
        if len(timestamp) < WHOLE or not timestamp.isdigit():
            return self.denies
        first, last = self.rule.terms.captured_from, self.rule.terms.captured_to
        return timestamp[: len(first)] >= first and (not last or timestamp[: len(last)] <= last)

    def _until(self, timestamp: str) -> date | None:
        return end_of(timestamp[:8], self.rule.terms.embargo) if len(timestamp) >= WHOLE else None

    def _over(self, asked: Question) -> bool:
        until = self._until(asked.line.timestamp)
        return until is not None and asked.now.date() >= until

    def _in_collection(self, asked: Question) -> bool:
        """Whichever way leads to a capture: a file of the collection is of it everywhere."""
        name = self.rule.terms.collection
        if name == asked.collection.name:
            return True
        filename = asked.line.filename
        found = asked.membership(filename) if filename is not None and asked.membership is not None else ()
        if not found:  # nobody knows more than where it was asked for
            return self.denies and (found is None or name in asked.collection.name.split("+"))
        return name in found
