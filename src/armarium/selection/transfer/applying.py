"""One batch of a transfer: some records, in the caller's transaction."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection
from sqlalchemy.exc import DataError, IntegrityError

from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import ArmariumError, Unavailable
from armarium.core.message import Message, message
from armarium.selection.records.model import Record
from armarium.selection.transfer import tables
from armarium.selection.transfer.difference import (
    TO_BE_MADE,
    Ground,
    Planned,
    Step,
    address_of,
    list_name,
    steps,
)
from armarium.selection.transfer.mapping_service import ground
from armarium.selection.transfer.model import Entry, Link, Placed, Placing, Planning, Setup, TransferKind


def looked_up(
    connection: Connection, planning: Planning, records: Sequence[Record]
) -> tuple[dict[int, list[Link]], Planned]:
    """What there is of these records, here and in planning."""
    links = tables.links_of(connection, [one.id for one in records])
    known = [link for several in links.values() for link in several]
    domains = {one.domain for one in records}
    stopped, refused = planning.stopped(connection, domains), planning.refused(domains)
    return links, Planned(planning.present(connection, known), stopped, refused)


@dataclass
class Batch:
    connection: Connection
    planning: Planning
    actor: Actor
    transfer: int
    entries: list[Entry] = field(default_factory=list)
    joined: Counter[int] = field(default_factory=Counter)  # harvest → configurations that came in or went out
    made: dict[tuple[int, str], int] = field(default_factory=dict)  # harvests, by collection and frequency

    def apply(self, records: Sequence[Record]) -> None:
        """All that these records ask for. What fails for one of them is said, and stops no other."""
        # Read after the records were locked: whoever transferred them a moment ago has left traces.
        found = ground(self.connection, self.planning)
        links, planned = looked_up(self.connection, self.planning, records)
        # Domains are locked in the order of their names, so that two transfers do not wait for each other.
        for record in sorted(records, key=lambda one: (one.domain, one.id)):
            for step in steps(record, found, links.get(record.id, []), planned):
                self._take(step, found)
        self.planning.note(self.connection, self.actor, self.joined)

    def _take(self, step: Step, found: Ground) -> None:
        trouble = self._tried(step, found) if step.news else None
        if trouble is not None:
            said = (step.record.id, step.record.name, step.domain)
            self.entries.append(Entry(TransferKind.FAILED, *said, reason=trouble))
        else:
            self.entries += step.entries

    def _tried(self, step: Step, found: Ground) -> Message | None:
        """Why it failed; then nothing of it was done."""
        before = Counter(self.joined)
        try:
            with self.connection.begin_nested():
                self._write(step, found)
        except Unavailable:
            raise
        except ArmariumError as error:
            self.joined = before
            return error.message
        except (IntegrityError, DataError) as error:
            self.joined = before
            reason = str(error.orig).partition("\n")[0]
            return message("The database rejected it: %(reason)s", reason=reason)
        return None

    def _write(self, step: Step, found: Ground) -> None:
        asked, write, link = step.asked, step.write, step.link
        if asked.harvest == TO_BE_MADE:
            number = self._harvest(step.record, found)
            asked = replace(asked, harvest=number)
            write = replace(write, harvest=number) if write and write.harvest == TO_BE_MADE else write
        placed, after = (link.placed, step.before) if link else (None, None)
        if write is not None:
            placing = Placing(
                step.domain,
                placed,
                step.before,
                write,
                list_name(step.record),
                address_of(step.record),
            )
            placed = self.planning.put(self.connection, self.actor, placing)
            after = self._read_back(_linked(step, placed, write), write)
            self._count(step.before.harvest if step.before else None, write.harvest)
        assert placed is not None
        assert after is not None
        tables.put_link(
            self.connection,
            record=step.record.id,
            domain=step.domain,
            placed=placed,
            asked=asked.facts(),
            kept=step.kept(after),
            transfer=self.transfer if write is not None or link is None else link.transfer,
        )

    def _read_back(self, link: Link, written: Setup) -> Setup:
        """As planning keeps it, which may spell a seed in its own way."""
        present = self.planning.present(self.connection, [link])
        return present.get(link.placed.configuration, written)

    def _harvest(self, record: Record, found: Ground) -> int:
        target = found.target(record)
        key = (target.collection, target.frequency.value)
        if key not in self.made:
            number = self.planning.make_harvest(self.connection, self.actor, target.name, target.schedule)
            tables.put_targets(self.connection, [replace(target, harvest=number)])
            self.made[key] = number
        return self.made[key]

    def _count(self, old: int | None, new: int | None) -> None:
        if old != new:
            if old is not None:
                self.joined[old] -= 1
            if new is not None:
                self.joined[new] += 1


def _linked(step: Step, placed: Placed, written: Setup) -> Link:
    """The link as it will be, by which planning finds what it has."""
    facts = written.facts()
    if step.link is not None:
        return replace(step.link, placed=placed, kept={**step.link.kept, "harvest": written.harvest})
    return Link(0, step.record.id, step.domain, placed, facts, facts, None, clock.now())
