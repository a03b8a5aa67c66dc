"""What planning should have for a record, and the difference to what it has. Pure.

Three states are compared: what selection wants now, what it asked for at last, and what planning has now
beside what it had after that. Whatever a person has changed in planning meanwhile stays: a conflict tells.
"""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from armarium.core.message import Message, message
from armarium.selection.collections.model import Collection
from armarium.selection.model import RecordState
from armarium.selection.records.model import Record
from armarium.selection.transfer.mapping import TransferMapping, name_for, target_trouble, trouble
from armarium.selection.transfer.model import SETUP, Change, Choices, Entry, Link, Setup, Target, TransferKind

#: What is taken back when a record is no longer wanted. The rest is left as it was at last.
STANDING = ("active", "harvest")


TO_BE_MADE = 0  # the number of a harvest that there is not yet


@dataclass(frozen=True)
class Ground:
    """What decides about every record alike."""

    collections: Mapping[int, Collection]
    mapping: TransferMapping
    choices: Choices

    def target(self, record: Record) -> Target:
        return self.mapping.target(self.collections[record.collection], record.frequency)

    def targets(self) -> list[tuple[Collection, Target]]:
        """Of each collection, those of the frequencies that it offers."""
        return [
            (collection, self.mapping.target(collection, frequency))
            for collection in self.collections.values()
            for frequency in collection.frequencies
        ]

    def harvest_name(self, number: int | None, target: Target | None = None) -> str | None:
        if number is None:
            return None
        if number == TO_BE_MADE:
            return target.name if target else ""
        known = self.choices.harvests.get(number)
        return known.name if known else str(number)


def is_wanted(record: Record, collection: Collection) -> bool:
    return record.active and record.state is RecordState.VALIDATED and collection.active


def obstacle(record: Record, ground: Ground) -> Message | None:
    """Why the record cannot be transferred; None: it can."""
    return trouble(ground.mapping.mould(record.combination), ground.choices) or target_trouble(
        ground.target(record), ground.choices
    )


def setup_of(record: Record, ground: Ground) -> Setup:
    """For a record without an obstacle."""
    mould = ground.mapping.mould(record.combination)
    assert mould is not None  # it would be an obstacle
    target = ground.target(record)
    return Setup(
        name=name_for(record, mould.pattern),
        seeds="\n".join([record.address, *(one.address for one in record.further)]),
        profile=mould.profile,
        max_objects=mould.max_objects,
        max_bytes=mould.max_bytes,
        overrides=mould.overrides,
        active=True,
        harvest=TO_BE_MADE if target.harvest is None else target.harvest,
    )


def list_name(record: Record) -> str:
    """Of its seed list: by this name a person recognises in planning whose it is."""
    return f"selection {record.id}"


def address_of(record: Record) -> str:
    """Stands in the comments of what is made, and is a link on planning's page of the domain."""
    return f"/selection/records/{record.id}"


@dataclass(frozen=True)
class Planned:
    """What planning has now, of the records that are looked at."""

    present: Mapping[int, Setup]  # by configuration
    stopped: Container[str] = ()  # domains that are inactive
    refused: Mapping[str, Message] = field(default_factory=dict)  # domains that it does not take, and why


@dataclass(frozen=True)
class Step:
    """What is to be done for one record on one domain, and what is said of it."""

    record: Record
    domain: str
    link: Link | None
    asked: Setup
    before: Setup | None = None  # None: planning has nothing of it
    write: Setup | None = None  # None: planning has it already
    entries: tuple[Entry, ...] = ()
    agreed: tuple[str, ...] = SETUP  # fields on which both sides are at one, after this step
    contested: tuple[Change, ...] = ()  # with numbers of harvests, not their names

    def kept(self, after: Setup) -> dict[str, Any]:
        """What planning has, for the link; of what a person changed, what it had before."""
        facts = after.facts()
        if self.link is None:
            return facts
        return {**self.link.kept, **{name: facts[name] for name in self.agreed}}

    @property
    def news(self) -> bool:
        """Whether planning or the link has to be written."""
        if self.write is not None:
            return True
        if self.link is None or self.before is None:
            return False
        return self.link.asked != self.asked.facts() or self.link.kept != self.kept(self.before)


