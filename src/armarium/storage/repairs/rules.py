"""The vote on what a file is. Pure: whoever repairs asks here first.

Every replica that answered with a checksum has one vote, and the register has one. More than half of the
votes cast must agree. A replica that is away, has no copy or cannot read it does not vote: its silence is no
reason to believe the others less, and none to believe them more.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Outcome(StrEnum):
    CLEAR = "clear"  # the register and most voters agree, and a copy with these bytes is there
    TIE = "tie"  # no checksum has more than half of the votes
    AGAINST = "against"  # most voters agree, and not with the register
    LOST = "lost"  # the votes are clear, and no replica has these bytes any more


@dataclass(frozen=True)
class Verdict:
    outcome: Outcome
    winner: str = ""  # the checksum with most of the votes, if there is one
    healthy: tuple[str, ...] = ()  # replicas from which a copy can be made
    bad: tuple[str, ...] = ()  # voters that said something else

    @property
    def clear(self) -> bool:
        return self.outcome is Outcome.CLEAR


def decide(
    register: str,
    votes: Mapping[str, str | None],
    *,
    holders: Collection[str] | None = None,
    register_votes: bool = True,
) -> Verdict:
    """What the votes say. `votes`: replica → its checksum, None if it gave none.

    `holders`: replicas that hold bytes; without it all do. `register_votes`: False for a register that was
    made from the replicas themselves and that nobody has confirmed since; it would only repeat them. An empty
    `register` does not know yet what the file is, so no majority can be against it.
    """
    cast = {name: vote for name, vote in votes.items() if vote}
    counted = Counter(cast.values())
    if register_votes and register:
        counted[register] += 1
    winner = _majority(counted)
    if not winner:
        return Verdict(Outcome.TIE)
    healthy = holding(winner, cast, holders)
    bad = _others(cast, winner)
    if register and winner != register:
        return Verdict(Outcome.AGAINST, winner, healthy, bad)
    return Verdict(Outcome.CLEAR if healthy else Outcome.LOST, winner, healthy, bad)


def holding(
    checksum: str, votes: Mapping[str, str | None], holders: Collection[str] | None = None
) -> tuple[str, ...]:
    """The replicas that have bytes with this checksum."""
    return tuple(
        sorted(
            name for name, vote in votes.items() if vote == checksum and (holders is None or name in holders)
        )
    )


def _majority(counted: Counter[str]) -> str:
    total = sum(counted.values())
    return next((vote for vote, count in counted.items() if 2 * count > total), "")


def _others(cast: Mapping[str, str], right: str) -> tuple[str, ...]:
    return tuple(sorted(name for name, vote in cast.items() if vote != right))
