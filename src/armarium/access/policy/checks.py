"""What a rule may say, and what is refused before it does harm."""

import re
from dataclasses import replace

from armarium.access.model import EVERYTHING
from armarium.access.policy import patterns
from armarium.access.policy.model import AddressMatch, Period, RuleEffect, Terms
from armarium.core.errors import Refused
from armarium.core.message import message

LONGEST_TEXT = 4000
LONGEST_NAME = 200
MOST_NAMED = 1000  # accounts or networks of one rule
_MOST = {"years": 1000, "months": 1200, "days": 36_500}
_DIGITS = re.compile(r"[0-9]{4}(?:[0-9]{2}){0,5}\Z")
_BETWEEN = re.compile(r"[-:T \u2010-\u2015]")
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
