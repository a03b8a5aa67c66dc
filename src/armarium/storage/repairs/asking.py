"""Ask every replica what it has of a file: all bytes are read, now. No transaction is open meanwhile."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from armarium.core import clock
from armarium.storage.audits.judging import Judge
from armarium.storage.audits.model import Finding, Subject
from armarium.storage.backends.place import Away, Stopping
from armarium.storage.files.model import Copy
from armarium.storage.model import UNFINISHED, CheckOutcome, File, Replica, ReplicaKind, ReplicaState
from armarium.storage.repairs.model import Repair, Vote
from armarium.storage.repairs.rules import Content
from armarium.storage.repairs.weighing import weigh_copies
from armarium.storage.replicas.service import Replicas

MOST_AT_ONCE = 4


@dataclass(frozen=True)
class Answer:
    vote: Vote
    finding: Finding | None  # None: the replica is away
    why: str = ""  # it is


@dataclass(frozen=True)
class Answers:
    of: Mapping[int, Answer]  # replica → its answer

    @property
    def votes(self) -> dict[str, str | None]:
        return {one.vote.replica: one.vote.sha256 or None for one in self.of.values()}

    @property
    def holders(self) -> set[str]:
        return {one.vote.replica for one in self.of.values() if one.vote.holds_bytes}

    @property
    def contents(self) -> dict[str, Content]:
        """Of the bytes behind a checksum, as far as somebody has looked."""
        return {one.vote.sha256: one.vote.content for one in self.of.values() if one.vote.content}

    @property
    def away(self) -> str:
        """Why the first that is away is; empty: all have answered."""
        return next((one.why for one in self.of.values() if one.finding is None), "")


def subject_of(file: File, repair: Repair) -> Subject:
    """What the copies are compared with: the register, or what a person has decided against it."""
    subject = Subject(file.id, file.name, file.size, file.sha256, "")
    if not repair.decided_by or repair.good_sha256 == file.sha256 or repair.ballot is None:
        return subject
    sizes = [vote.size for vote in repair.ballot.votes if vote.sha256 == repair.good_sha256]
    return replace(subject, sha256=repair.good_sha256, size=sizes[0] if sizes else file.size)


def ask(
    subject: Subject, copies: Sequence[Copy], replicas: Replicas, stopping: Stopping, *, rebuilt: bool = False
) -> Answers:
    """Retired replicas are not asked. Copies on their way have not been accepted once: nobody asks them,
    unless the file was `rebuilt`: then one may lie in a replica that was added only afterwards."""
    asked = [
        copy.replica
        for copy in copies
        if (rebuilt or copy.state not in UNFINISHED) and copy.replica.state is not ReplicaState.RETIRED
    ]
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        given = pool.map(lambda one: _answer(subject, one, replicas, stopping), asked)
        return Answers({one.id: answer for one, answer in zip(asked, given, strict=True)})


def weighed(name: str, answers: Answers, replicas: Replicas, stopping: Stopping) -> Answers:
    """The answers with what the content of the copies says: every kind of bytes is read once as a W/ARC."""
    held = [
        (answer.vote.sha256, replicas.place(replicas.get(number)))
        for number, answer in answers.of.items()
        if answer.vote.sha256
    ]
    contents = weigh_copies(name, held, stopping)
    return Answers(
        {
            number: replace(answer, vote=replace(answer.vote, content=contents.get(answer.vote.sha256)))
            if answer.vote.holds_bytes
            else answer
            for number, answer in answers.of.items()
        }
    )


def _answer(subject: Subject, replica: Replica, replicas: Replicas, stopping: Stopping) -> Answer:
    with_bytes = replica.kind is not ReplicaKind.CHECKSUM
    try:
        finding = Judge(replicas.place(replica)).checksum(subject, stopping)
    except Away as away:
        replicas.note_away(replica, away.message)
        vote = Vote(replica.name, CheckOutcome.AWAY, "", 0, clock.now(), with_bytes)
        return Answer(vote, None, str(away))
    vote = Vote(replica.name, finding.outcome, finding.sha256, finding.size, clock.now(), with_bytes)
    return Answer(vote, finding)
