"""What follows from the answers of the replicas: in one transaction a repair is begun, waits, or ends."""

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection

from armarium.core import clock
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.storage import history
from armarium.storage.backends.copies import UNREAD
from armarium.storage.files import checking
from armarium.storage.files import queries as files_queries
from armarium.storage.files.checking import AUDITED, DAMAGE, Subject
from armarium.storage.files.model import Copy, Successor, as_stored
from armarium.storage.history import EventKind
from armarium.storage.model import CheckOutcome, CopyState, File, FileState, Origin, RepairState, moved
from armarium.storage.repairs import queries
from armarium.storage.repairs.model import AT_WORK, Ballot, Repair
from armarium.storage.repairs.queries import TOPIC, propose
from armarium.storage.repairs.rules import Outcome, Verdict, Worth, decide, holding
from armarium.storage.repairs.votes import Answer, Answers
from armarium.tasks.service import Tasks

AGREED = {"agreed": True}  # of a rebuild to which all replicas said the same

#: A copy that does not stay well after so many tries is no matter of copying any more.
MOST_ATTEMPTS = 5

WHY: dict[Outcome, Message] = {
    Outcome.TIE: message("Neither the votes nor the content of the copies show which one is right."),
    Outcome.AGAINST: message("Most replicas agree with each other, but not with the register."),
    Outcome.UNPROVEN: message(
        "Most replicas agree, but nothing else supports them: copies damaged in the same way would look like "
        "this too."
    ),
    Outcome.LOST: message("The right content is known, but no replica has it any more."),
}


class Next(StrEnum):
    ENDED = "ended"  # the copy is well, or there is nothing to do
    AGAIN = "again"  # somebody who has to be asked is away
    ASK = "ask"  # a person has to approve or to decide
    GO = "go"


@dataclass(frozen=True)
class Settled:
    next: Next
    ballot: Ballot
    why: str = ""


@dataclass(frozen=True)
class Case:
    """A repair with its file, and all that was answered."""

    repair: Repair
    file: File
    subject: Subject  # what the copies were compared with
    copy: Copy
    answers: Answers

    @property
    def target(self) -> Answer:
        return self.answers.of[self.repair.replica]

    def allowed(self, winner: str) -> bool:
        """Whether it may go on, to the very content that was approved or begun with."""
        return self.repair.state in AT_WORK and self.repair.good_sha256 in {"", winner}


def verdict_of(connection: Connection, case: Case) -> Verdict:
    repair, answers = case.repair, case.answers
    if repair.decided_by:
        healthy = holding(repair.good_sha256, answers.votes, answers.holders)
        return Verdict(Outcome.CLEAR if healthy else Outcome.LOST, repair.good_sha256, healthy)
    return voted(case.file, answers, register_votes=register_votes(connection, case.file))


def voted(file: File, answers: Answers, *, register_votes: bool) -> Verdict:
    return decide(
        file.sha256,
        answers.votes,
        holders=answers.holders,
        register_votes=register_votes,
        contents=answers.contents,
    )


def register_votes(connection: Connection, file: File) -> bool:
    """A register that was made from the replicas only repeats them, where they did not all agree and until a
    person has confirmed it; so long nothing is repaired without one."""
    if file.origin is not Origin.REBUILD:
        return True
    return queries.was_noted(connection, file.id, EventKind.CONTENT_CONFIRMED, {}) or queries.was_noted(
        connection, file.id, EventKind.REBUILT, AGREED
    )


def confirm(connection: Connection, file: File, repair: int, by: str) -> bool:
    """A person says that the register is right about the file; False if it has its vote already."""
    if register_votes(connection, file):
        return False
    details = {"repair": repair, "sha256": file.sha256}
    history.note(connection, EventKind.CONTENT_CONFIRMED, file=file.id, actor=by, details=details)
    return True


def learn(connection: Connection, repair: Repair, file: File, answers: Answers) -> bool:
    """Enter what the file is, if the replicas did not agree on it at the rebuild and most of them do now."""
    verdict = decide(
        "", answers.votes, holders=answers.holders, register_votes=False, contents=answers.contents
    )
    if not verdict.clear or answers.away:
        return False
    size = next(one.vote.size for one in answers.of.values() if one.vote.sha256 == verdict.winner)
    files_queries.change(connection, file.id, sha256=verdict.winner, size=size, trouble="")
    details = {"repair": repair.id, "before": "", "sha256": verdict.winner}
    history.note(connection, EventKind.CONTENT_DECIDED, file=file.id, details=details)
    return True


