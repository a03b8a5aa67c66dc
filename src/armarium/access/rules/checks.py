"""What a rule may say and would cover, and what is refused before it does harm."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC
from itertools import islice

from armarium.access.model import EVERYTHING, Archive, Collection, Reader
from armarium.access.policy import patterns
from armarium.access.policy.decisions import RuleBook
from armarium.access.policy.model import EVERYONE, AddressMatch, Period, Rule, RuleEffect, Terms
from armarium.access.policy.patterns import LONGEST
from armarium.accounts.service import Accounts
from armarium.core import clock
from armarium.core.errors import NotFound, Refusals, Refused
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Match, Query
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
    with Refusals() as wrong:
        wrong.attempt(lambda: _check_texts(terms))
        wrong.attempt(lambda: _check_effect(terms))
        first = wrong.attempt(lambda: digits(terms.captured_from, "captured_from"))
        last = wrong.attempt(lambda: digits(terms.captured_to, "captured_to"))
        if first and last and last < first[: len(last)]:
            wrong.add("captured_to", message("The last date is before the first."))
        if terms.valid_from and terms.valid_until and terms.valid_until <= terms.valid_from:
            wrong.add("valid_until", message("The rule would end before it starts."))
        found = patterns.read(terms.pattern, match)
    collection = terms.collection.strip()
    return replace(
        terms,
        pattern=found.text,
        match=found.match,
        key=found.key,
        captured_from=first or "",
        captured_to=last or "",
        collection="" if collection == EVERYTHING else collection,
        **{name: getattr(terms, name).strip() for name in _TEXTS},
    )


def digits(text: str, field: str) -> str:
    """A date as people write it, as the first digits of a timestamp."""
    found = _BETWEEN.sub("", text.strip())
    if found and not _DIGITS.match(found):
        raise Refused(
            message("“%(text)s” is not a date. Write it as 2026, 2026-01 or 2026-01-31.", text=text[:40]),
            field=field,
        )
    return found


def _check_effect(terms: Terms) -> None:
    if terms.effect is RuleEffect.EMBARGO:
        _check_period(terms.embargo)
    elif terms.embargo:
        raise Refused(message("Only an embargo has a length."), field="embargo_years")
    if terms.effect is not RuleEffect.ALLOW and (terms.one_reader or terms.no_downloads):
        told = message(
            "Only rules that allow can limit reading to one reader at a time, or forbid downloads."
        )
        raise Refused(told, field="one_reader" if terms.one_reader else "no_downloads")
    if terms.take_down:
        _check_take_down(terms)


def _check_take_down(terms: Terms) -> None:
    if terms.effect not in (RuleEffect.RESTRICT, RuleEffect.HIDE):
        raise Refused(message("A take-down must restrict or hide."), field="effect")
    if terms.audience.weight:
        raise Refused(message("A take-down is for everybody: leave the readers empty."), field="audience")
    if not terms.reason.strip():
        raise Refused(message("Enter a reason. You will need it later."), field="reason")


def _check_period(period: Period) -> None:
    if not period:
        raise Refused(message("Enter the length of the embargo."), field="embargo_years")
    for name, most in _MOST.items():
        if not 0 <= getattr(period, name) <= most:
            told = message("Enter a whole number from 0 to %(most)s.", most=most)
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
        raise Refused(message("Enter the address of the capture."), field="url")
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


MOST_COUNTED = 2000  # captures; how many more there are matters to nobody
MOST_PAGES = 10  # of the index that are read, whether something in them fits or not
SHOWN = 8  # addresses


@dataclass(frozen=True)
class Covered:
    captures: int
    complete: bool  # False: there may be more
    examples: tuple[CdxLine, ...]


class Coverage:
    """Made by the door, which has the archive."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive

    def collections(self) -> list[Collection]:
        return [one for one in self._archive.collections() if one.name != EVERYTHING]

    def check(self, name: str) -> None:
        """Refuse a collection that is not there: a rule for it would look as if it held."""
        if name and all(one.name != name for one in self._archive.collections()):
            told = message("There is no collection %(name)s.", name=name[:100])
            raise Refused(told, field="collection")

    def of(self, terms: Terms) -> Covered:
        """By address, date and collection, whoever reads."""
        found = 0
        examples: dict[str, CdxLine] = {}
        fits = _fitting(terms)
        pages = self._pages(terms)
        for page in islice(pages, MOST_PAGES):
            fitting = [line for line in page if fits(line)]
            found += len(fitting)
            for line in fitting:
                examples.setdefault(line.key, line)
            if found > MOST_COUNTED:
                break
        complete = found <= MOST_COUNTED and next(pages, None) is None
        return Covered(min(found, MOST_COUNTED), complete, tuple(islice(examples.values(), SHOWN)))

    def _pages(self, terms: Terms) -> Iterator[Sequence[CdxLine]]:
        wanted = terms.collection or EVERYTHING
        known = next((one for one in self._archive.collections() if one.name == wanted), None)
        if known is None:
            return
        captures = self._archive.captures(known)
        asked = Query(match=Match.RANGE, from_=terms.captured_from, to=terms.captured_to)
        for first, after in patterns.ranges(terms.match, terms.key):
            resume: str | None = ""
            while resume is not None:
                page = captures.search(replace(asked, key=first, to_key=after, resume=resume))
                yield page.lines
                resume = page.resume


def _fitting(terms: Terms) -> Callable[[CdxLine], bool]:
    """Whether the rule speaks of a capture, as the decision itself sees it."""
    # Whom it is for, and when it holds, is another question than what it covers.
    plain = replace(terms, audience=EVERYONE, valid_from=None, valid_until=None, collection="")
    effect = RuleEffect.RESTRICT if terms.effect is RuleEffect.EMBARGO else terms.effect
    book = RuleBook([Rule(0, replace(plain, effect=effect))], "everyone")
    everywhere = Collection(EVERYTHING, "", everything=True)
    now = clock.now()
    return lambda line: book.decide(Reader(), everywhere, line, now).rule is not None
