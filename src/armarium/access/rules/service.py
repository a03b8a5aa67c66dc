"""The verbs on rules. Nothing is deleted: a rule that no longer holds has ended, and says why."""

from collections.abc import Sequence

from sqlalchemy import Connection

from armarium.access.networks.service import unknown as unknown_networks
from armarium.access.policy import queries
from armarium.access.policy.editions import note_change
from armarium.access.policy.model import AddressMatch, Rule, Terms
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.checks import LONGEST_TEXT, checked
from armarium.accounts.queries import account_by_id
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import NotFound, Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning

TOPIC = "access-rules"


def subject(rule: Rule) -> Subject:
    return Subject("access-rule", rule.id, rule.terms.pattern)


class Rules:
    def __init__(self, database: Database) -> None:
        self._database = database

    # Reading

    def page(self, wanted: RuleFilter, *, limit: int, offset: Beginning = 0) -> tuple[list[Rule], int]:
        with self._database.transaction() as connection:
            return queries.page(connection, wanted, clock.now(), limit, offset)

    not_ended = reading(queries.not_ended)

    def get(self, number: int) -> Rule:
        with self._database.transaction() as connection:
            return self._existing(connection, number)

    # Changing

    def add(self, actor: Actor, terms: Terms, match: AddressMatch | None = None) -> Rule:
        """`match`: how much the pattern covers; None: as it is typed."""
        return self.add_all(actor, [checked(terms, match)])[0]

    def add_all(self, actor: Actor, terms: Sequence[Terms]) -> list[Rule]:
        """Rules that were checked, all of them or none."""
        with self._database.transaction() as connection:
            for one in terms:
                self._check_named(connection, one)
            change = note_change(connection)
            made = queries.insert(connection, change, terms, clock.now(), actor.name)
            for rule in made:
                action = "access-rule.taken-down" if rule.terms.take_down else "access-rule.made"
                record(connection, actor, action, subject(rule), after=rule.terms.described())
            announce(connection, TOPIC)
            return made

    def change(
        self,
        actor: Actor,
        number: int,
        terms: Terms,
        match: AddressMatch | None = None,
        *,
        seen: int | None = None,
    ) -> Rule:
        """`seen`: the edition that was shown; None: whatever is there."""
        terms = checked(terms, match)
        with self._database.transaction() as connection:
            before = self._open(connection, number, seen)
            if before.terms == terms:
                return before
            self._check_named(connection, terms)
            queries.update(connection, note_change(connection), number, terms)
            after = self._existing(connection, number)
            old, new = before.terms.described(), after.terms.described()
            record(connection, actor, "access-rule.changed", subject(after), before=old, after=new)
            announce(connection, TOPIC)
            return after

    def end(self, actor: Actor, number: int, why: str) -> Rule:
        why = why.strip()
        if not why or len(why) > LONGEST_TEXT:
            raise Refused(message("Enter why the rule ends."), field="why")
        with self._database.transaction() as connection:
            before = self._open(connection, number, None)
            change = note_change(connection)
            queries.end(connection, change, number, clock.now(), actor.name, why)
            after = {"ended_why": why}
            record(connection, actor, "access-rule.ended", subject(before), after=after)
            announce(connection, TOPIC)
            return self._existing(connection, number)

    # Steps

    def _existing(self, connection: Connection, number: int, *, lock: bool = False) -> Rule:
        found = queries.by_id(connection, number, lock=lock)
        if found is None:
            raise NotFound(message("There is no rule with the number %(number)s.", number=number))
        return found

    def _open(self, connection: Connection, number: int, seen: int | None) -> Rule:
        found = self._existing(connection, number, lock=True)
        if found.ended_at is not None:
            raise Refused(message("This rule has ended. Create a new one."))
        if seen is not None and seen != found.edition:
            raise Refused(message("Somebody else changed this rule. Check it again, then save."))
        return found

    def _check_named(self, connection: Connection, terms: Terms) -> None:
        """A rule for somebody who is not there would hold for nobody, or look as if it held."""
        for number in terms.audience.accounts:
            if account_by_id(connection, number) is None:
                told = message("There is no account with the number %(number)s.", number=number)
                raise Refused(told, field="accounts")
        for number in unknown_networks(connection, terms.audience.networks):
            told = message("There is no network with the number %(number)s.", number=number)
            raise Refused(told, field="networks")