def settle(
    connection: Connection, tasks: Tasks, successor: Successor, case: Case, *, automatic: bool
) -> Settled:
    """Write the answers down, and say what is to be done next."""
    repair = case.repair
    verdict = verdict_of(connection, case)
    allowed, confirmed = case.allowed(verdict.winner), register_votes(connection, case.file)
    if allowed and verdict.clear and case.subject.sha256 != case.file.sha256:
        _adopt(connection, successor, case)
    votes = tuple(answer.vote for answer in case.answers.of.values())
    ballot = Ballot(case.file.sha256 if confirmed else "", votes, verdict)
    _note_answers(connection, tasks, case)
    queries.save(connection, repair.id, votes=ballot.facts())
    announce(connection, TOPIC)
    if case.target.finding is None:
        return _wait(connection, case, ballot, case.target.why)
    if case.target.finding.outcome is CheckOutcome.OK:
        return _well(connection, case, ballot)
    # Where the register does not know the file yet, a copy must not be moved: it may be the right one.
    if not verdict.clear or not case.subject.sha256:
        if case.answers.away:
            return _wait(connection, case, ballot, case.answers.away)
        return give_to_people(connection, case, ballot, str(WHY[verdict.outcome]))
    if repair.attempts >= MOST_ATTEMPTS:
        return give_to_people(connection, case, ballot, repair.error)
    if not allowed and not (automatic and confirmed and not repair.decided_by):
        return _propose(connection, case, ballot)
    return _begin(connection, case, ballot)


def _propose(connection: Connection, case: Case, ballot: Ballot) -> Settled:
    """Wait for approval; one that was given for another content does not hold any more."""
    repair = case.repair
    seen = repair.ballot.verdict.winner if repair.ballot else ""
    if repair.state in AT_WORK or seen != ballot.verdict.winner:
        queries.forget_approvals(connection, repair.id)
        put_back(connection, repair, case.target.finding.outcome if case.target.finding else None)
    good = repair.good_sha256 if repair.decided_by else ""
    queries.save(connection, repair.id, state=RepairState.PROPOSED, error="", good_sha256=good)
    return Settled(Next.ASK, ballot)


def _adopt(connection: Connection, successor: Successor, case: Case) -> None:
    """A person decided against the register: from now on the file is what they said."""
    file, subject = case.file, case.subject
    files_queries.change(connection, file.id, sha256=subject.sha256, size=subject.size, blake3="")
    if not file.sha256:
        files_queries.change(connection, file.id, trouble="")
    details = {"repair": case.repair.id, "before": file.sha256, "sha256": subject.sha256}
    history.note(
        connection, EventKind.CONTENT_DECIDED, file=file.id, actor=case.repair.decided_by, details=details
    )
    changed = files_queries.one(connection, file.id)
    assert changed is not None
    confirm(connection, changed, case.repair.id, case.repair.decided_by)
    if file.state is FileState.STORED:
        successor.restored(connection, as_stored(changed))


def _note_answers(connection: Connection, tasks: Tasks, case: Case) -> None:
    for replica, answer in case.answers.of.items():
        if answer.finding is None:
            continue
        if replica == case.repair.replica and case.copy.state not in AUDITED:
            checking.write_finding(connection, replica, answer.finding)
        elif checking.note_finding(connection, replica, answer.finding) and answer.finding.outcome in DAMAGE:
            propose(connection, tasks, case.file.id, replica, answer.finding.outcome, again=False)


def _wait(connection: Connection, case: Case, ballot: Ballot, why: str) -> Settled:
    queries.save(connection, case.repair.id, error=why)
    return Settled(Next.AGAIN, ballot, why)


def _well(connection: Connection, case: Case, ballot: Ballot) -> Settled:
    """The copy is what it should be: we were interrupted at the last step, or it was well all the time."""
    begun = case.repair.state in {RepairState.RUNNING, RepairState.FAILED}
    end(connection, case.repair, RepairState.DONE if begun else RepairState.VOID, case.subject.sha256)
    return Settled(Next.ENDED, ballot)


