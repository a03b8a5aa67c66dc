"""What a rule would cover: captures that the archive has now, counted and a few of them shown."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from armarium.access.model import EVERYTHING, Collection, Reader
from armarium.access.policy import patterns
from armarium.access.policy.decisions import RuleBook
from armarium.access.policy.model import EVERYONE, Rule, RuleEffect, Terms
from armarium.access.protocols import Archive
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.formats.cdx import CdxLine
from armarium.formats.cdx.query import Match, Query

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
