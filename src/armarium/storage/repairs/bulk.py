"""Many repairs at once, each on its own: one that cannot be done is told, and does not hold up the others."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.storage.model import RepairState
from armarium.storage.repairs.model import Repair, RepairFilter, likely
from armarium.storage.repairs.rules import Outcome
from armarium.storage.repairs.service import Repairs

MOST_AT_ONCE = 1000  # a page waits for them
NOBODY_KNOWS = message(
    "This rule does not show which copy is right. Compare the copies of this file and choose one."
)


class Deed(StrEnum):
    APPROVE = "approve"
    DECIDE = "decide"
    REFUSE = "refuse"


@dataclass(frozen=True)
class Order:
    """What is to be done with the chosen repairs."""

    deed: Deed
    reason: str = ""  # of a decision or a refusal
    seen_at: datetime | None = None  # when they saw the votes
    like: str = ""  # decide for the bytes that this replica has; empty: for what is likely right
    majority: bool = False  # or for those of most copies, where nothing but their number speaks for them


@dataclass(frozen=True)
class Done:
    count: int
    left: tuple[tuple[Repair, Message], ...]  # those that stay as they are, and why


def do_all(repairs: Repairs, actor: Actor, wanted: RepairFilter, order: Order) -> Done:
    """Do it to the repairs with these numbers, or to all that fit and wait for it, up to `MOST_AT_ONCE`."""
    if order.deed is not Deed.APPROVE and not order.reason.strip():
        raise Refused(message("Enter a reason."), field="why")
    if order.like and order.majority:
        raise Refused(message("Choose the copy of one replica, or the majority of copies."), field="like")
    count, left = 0, []
    for repair in _chosen(repairs, wanted, order.deed):
        try:
            count += _verb(repairs, actor, order)(repair)
        except Refused as refusal:
            left.append((repair, refusal.message))
    return Done(count, tuple(left))


def _chosen(repairs: Repairs, wanted: RepairFilter, deed: Deed) -> list[Repair]:
    if wanted.numbers:
        return [repairs.get(number) for number in wanted.numbers]
    states = {Deed.APPROVE: RepairState.PROPOSED, Deed.DECIDE: RepairState.UNDECIDED}
    waiting = replace(wanted, waiting=True, state=wanted.state or states.get(deed))
    return repairs.page(waiting, limit=MOST_AT_ONCE)[0]


def _verb(repairs: Repairs, actor: Actor, order: Order) -> Callable[[Repair], bool]:
    def approve(repair: Repair) -> bool:
        return bool(repairs.approve(actor, repair.id, order.seen_at))

    def decide(repair: Repair) -> bool:
        right, known = _bytes_of(repair, order), repairs.get(repair.id)
        if not right:
            raise Refused(NOBODY_KNOWS)
        if known.decided_by and known.good_sha256 == right:
            return True  # with that of another copy of the same file
        return bool(repairs.decide(actor, repair.id, right, order.reason, order.seen_at))

    def refuse(repair: Repair) -> bool:
        return bool(repairs.refuse(actor, repair.id, order.reason))

    return {Deed.APPROVE: approve, Deed.DECIDE: decide, Deed.REFUSE: refuse}[order.deed]


def _bytes_of(repair: Repair, order: Order) -> str:
    """Empty: that cannot be told."""
    if order.majority:
        verdict = repair.ballot.verdict if repair.ballot else None
        return verdict.winner if verdict and verdict.outcome is Outcome.UNPROVEN else ""
    if not order.like:
        return likely(repair)
    votes = repair.ballot.votes if repair.ballot else ()
    return next((vote.sha256 for vote in votes if vote.replica == order.like), "")
