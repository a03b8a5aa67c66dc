"""The decision. Pure: the rules, the capture, the reader and the moment come in.

1. Who looks after the rules sees everything.
2. Take-downs come before all other rules, and hold for everybody else.
3. Of the rules that fit, the one with the most specific address decides: exact before the longest prefix,
   host, the longest domain, everything; one that names the port before one that does not.
4. Among these, the one for the narrowest audience: an account before accredited readers or a role, before a
   network, before everyone.
5. Among these, the strictest: hide, restrict, embargo, allow. What several that allow ask for (one reader,
   no downloads) holds all together.
6. No rule: the default of the settings.

An embargo that is over is no rule. Whatever cannot be known (a date that is none, the collections of a file)
makes rules that deny fit, and rules that allow not.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.access.policy.matching import Entry, Membership, Misfit, Question
from armarium.access.policy.model import Rule
from armarium.access.policy.patterns import addresses_of
from armarium.access.policy.rule_index import Group, RuleIndex, grouped
from armarium.accounts.model import Role
from armarium.formats.cdx import CdxLine

#: Those who consult the archive; everybody else works in it.
READERS = frozenset({Role.READER, Role.RESEARCHER})
DENIED = Decision(Effect.RESTRICTED)


@dataclass(frozen=True)
class Step:
    """A rule that speaks of an address, and why it has no say if it has none."""

    rule: Rule
    misfit: Misfit | None = None
    decides: bool = False


@dataclass(frozen=True)
class Explanation:
    decision: Decision
    steps: Sequence[Step]  # in the order in which they are asked


class RuleBook:
    def __init__(self, rules: Iterable[Rule], default: str = "staff") -> None:
        self._default = default
        self._entries: dict[int, Entry] = {}
        self._put(rules)

    def with_changed(self, rules: Iterable[Rule]) -> "RuleBook":
        """Another book, in which these rules are as they are now; those that have ended are not in it."""
        book = RuleBook((), self._default)
        book._entries = dict(self._entries)
        book._put(rules)
        return book

    def _put(self, rules: Iterable[Rule]) -> None:
        for rule in rules:
            self._entries.pop(rule.id, None)
            if rule.ended_at is None:
                self._entries[rule.id] = Entry(rule)
        every = self._entries.values()
        self._take_downs = RuleIndex(entry for entry in every if entry.rule.terms.take_down)
        self._rules = RuleIndex(entry for entry in every if not entry.rule.terms.take_down)
        self._any_take_down = any(entry.rule.terms.take_down for entry in every)

    def decide(
        self,
        reader: Reader,
        collection: Collection,
        line: CdxLine,
        now: datetime,
        membership: Membership | None = None,
    ) -> Decision:
        if reader.sees_everything:
            return OPEN
        asked = Question(reader, collection, line, now, membership)
        addresses = addresses_of(line)
        if self._any_take_down:
            found = _first(_groups(self._take_downs, addresses), asked)
            if found is not None:
                return found
        found = _first(_groups(self._rules, addresses), asked)
        return found if found is not None else self._by_default(reader)

    def explain(
        self,
        reader: Reader,
        collection: Collection,
        line: CdxLine,
        now: datetime,
        membership: Membership | None = None,
    ) -> Explanation:
        """The decision, with every rule that speaks of the address."""
        decision = self.decide(reader, collection, line, now, membership)
        asked = Question(reader, collection, line, now, membership)
        steps = [
            Step(entry.rule, entry.misfit(asked), entry.rule.id == decision.rule)
            for index in (self._take_downs, self._rules)
            for group in _groups(index, addresses_of(line))
            for entry in group.entries
        ]
        return Explanation(decision, steps)

    def _by_default(self, reader: Reader) -> Decision:
        staff = bool(reader.roles - READERS)
        if self._default == "everyone" or staff or (self._default == "accredited" and reader.accredited):
            return OPEN
        return DENIED


def _groups(index: RuleIndex, addresses: Sequence[str]) -> Iterator[Group]:
    if len(addresses) == 1:
        return index.groups(addresses[0])
    every = (entry for address in addresses for group in index.groups(address) for entry in group.entries)
    return iter(grouped({entry.rule.id: entry for entry in every}.values()))


def _first(groups: Iterator[Group], asked: Question) -> Decision | None:
    for group in groups:
        for place, entry in enumerate(group.entries):
            if entry.misfit(asked) is None:
                decision = entry.decided(asked)
                if decision.one_reader == decision.no_downloads:  # all that could be asked for, or nothing
                    return decision
                return _together(decision, entry, group.entries[place + 1 :], asked)
    return None


def _together(decision: Decision, winner: Entry, others: Iterable[Entry], asked: Question) -> Decision:
    """With what others that are as specific and as strict ask for, too."""
    weight, strictness = winner.order()[:2]
    for entry in others:
        if entry.order()[:2] != (weight, strictness):
            break
        if entry.misfit(asked) is None:
            decision = replace(
                decision,
                one_reader=decision.one_reader or entry.decision.one_reader,
                no_downloads=decision.no_downloads or entry.decision.no_downloads,
            )
    return decision
