"""The words of repairs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from armarium.storage.model import CheckOutcome, RepairState
from armarium.storage.repairs.rules import Content, Outcome, Verdict, best

S = RepairState
OPEN = frozenset({S.PROPOSED, S.APPROVED, S.RUNNING, S.UNDECIDED, S.FAILED})
#: Those that go on by themselves; the others wait for a person or have ended.
AT_WORK = frozenset({S.APPROVED, S.RUNNING, S.FAILED})


@dataclass(frozen=True)
class Vote:
    """What a replica answered when it was asked for the checksum of a file."""

    replica: str
    outcome: CheckOutcome
    sha256: str
    size: int
    at: datetime
    holds_bytes: bool = True
    content: Content | None = None  # None: nobody had to look

    def facts(self) -> dict[str, Any]:
        """As JSON keeps it."""
        return {
            "outcome": self.outcome.value,
            "sha256": self.sha256,
            "size": self.size,
            "at": self.at.isoformat(),
            "holds_bytes": self.holds_bytes,
            "content": self.content.facts() if self.content else None,
        }

    @classmethod
    def read(cls, replica: str, facts: Mapping[str, Any]) -> "Vote":
        return cls(
            replica,
            CheckOutcome(facts["outcome"]),
            facts["sha256"],
            facts["size"],
            datetime.fromisoformat(facts["at"]),
            facts["holds_bytes"],
            Content.read(facts.get("content")),
        )


@dataclass(frozen=True)
class Ballot:
    """All that was answered when a repair last asked, and what follows from it."""

    register: str  # empty: it has no vote, because it was made from the replicas
    votes: tuple[Vote, ...]
    verdict: Verdict

    @property
    def at(self) -> datetime | None:
        """When the last of them answered."""
        return max((vote.at for vote in self.votes), default=None)

    def facts(self) -> dict[str, Any]:
        return {
            "register": self.register,
            "replicas": {vote.replica: vote.facts() for vote in self.votes},
            "outcome": self.verdict.outcome.value,
            "winner": self.verdict.winner,
        }

    @classmethod
    def read(cls, facts: Mapping[str, Any]) -> "Ballot | None":
        """None: nobody has been asked yet."""
        if not facts:
            return None
        votes = (Vote.read(name, vote) for name, vote in sorted(facts["replicas"].items()))
        return cls(facts["register"], tuple(votes), Verdict(Outcome(facts["outcome"]), facts["winner"]))


@dataclass(frozen=True)
class Approval:
    account: int
    name: str
    at: datetime


@dataclass(frozen=True)
class Repair:
    id: int
    file: int
    file_name: str
    replica: int
    replica_name: str
    state: RepairState
    reason: CheckOutcome  # missing, corrupt, unreadable
    ballot: Ballot | None
    good_sha256: str
    bad_sha256: str
    aside: str
    proposed_at: datetime
    decided_by: str
    ended_at: datetime | None
    attempts: int
    error: str
    approvals: tuple[Approval, ...] = field(default=())

    @property
    def open(self) -> bool:
        return self.state in OPEN

    @property
    def right(self) -> str:
        """The checksum that is held to be right; empty: that is open, also where there is a majority that a
        person has to confirm."""
        if self.good_sha256 or self.ballot is None:
            return self.good_sha256
        verdict = self.ballot.verdict
        return "" if verdict.outcome in {Outcome.AGAINST, Outcome.UNPROVEN} else verdict.winner


@dataclass(frozen=True)
class RepairFilter:
    """Which repairs somebody asks for; None means: all."""

    state: RepairState | None = None
    replica: int | None = None
    file: int | None = None
    waiting: bool = False  # only those that wait for a person
    until: int | None = None  # the newest that was seen: later ones are not meant
    numbers: tuple[int, ...] = ()


def choices(repair: Repair) -> list[tuple[str, list[str]]]:
    """The checksums that a person may decide for: those of which a replica has the bytes."""
    found: dict[str, list[str]] = {}
    for vote in repair.ballot.votes if repair.ballot else ():
        if vote.sha256 and vote.holds_bytes:
            found.setdefault(vote.sha256, []).append(vote.replica)
    return sorted(found.items(), key=lambda one: (-len(one[1]), one[0]))


def likely(repair: Repair) -> str:
    """What the register says, else a witness: damage to bytes cannot have reached them; else the only bytes
    of which more can be read than of all others. Empty: nobody can tell."""
    if repair.ballot is None:
        return ""
    votes = [vote for vote in repair.ballot.votes if vote.sha256]
    witnesses = (vote.sha256 for vote in votes if not vote.holds_bytes)
    return repair.ballot.register or next(
        witnesses, best({one.sha256: one.content for one in votes if one.content})
    )
