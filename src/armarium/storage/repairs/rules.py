"""The vote on what a file is. Pure: whoever repairs asks here first.

Every replica that answered with a checksum has one vote, and the register has one. A replica that is away,
has no copy or cannot read it does not vote: its silence is no reason to believe the others less, and none to
believe them more.

Content comes before votes: bytes of which less can be read than of others do not count, however many copies
of them there are. A file that was cut between two records reads well, too: with fewer records it beats
nothing, and a person decides. Of what is left, what the register says wins if a copy agrees with it and no
other checksum has as many votes: no damage ends in a registered SHA-256. Else more than half of the votes
must agree; and where the register has no vote their number alone is not enough, because what damaged one copy
may have damaged two: the content must be better than that of every other copy, or a witness agree with it.
"""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any


class Worth(IntEnum):
    """What the content of a copy says of it."""

    NOTHING = 0  # empty, or no W/ARC: not one record can be read
    DAMAGED = 1  # some records are cut off, or break their digests
    WHOLE = 2  # it reads to its end, and keeps what it says of itself


@dataclass(frozen=True)
class Content:
    worth: Worth
    records: int
    problem: str = ""  # the first damage
    damages: int = 0
    begins: str = ""  # checksums of its first and its last bytes: another file has others
    ends: str = ""

    def beats(self, other: "Content") -> bool:
        return self.worth > other.worth and self.records >= other.records

    def exceeds(self, other: "Content") -> bool:
        """In anything: so it may be the other that lacks something."""
        sounder = self.damages < other.damages and self.worth >= other.worth
        return sounder or self.worth > other.worth or self.records > other.records

    def outdoes(self, other: "Content") -> bool:
        """It has more, and the other is what damage left of it: no longer file that lies in its place."""
        left_of_it = self.begins == other.begins or self.ends == other.ends
        return self.exceeds(other) and (left_of_it or other.worth is Worth.NOTHING)

    def facts(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {**vars(self), "worth": self.worth.name.lower()}

    @classmethod
    def read(cls, facts: Mapping[str, Any] | None) -> "Content | None":
        """None: nobody has looked."""
        return cls(**{**facts, "worth": Worth[facts["worth"].upper()]}) if facts else None


class Outcome(StrEnum):
    CLEAR = "clear"  # it is known what the file is, and a copy with these bytes is there
    TIE = "tie"  # no checksum has enough votes
    AGAINST = "against"  # most voters agree, and not with the register
    UNPROVEN = "unproven"  # most voters agree, and nothing but their number speaks for them
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
    contents: Mapping[str, Content] | None = None,
) -> Verdict:
    """What the votes say. `votes`: replica → its checksum, None if it gave none.

    `holders`: replicas that hold bytes; without it all do. `register_votes`: False for a register that was
    made from the replicas themselves and that nobody has confirmed since; it would only repeat them. An empty
    `register` does not know yet what the file is, so no majority can be against it. `contents`: of the
    bytes behind a checksum, as far as somebody has looked.
    """
    cast = {name: vote for name, vote in votes.items() if vote}
    held = {vote for name, vote in cast.items() if holders is None or name in holders}
    known = {checksum: content for checksum, content in (contents or {}).items() if checksum in held}
    own = register if register_votes else ""
    counted = Counter([*cast.values(), *([own] if own else [])])
    attested = {vote for name, vote in cast.items() if holders is not None and name not in holders}
    for beaten in _beaten(known) - ({own} if own else attested):
        del counted[beaten]
    winner = _leader(counted, own if own in held else "") or _majority(counted)
    # Where nobody but the copies speaks for it:
    doubted = not own and winner in known and _doubted(known, winner, witnesses=attested - held)
    if not winner or doubted:
        return Verdict(Outcome.TIE)
    if not own and winner in held - attested and not _shown(known, winner, cast.values()):
        return Verdict(Outcome.UNPROVEN, winner)
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


def best(known: Mapping[str, Content]) -> str:
    """The checksum of the bytes that beat all others; empty: there is none."""
    beaten = _beaten(known)
    left = [one for one in known if one not in beaten]
    return left[0] if beaten and len(left) == 1 else ""


def _beaten(known: Mapping[str, Content]) -> set[str]:
    """Bytes of which less can be read than of others; what nobody has looked at is not judged."""
    return {one for one, mine in known.items() if any(other.beats(mine) for other in known.values())}


def _doubted(known: Mapping[str, Content], winner: str, *, witnesses: Collection[str]) -> bool:
    """Whether a witness speaks against what is not whole, or other bytes have something that these lack."""
    mine = known[winner]
    against = bool(witnesses) and mine.worth < Worth.WHOLE
    return against or any(other.exceeds(mine) for other in known.values())


def _shown(known: Mapping[str, Content], winner: str, said: Collection[str]) -> bool:
    """Whether all that was said else has been read, and is what damage left of these bytes."""
    others = {one for one in said if one != winner}
    mine = known.get(winner)
    return others <= {one for one, content in known.items() if mine and mine.outdoes(content)}


def _leader(counted: Counter[str], registered: str) -> str:
    """What the register and at least one copy say, if nothing else has as many votes."""
    others = max((count for vote, count in counted.items() if vote != registered), default=0)
    return registered if counted[registered] > others else ""


def _majority(counted: Counter[str]) -> str:
    total = sum(counted.values())
    return next((vote for vote, count in counted.items() if 2 * count > total), "")


def _others(cast: Mapping[str, str], right: str) -> tuple[str, ...]:
    return tuple(sorted(name for name, vote in cast.items() if vote != right))
