"""What a rule may say, and what is refused before it does harm; also of questions about a capture."""

import re
from dataclasses import dataclass, replace
from datetime import UTC

from armarium.access.model import EVERYTHING, Collection, Reader
from armarium.access.policy import patterns
from armarium.access.policy.model import AddressMatch, Period, RuleEffect, Terms
from armarium.access.policy.patterns import LONGEST
from armarium.accounts.service import Accounts
from armarium.core import clock
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.timestamps import moment
from armarium.formats.url import asked_for, surt

LONGEST_TEXT = 4000
LONGEST_NAME = 200
MOST_NAMED = 1000  # accounts or networks of one rule
_MOST = {"years": 1000, "months": 1200, "days": 36_500}
_DIGITS = re.compile(r"[0-9]{4}(?:[0-9]{2}){0,5}\Z")
_BETWEEN = re.compile(r"[-:T \u2010-\u2015]")
_BETWEEN_NAMES = re.compile(r"[\s,;]+")
_TEXTS = ("public_message", "reason", "legal_basis")


def checked(terms: Terms, match: AddressMatch | None = None) -> Terms:
    """The rule as it is kept; `match`: how much the pattern covers, None if its form shall say it."""
    _check_texts(terms)
    _check_effect(terms)
    found = patterns.read(terms.pattern, match)
    first, last = digits(terms.captured_from, "captured_from"), digits(terms.captured_to, "captured_to")
    if first and last and last < first[: len(last)]:
        raise Refused(message("The last capture is before the first."), field="captured_to")
    if terms.valid_from and terms.valid_until and terms.valid_until <= terms.valid_from:
        raise Refused(message("The rule would end before it begins."), field="valid_until")
    collection = terms.collection.strip()
    return replace(
        terms,
        pattern=found.text,
        match=found.match,
        key=found.key,
        captured_from=first,
        captured_to=last,
        collection="" if collection == EVERYTHING else collection,
        **{name: getattr(terms, name).strip() for name in _TEXTS},
    )


def digits(text: str, field: str) -> str:
    """A date as people write it, as the first digits of a timestamp."""
    found = _BETWEEN.sub("", text.strip())
    if found and not _DIGITS.match(found):
        raise Refused(
            message("“%(text)s” is no date: write 2026, 2026-01 or 2026-01-31.", text=text[:40]), field=field
        )
    return found


def _check_effect(terms: Terms) -> None:
    if terms.effect is RuleEffect.EMBARGO:
        _check_period(terms.embargo)
    elif terms.embargo:
        raise Refused(message("Only an embargo has a length."), field="embargo_years")
    if terms.effect is not RuleEffect.ALLOW and (terms.one_reader or terms.no_downloads):
        told = message(
            "Only captures that may be seen can be for one reader at a time, or without downloads."
        )
        raise Refused(told, field="one_reader" if terms.one_reader else "no_downloads")
    if terms.take_down:
        _check_take_down(terms)


def _check_take_down(terms: Terms) -> None:
    if terms.effect not in (RuleEffect.RESTRICT, RuleEffect.HIDE):
        raise Refused(message("A take-down restricts or hides."), field="effect")
    if terms.audience.weight:
        raise Refused(message("A take-down holds for everybody: it names no readers."), field="audience")
    if not terms.reason.strip():
        raise Refused(message("Say why it is taken down: it is asked for later."), field="reason")


def _check_period(period: Period) -> None:
    if not period:
        raise Refused(message("Say how long the embargo is."), field="embargo_years")
    for name, most in _MOST.items():
        if not 0 <= getattr(period, name) <= most:
            told = message("This is a whole number from 0 to %(most)s.", most=most)
            raise Refused(told, field=f"embargo_{name}")


def _check_texts(terms: Terms) -> None:
    for name in _TEXTS:
        if len(getattr(terms, name)) > LONGEST_TEXT:
            told = message("This is longer than %(most)s characters.", most=LONGEST_TEXT)
            raise Refused(told, field=name)
    if len(terms.collection) > LONGEST_NAME:
        raise Refused(message("There is no such collection."), field="collection")
    if max(len(terms.audience.accounts), len(terms.audience.networks)) > MOST_NAMED:
        raise Refused(message("A rule names at most %(most)s accounts or networks.", most=MOST_NAMED))


def accounts_in(text: str, accounts: Accounts) -> frozenset[int]:
    """Numbers of the accounts that are named."""
    found = set()
    for name in filter(None, _BETWEEN_NAMES.split(text)):
        try:
            found.add(accounts.named(name).id)
        except NotFound as missing:
            raise Refused(missing.message, field="accounts") from missing
    return frozenset(found)


# “What would become of this capture for that reader?”


_EARLIEST = "00000101000000"  # completes the first digits of a date


@dataclass(frozen=True)
class CaptureQuestion:
    """Somebody wants to see something."""

    reader: Reader
    collection: Collection
    line: CdxLine


def question_about(url: str, date: str, reader: Reader, collection: str = "") -> CaptureQuestion:
    """`date`: digits or a date as people write it; nothing: this moment."""
    url = asked_for(url.strip())
    if not url or len(url) > LONGEST:
        raise Refused(message("Name the address of the capture."), field="url")
    name = collection.strip() or EVERYTHING
    place = Collection(name, name, everything=name == EVERYTHING)
    return CaptureQuestion(reader, place, CdxLine(surt(url), timestamp(date), {"url": url}))


def timestamp(date: str) -> str:
    if not date.strip():
        return clock.now().astimezone(UTC).strftime("%Y%m%d%H%M%S")
    found = digits(date, "date")
    whole = found + _EARLIEST[len(found) :]
    if moment(whole) is None:
        raise Refused(message("“%(text)s” is not in the calendar.", text=date[:40]), field="date")
    return whole
