"""Conflicts: what a person changed in planning, and selection wants otherwise. A person decides."""

from collections.abc import Sequence
from enum import StrEnum

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.selection.records import writing
from armarium.selection.transfer import tables
from armarium.selection.transfer.applying import looked_up
from armarium.selection.transfer.difference import Step, steps
from armarium.selection.transfer.mapping_service import TOPIC, ground
from armarium.selection.transfer.planning import Planning


class Side(StrEnum):
    """Who is right."""

    PLANNING = "planning"
    SELECTION = "selection"


class Conflicts:
    def __init__(self, database: Database, planning: Planning) -> None:
        self._database = database
        self._planning = planning

    def settle(self, actor: Actor, number: int, side: Side) -> int:
        """Planning's values of a record stand, or the next transfer writes selection's; how many fields."""
        with self._database.transaction() as connection:
            one = writing.existing(connection, number, lock=True)
            links, planned = looked_up(connection, self._planning, [one])
            found = steps(one, ground(connection, self._planning), links.get(number, []), planned)
            settled = sum(_settle(connection, step, side) for step in found)
            if settled:
                facts = {"side": side.value, "fields": settled}
                about = Subject("record", number, one.name)
                record(connection, actor, "transfer.settled", about, after=facts)
                announce(connection, TOPIC)
            return settled


def _settle(connection: Connection, step: Step, side: Side) -> int:
    names: Sequence[str] = [one.name for one in step.contested]
    if step.link is None or step.before is None or not names:
        return 0
    now = step.before.facts()
    wanted = {one.name: one.new for one in step.contested}
    # What was asked for and is wanted still is not written again; what was not asked for is.
    asked = wanted if side is Side.PLANNING else {name: now[name] for name in names}
    tables.put_link(
        connection,
        record=step.record.id,
        domain=step.domain,
        placed=step.link.placed,
        asked={**step.link.asked, **asked},
        kept={**step.link.kept, **{name: now[name] for name in names}},
        transfer=step.link.transfer,
    )
    return len(names)