def give_to_people(connection: Connection, case: Case, ballot: Ballot, why: str) -> Settled:
    repair = case.repair
    put_back(connection, repair, case.target.finding.outcome if case.target.finding else None)
    queries.save(connection, repair.id, state=RepairState.UNDECIDED, error=why, decided_by="", good_sha256="")
    queries.forget_approvals(connection, repair.id)
    if repair.state is not RepairState.UNDECIDED:
        details = {"repair": repair.id, "outcome": ballot.verdict.outcome.value}
        history.note(
            connection, EventKind.REPAIR_UNDECIDED, file=repair.file, replica=repair.replica, details=details
        )
    return Settled(Next.ASK, ballot, why)


def put_back(connection: Connection, repair: Repair, found: CheckOutcome | None) -> None:
    """A copy that is not repaired after all is called what it is."""
    held = files_queries.held_copy(connection, repair.file, repair.replica)
    if held is None or held.state is not CopyState.REPAIRING:
        return
    state = DAMAGE.get(found or CheckOutcome.CORRUPT, CopyState.CORRUPT)
    change_state(connection, repair, held.state, state)


def change_state(connection: Connection, repair: Repair, present: CopyState, to: CopyState) -> None:
    values = {"state": moved(present, to).value, "changed_at": clock.now(), "error": ""}
    files_queries.change_copy(connection, repair.file, repair.replica, **values)


def _begin(connection: Connection, case: Case, ballot: Ballot) -> Settled:
    repair, finding = case.repair, case.target.finding
    assert finding is not None
    held = files_queries.held_copy(connection, repair.file, repair.replica)
    if held is not None and held.state is CopyState.CORRUPT:
        change_state(connection, repair, held.state, CopyState.REPAIRING)
    bad = repair.bad_sha256 if finding.outcome is CheckOutcome.MISSING else finding.sha256 or UNREAD
    queries.save(
        connection,
        repair.id,
        state=RepairState.RUNNING,
        good_sha256=ballot.verdict.winner,
        bad_sha256=bad,
        attempts=repair.attempts + 1,
        error="",
    )
    details = {"repair": repair.id, "found": finding.outcome.value, "sha256": finding.sha256}
    history.note(
        connection, EventKind.REPAIR_BEGUN, file=repair.file, replica=repair.replica, details=details
    )
    return Settled(Next.GO, ballot)


def end(connection: Connection, repair: Repair, state: RepairState, sha256: str) -> None:
    """The copy is well: by the repair, or it turned out to be."""
    held = files_queries.held_copy(connection, repair.file, repair.replica)
    if held is not None and held.state in {CopyState.REPAIRING, CopyState.MISSING, CopyState.CORRUPT}:
        change_state(connection, repair, held.state, CopyState.ACCEPTED)
    queries.save(connection, repair.id, state=state, ended_at=clock.now(), error="")
    details = {"repair": repair.id, "sha256": sha256}
    kind = EventKind.REPAIRED if state is RepairState.DONE else EventKind.REPAIR_VOID
    history.note(connection, kind, file=repair.file, replica=repair.replica, details=details)
    announce(connection, TOPIC)


ACTIONS: dict[str, Message] = {
    "repair.approved": message("Repair approved"),
    "repair.decided": message("Content of a file decided"),
    "repair.refused": message("Repair rejected"),
}
WORDS: dict[str, Message] = {
    "reason": message("Reason"),
    "repair": message("Repair"),
    "sha256": message("SHA-256"),
}
S = RepairState
#: With the tone of its badge.
STATES: dict[RepairState, tuple[str, Message]] = {
    S.PROPOSED: ("waiting", message("needs approval")),
    S.APPROVED: ("busy", message("approved")),
    S.RUNNING: ("busy", message("being repaired")),
    S.DONE: ("good", message("repaired")),
    S.REFUSED: ("neutral", message("rejected")),
    S.UNDECIDED: ("bad", message("needs a decision")),
    S.FAILED: ("warning", message("failed, will be retried")),
    S.VOID: ("good", message("was intact")),
}
VERDICTS: dict[Outcome, Message] = {
    Outcome.CLEAR: message("The votes and the content of the copies show which one is right."),
    **WHY,
}
#: Of the content of a copy, with the tone of its badge.
CONTENTS: dict[Worth, tuple[str, Message]] = {
    Worth.WHOLE: ("good", message("complete")),
    Worth.DAMAGED: ("bad", message("damaged")),
    Worth.NOTHING: ("bad", message("not a W/ARC file")),
}