def steps(record: Record, ground: Ground, links: Sequence[Link], planned: Planned) -> list[Step]:
    """In the order in which they are to be done: what is taken out comes first."""
    wanted = is_wanted(record, ground.collections[record.collection])
    against = (planned.refused.get(record.domain) or obstacle(record, ground)) if wanted else None
    if against is not None:
        entry = Entry(TransferKind.UNABLE, record.id, record.name, record.domain, reason=against)
        asked = Setup.of(links[-1].asked) if links else Setup("", "", "", None, None, {}, False, None)
        return [Step(record, record.domain, None, asked, entries=(entry,))]
    old = [one for one in links if not wanted or one.domain != record.domain]
    found = [_taken_out(record, ground, one, planned) for one in old]
    if wanted:
        link = next((one for one in links if one.domain == record.domain), None)
        found.append(_put(record, ground, link, planned))
    return found


def _put(record: Record, ground: Ground, link: Link | None, planned: Planned) -> Step:
    setup = setup_of(record, ground)
    present = planned.present.get(link.placed.configuration) if link else None
    warning = _stopped(record) if record.domain in planned.stopped else ()
    if link is None or present is None:
        entry = Entry(TransferKind.MADE, record.id, record.name, record.domain, _all(record, ground, setup))
        return Step(record, record.domain, None, setup, None, setup, (entry, *warning))
    return _compared(record, ground, link, present, setup, SETUP, TransferKind.CHANGED, warning)


def _taken_out(record: Record, ground: Ground, link: Link, planned: Planned) -> Step:
    asked = replace(Setup.of(link.asked), active=False, harvest=None)
    present = planned.present.get(link.placed.configuration)
    if present is None:
        return Step(record, link.domain, link, asked)
    return _compared(record, ground, link, present, asked, STANDING, TransferKind.TAKEN_OUT)


def _compared(
    record: Record,
    ground: Ground,
    link: Link,
    present: Setup,
    wanted: Setup,
    names: Sequence[str],
    kind: TransferKind,
    warning: tuple[Entry, ...] = (),
) -> Step:
    changes: list[Change] = []
    conflicts: list[Change] = []
    values: dict[str, Any] = {}
    for name in names:
        now, new = getattr(present, name), getattr(wanted, name)
        by_hand = now != link.kept[name]
        if now == new or (not by_hand and new == link.asked[name]):
            continue  # planning may write a value in its own way, which is no change of anybody's
        (conflicts if by_hand else changes).append(Change(name, now, new))
        if not by_hand:
            values[name] = new
    common = (record.id, record.name, link.domain)
    entries = [*warning]
    if changes:
        entries.append(Entry(kind, *common, _named(record, ground, changes)))
    if conflicts:
        entries.append(Entry(TransferKind.CONFLICT, *common, _named(record, ground, conflicts)))
    write = replace(present, **values) if values else None
    contested = {one.name for one in conflicts}
    asked = replace(wanted, **{name: link.asked[name] for name in contested})
    agreed = tuple(name for name in names if name not in contested)
    return Step(record, link.domain, link, asked, present, write, tuple(entries), agreed, tuple(conflicts))


def _stopped(record: Record) -> tuple[Entry, ...]:
    reason: Message = message(
        "The domain %(name)s is inactive in planning: no job takes it. Activate it there if it is to be "
        "harvested, or set the record inactive.",
        name=record.domain,
    )
    return (Entry(TransferKind.CONFLICT, record.id, record.name, record.domain, reason=reason),)


def _all(record: Record, ground: Ground, setup: Setup) -> tuple[Change, ...]:
    facts = setup.facts()
    said = [
        Change(name, None, facts[name])
        for name in SETUP
        if name != "active" and facts[name] not in (None, {})
    ]
    return _named(record, ground, said)


def _named(record: Record, ground: Ground, changes: Sequence[Change]) -> tuple[Change, ...]:
    """With the names of harvests instead of their numbers."""
    target = ground.target(record)
    return tuple(
        Change(one.name, ground.harvest_name(one.old, target), ground.harvest_name(one.new, target))
        if one.name == "harvest"
        else one
        for one in changes
    )
