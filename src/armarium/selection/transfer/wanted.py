"""What planning should have for a record. Pure: record, mapping and planning's choices are given."""

from collections.abc import Mapping
from dataclasses import dataclass

from armarium.core.message import Message
from armarium.selection.collections.model import Collection
from armarium.selection.model import State
from armarium.selection.records.model import Record
from armarium.selection.transfer.mapping import TransferMapping, name_for, target_trouble, trouble
from armarium.selection.transfer.model import Setup, Target
from armarium.selection.transfer.planned import Choices

TO_BE_MADE = 0  # the number of a harvest that there is not yet


@dataclass(frozen=True)
class Ground:
    """What decides about every record alike."""

    collections: Mapping[int, Collection]
    mapping: TransferMapping
    choices: Choices

    def target(self, record: Record) -> Target:
        return self.mapping.target(self.collections[record.collection], record.frequency)

    def harvest_name(self, number: int | None, target: Target | None = None) -> str | None:
        if number is None:
            return None
        if number == TO_BE_MADE:
            return target.name if target else ""
        known = self.choices.harvests.get(number)
        return known.name if known else str(number)


def is_wanted(record: Record, collection: Collection) -> bool:
    return record.active and record.state is State.VALIDATED and collection.active


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
