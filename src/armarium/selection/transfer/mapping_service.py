"""The verbs of the mapping."""

from dataclasses import replace

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import Listed
from armarium.selection.collections import queries as collection_queries
from armarium.selection.collections.service import existing
from armarium.selection.model import Frequency
from armarium.selection.transfer import tables
from armarium.selection.transfer.difference import Ground
from armarium.selection.transfer.mapping import Gap, TransferMapping, checked_rule, gaps, usual_target
from armarium.selection.transfer.model import Choices, Planning, Rule, Target

TOPIC = "transfer"


class TransferMappings(Listed[Rule]):
    rows = tables.mapping_rules
    missing = message("There is no transfer rule with the number %(number)s.")

    def __init__(self, database: Database, planning: Planning) -> None:
        super().__init__(database)
        self._planning = planning

    # Reading

    def ground(self) -> Ground:
        """The mapping with all that it speaks of."""
        with self._database.transaction() as connection:
            return ground(connection, self._planning)

    def gaps(self) -> list[Gap]:
        """What may be chosen and leads nowhere."""
        with self._database.transaction() as connection:
            found = ground(connection, self._planning)
            matrix = collection_queries.the_matrix(connection)
        return gaps(found.mapping, found.collections.values(), matrix, found.choices)

    def rule_for(self, wanted: Rule) -> Rule | None:
        """The rule for exactly these choices."""
        chosen = (wanted.budget, wanted.frequency, wanted.depth)
        with self._database.transaction() as connection:
            found = tables.rules(connection)
        return next((one for one in found if (one.budget, one.frequency, one.depth) == chosen), None)

    # Changing

    def put_rule(self, actor: Actor, given: Rule) -> Rule:
        """A new rule, or, with a number, other values for the one that has it."""
        rule = checked_rule(given)
        self._planning.check_overrides(rule.overrides)
        with self._database.transaction() as connection:
            self._refuse_unknown(self._planning.choices(connection), rule)
            before = self.existing(connection, rule.id, lock=True) if rule.id else None
            try:
                with connection.begin_nested():
                    number = _write(connection, rule)
            except IntegrityError as taken:
                raise _twice() from taken
            after = replace(rule, id=number)
            _note(connection, actor, before, after)
            return after

    def remove_rule(self, actor: Actor, number: int) -> None:
        """Of the mapping alone: what was transferred by it is changed by the next transfer."""
        with self._database.transaction() as connection:
            before = self.existing(connection, number, lock=True)
            tables.delete_rule(connection, number)
            _note(connection, actor, before, None)

    def put_target(self, actor: Actor, given: Target) -> Target:
        with self._database.transaction() as connection:
            collection = existing(connection, given.collection)
            choices = self._planning.choices(connection)
            checked = _checked_target(given, choices)
            known = {(one.collection, one.frequency): one for one in tables.targets(connection)}
            key = (given.collection, given.frequency)
            before = known.get(key) or usual_target(collection, given.frequency)
            tables.put_targets(connection, [checked])
            if before != checked:
                subject = Subject("collection", collection.id, collection.name)
                facts = {"before": before.described(), "after": checked.described()}
                record(connection, actor, "mapping.target_changed", subject, **facts)
                announce(connection, TOPIC)
            return checked

    def target(self, collection: int, frequency: Frequency) -> Target:
        with self._database.transaction() as connection:
            known = existing(connection, collection)
            return mapping(connection).target(known, frequency)

    # Steps

    def _refuse_unknown(self, choices: Choices, rule: Rule) -> None:
        if rule.profile and rule.profile not in choices.profiles:
            raise Refused(
                message("Planning has no active profile named %(name)s.", name=rule.profile), field="profile"
            )


def mapping(connection: Connection) -> TransferMapping:
    targets = {(one.collection, one.frequency): one for one in tables.targets(connection)}
    return TransferMapping(tables.rules(connection), targets)


def ground(connection: Connection, planning: Planning) -> Ground:
    collections = {one.id: one for one in collection_queries.collections(connection)}
    return Ground(collections, mapping(connection), planning.choices(connection))


def _write(connection: Connection, rule: Rule) -> int:
    if rule.id:
        tables.mapping_rules.update(connection, rule.id, **tables.columns_of(rule))
        return rule.id
    number = tables.mapping_rules.insert(connection, **tables.columns_of(rule))
    if number is None:
        raise _twice()
    return number


def _twice() -> Refused:
    return Refused(message("There is a rule for the same choices already: change that one."), field="budget")


def _note(connection: Connection, actor: Actor, before: Rule | None, after: Rule | None) -> None:
    old, new = before.described() if before else None, after.described() if after else None
    if old != new:
        one = after or before
        assert one is not None
        named = [choice.value for choice in (one.budget, one.frequency, one.depth) if choice]
        subject = Subject("mapping", one.id, " · ".join(named))
        record(connection, actor, "mapping.rule_changed", subject, before=old, after=new)
        announce(connection, TOPIC)


def _checked_target(given: Target, choices: Choices) -> Target:
    if given.harvest is not None:
        if given.harvest not in choices.harvests:
            raise Refused(message("Choose a selective or event harvest of planning."), field="harvest")
        return replace(given, name="", schedule="")
    name = " ".join(given.name.split())
    if not name:
        raise Refused(message("Say how the harvest is to be called."), field="name")
    if given.schedule not in choices.schedules:
        raise Refused(message("Choose a schedule that is active in planning."), field="schedule")
    if any(one.name == name for one in choices.harvests.values()):
        raise Refused(
            message("Planning has a harvest %(name)s already: choose it, or another name.", name=name),
            field="name",
        )
    return replace(given, name=name)
