"""Ask every replica what it has of a file: all bytes are read, now. No transaction is open meanwhile."""

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from hashlib import sha256
from os import SEEK_END
from typing import BinaryIO, cast

import structlog

from armarium.core import clock
from armarium.formats.validation import Options, validate
from armarium.storage.backends.place import Away, Missing, Place, Stopping, Unreadable
from armarium.storage.files.checking import CopyChecker, Finding, Subject
from armarium.storage.files.model import Copy
from armarium.storage.model import UNFINISHED, CheckOutcome, File, Replica, ReplicaKind, ReplicaState
from armarium.storage.repairs.model import Repair, Vote
from armarium.storage.repairs.rules import Content, Worth
from armarium.storage.replicas.service import Replicas
from armarium.tasks.failure import TaskStopped

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
        finding = CopyChecker(replicas.place(replica)).checksum(subject, stopping)
    except Away as away:
        replicas.note_away(replica, away.message)
        vote = Vote(replica.name, CheckOutcome.AWAY, "", 0, clock.now(), with_bytes)
        return Answer(vote, None, str(away))
    vote = Vote(replica.name, finding.outcome, finding.sha256, finding.size, clock.now(), with_bytes)
    return Answer(vote, finding)


# What the content of a copy says of it


log = structlog.get_logger(__name__)

#: Findings of the validator that damage leaves behind. Others, a date in the wrong form say, the file has had
#: since it was written, in all its copies.
DAMAGES = frozenset(
    {
        *("gzip-method", "gzip-header-crc", "gzip-crc32-mismatch", "gzip-isize-mismatch", "gzip-truncated"),
        *("gzip-deflate-invalid", "gzip-trailing-data", "gzip-trailing-zeros", "gzip-lost-range"),
        *("gzip-search-ended", "zstd-truncated", "zstd-invalid", "zstd-checksum-mismatch", "zstd-lost-range"),
        *("zstd-trailing-data", "zstd-dictionary-invalid", "warc-data-before", "warc-trailing-data"),
        *("warc-block-truncated", "warc-length-too-large", "warc-length-too-small", "warc-trailer"),
        *("warc-problems-too-many", "warc-version-invalid", "warc-version-unknown", "warc-header-truncated"),
        *("warc-header-too-long", "warc-header-control", "warc-block-digest", "warc-payload-digest"),
        *("arc-data-before", "arc-trailing-data", "arc-header-truncated", "arc-block-truncated"),
        *("arc-length-too-large", "arc-length-too-small", "arc-version-block-missing"),
        # What was appended to itself, or to another, reads well otherwise.
        *("warc-id-repeated", "arc-version-block-again"),
    }
)
#: Bytes in which two files differ: names, dates and numbers stand there, or checksums.
EDGE = 128


def weigh(file: BinaryIO, name: str, stopping: Stopping) -> Content:
    """Read all of it. Raises `OSError` where it cannot be read, and nothing because of its content."""
    begins, ends = _edges(file)
    report = validate(cast(BinaryIO, _Stoppable(file, stopping)), name=name, options=Options(limit=1))
    if not report.records:
        return Content(Worth.NOTHING, 0, report.problems[0].message if report.problems else "")
    damage = next((one.message for one in report.problems if one.code in DAMAGES), "")
    damages = sum(count for code, count in report.counts.items() if code in DAMAGES)
    worth = Worth.DAMAGED if damage else Worth.WHOLE
    return Content(worth, report.records, damage, damages, begins, ends)


def _edges(file: BinaryIO) -> tuple[str, str]:
    begins = file.read(EDGE)
    file.seek(max(0, file.seek(0, SEEK_END) - EDGE))
    ends = file.read(EDGE)
    file.seek(0)
    return sha256(begins).hexdigest()[:16], sha256(ends).hexdigest()[:16]


def weigh_copies(name: str, copies: Iterable[tuple[str, Place]], stopping: Stopping) -> dict[str, Content]:
    """Checksum → content, each from the first copy that can be read. `copies`: checksum and where it lies."""
    found: dict[str, Content] = {}
    for checksum, place in copies:
        if checksum in found or not place.holds_bytes:
            continue
        try:
            with place.open(name) as file:
                found[checksum] = weigh(file, name, stopping)
        except (OSError, Away, Missing, Unreadable) as error:
            log.warning("copy cannot be weighed", file=name, replica=place.replica.name, reason=str(error))
    return found


class _Stoppable:
    """A file that is not read on when the process has to end: some are as long as a disk."""

    def __init__(self, file: BinaryIO, stopping: Stopping) -> None:
        self._file = file
        self._stopping = stopping

    def read(self, count: int = -1) -> bytes:
        if self._stopping():
            raise TaskStopped
        return self._file.read(count)

    def seekable(self) -> bool:
        return self._file.seekable()

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)
