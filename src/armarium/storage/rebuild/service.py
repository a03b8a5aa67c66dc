"""The register of files, made anew from the replicas alone."""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

import structlog
from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.storage.backends.place import Away, Held, Missing, Place, Unreadable
from armarium.storage.files.model import Successor
from armarium.storage.intake.sources import Look, look
from armarium.storage.model import CheckOutcome, Replica
from armarium.storage.rebuild.entering import UNDECIDED, Entering, known_names, outcome_of, set_archive
from armarium.storage.rebuild.model import Found, Progress, Report, Vote, silent
from armarium.storage.repairs.queries import REPLICAS_AT_REST
from armarium.storage.repairs.rules import Verdict, decide
from armarium.storage.repairs.votes import weigh_copies
from armarium.storage.replicas.model import holds_bytes
from armarium.storage.replicas.queries import any_file
from armarium.storage.replicas.service import Replicas
from armarium.tasks.context import never
from armarium.tasks.failure import TaskStopped

log = structlog.get_logger(__name__)

TOPIC = "files"
AT_ONCE = 100  # names between two looks at the register
ALGORITHMS = ("sha256", "blake3")
AT_WORK = message(
    "A repair or another rebuild is running, and the replicas must not change while they are "
    "read. Try again when it has ended; repairs wait for a rebuild."
)


@dataclass(frozen=True)
class Plan:
    """How one rebuild goes about it."""

    places: Sequence[Place]
    entering: Entering | None  # none: nothing is written
    threads: int
    report: Report
    stopping: Callable[[], bool]


class Rebuild:
    def __init__(self, database: Database, replicas: Replicas, successor: Successor) -> None:
        self._database = database
        self._replicas = replicas
        self._successor = successor
        self._counting = threading.Lock()

    def adopt(self, actor: Actor, archive: str) -> None:
        """Take the replicas of an archive whose database is lost for one's own."""
        with self._database.transaction() as connection:
            _refuse_mixing(connection)
            set_archive(connection, archive)
            record(connection, actor, "archive.adopted", Subject("archive", archive, archive))
        self._replicas.watch()  # those that belonged to another archive until now do answer

    def run(
        self,
        actor: Actor,
        *,
        dry_run: bool = False,
        archive: str = "",
        without: Collection[str] = (),
        threads: int = 2,
        progress: Progress = silent,
        stopping: Callable[[], bool] = never,
    ) -> Report:
        """Enter every file that a replica has and the register does not. All bytes are read.

        Rows that are there are never touched, so whatever was interrupted is simply asked once more. With
        `archive` the replicas are those of an archive whose database is lost, and this one becomes it.
        """
        asked, absent = self._asked(without)
        report = Report(tuple(asked))
        progress(report)
        entering = None if dry_run else Entering(self._database, self._successor, absent)
        try:
            with self._database.holding(REPLICAS_AT_REST) as at_rest:
                if not at_rest:
                    raise Refused(AT_WORK)
                places = self._glanced_at(asked, archive)
                if entering:
                    places = self._opened(actor, asked, archive)
                self._read(Plan(places, entering, threads, report, stopping), progress)
        except Away as away:
            raise _incomplete(away) from away
        if not dry_run:
            self._end(actor, report)
        return report

    def _read(self, plan: Plan, progress: Progress) -> None:
        for place in plan.places:
            for names in self._new_names(plan, place):
                self._enter_all(plan, names)
                progress(plan.report)

    def voters(self, without: Collection[str] = ()) -> list[Replica]:
        """The replicas that a rebuild would ask."""
        return self._asked(without)[0]

    def _asked(self, without: Collection[str]) -> tuple[list[Replica], list[Replica]]:
        in_use = self._replicas.in_use()
        unknown = sorted(set(without) - {replica.name for replica in in_use})
        if unknown:
            raise Refused(
                message("There is no replica named %(name)s in use.", name=unknown[0]), field="without"
            )
        asked = [replica for replica in in_use if replica.name not in without]
        if not asked:
            raise Refused(message("No replica is left to ask."), field="without")
        return asked, [replica for replica in in_use if replica.name in without]

    def _glanced_at(self, asked: Sequence[Replica], archive: str) -> list[Place]:
        """All of them answer as replicas of that archive, or nothing is begun: no folder is claimed, and a
        name that was mistyped is not adopted."""
        if archive:
            with self._database.transaction() as connection:
                _refuse_mixing(connection)
        places = [self._replicas.glance(replica, archive) for replica in asked]
        for place in places:
            place.check()
        return places

    def _opened(self, actor: Actor, asked: Sequence[Replica], archive: str) -> list[Place]:
        if archive:
            self.adopt(actor, archive)
        return [self._replicas.place(replica) for replica in asked]

    def _new_names(self, plan: Plan, place: Place) -> Iterator[list[str]]:
        """Names in this place that neither the register knows nor a place before it has."""
        earlier = list(plan.places[: plan.places.index(place)])
        held = place.names(strange=partial(plan.report.tell_strange, place.replica.name))
        while some := list(islice(held, AT_ONCE)):
            if plan.stopping():
                raise TaskStopped
            names = [one.name for one in some if not _is_in(earlier, one)]
            with self._database.transaction() as connection:
                known = known_names(connection, names)
            plan.report.met += len(names)
            plan.report.known += len(known)
            yield [name for name in names if name not in known]

    def _enter_all(self, plan: Plan, names: Sequence[str]) -> None:
        with ThreadPoolExecutor(plan.threads, "rebuild") as pool:
            for _ in pool.map(lambda name: self._enter(plan, name), names):
                pass

    def _enter(self, plan: Plan, name: str) -> None:
        votes = tuple(_vote(place, name, plan.stopping) for place in plan.places)
        found = Found(name, votes, _withdrawal(plan.places, name))
        if not found.agreed:
            found = _weighed(plan, found)
        holders = {place.replica.name for place in plan.places if place.holds_bytes}
        verdict = decide("", found.checksums, holders=holders, register_votes=False, contents=found.contents)
        seen = self._look(plan, name, verdict)
        if plan.entering and not plan.entering.enter(found, verdict, seen):
            return
        with self._counting:
            _count(plan.report, found, verdict, seen)

    def _look(self, plan: Plan, name: str, verdict: Verdict) -> Look:
        """What the file says of itself, from a copy that is right; of an undecided one its name must do."""
        for place in plan.places:
            if place.replica.name not in verdict.healthy:
                continue
            try:
                with place.open(name) as file:
                    return look(file)
            except (OSError, Away, Missing, Unreadable) as error:
                log.warning(
                    "copy cannot be looked at", file=name, replica=place.replica.name, reason=str(error)
                )
        return Look("")

    def _end(self, actor: Actor, report: Report) -> None:
        told = {
            "clear": report.clear,
            "undecided": report.undecided,
            "withdrawn": report.withdrawn,
            "damaged": report.damaged,
            "bytes": report.bytes,
        }
        with self._database.transaction() as connection:
            record(connection, actor, "register.rebuilt", Subject("register", "", ""), after=told)
            announce(connection, TOPIC)
        log.info("register rebuilt", **told)


def _incomplete(away: Away) -> Refused:
    return Refused(
        message(
            "%(why)s The rebuild needs every replica, since they vote; what it has entered stays. If a "
            "replica is lost for good, leave it out (--without NAME); if it only came with a new database, "
            "retire it.",
            why=away,
        )
    )


def _refuse_mixing(connection: Connection) -> None:
    """Replicas of two archives must never be mixed."""
    if any_file(connection):
        raise Refused(
            message(
                "The register already contains files, so this archive cannot become another one. Use an "
                "empty database."
            )
        )


def _is_in(places: Sequence[Place], held: Held) -> bool:
    return any(_has(place, held.name) for place in places)


def _has(place: Place, name: str) -> bool:
    """As its list says it: what cannot be read is there, too."""
    try:
        return place.look(name) is not None
    except Unreadable:
        return True


def _vote(place: Place, name: str, stopping: Callable[[], bool]) -> Vote:
    """`Away` ends the rebuild: silence is no vote."""
    try:
        return Vote(place.replica, place.sums(name, algorithms=ALGORITHMS, stopping=stopping))
    except Missing:
        return Vote(place.replica, None)
    except Unreadable as error:
        return Vote(place.replica, None, unreadable=True, error=str(error))


def _weighed(plan: Plan, found: Found) -> Found:
    """With what the content of the copies says: an empty file must not win because it is empty twice."""
    held = [
        (vote.sums.sha256, place) for vote, place in zip(found.votes, plan.places, strict=True) if vote.sums
    ]
    contents = weigh_copies(found.name, held, plan.stopping)
    votes = (
        replace(vote, content=contents.get(vote.sums.sha256))
        if vote.sums and holds_bytes(vote.replica)
        else vote
        for vote in found.votes
    )
    return replace(found, votes=tuple(votes))


def _withdrawal(places: Sequence[Place], name: str) -> bytes | None:
    """One note is enough: to give out what was withdrawn is worse than to ask once more."""
    for place in places:
        try:
            note = place.withdrawal(name)
        except Unreadable:
            return b""
        if note is not None:
            return note
    return None


def _count(report: Report, found: Found, verdict: Verdict, seen: Look) -> None:
    right = verdict.winner if verdict.healthy else ""
    report.withdrawn += found.withdrawal is not None
    if right:
        report.clear += 1
        report.bytes += next(
            vote.sums.size for vote in found.votes if vote.sums and vote.sums.sha256 == right
        )
    else:
        report.undecided += 1
        report.tell(found.name, UNDECIDED)
        return
    if not seen.format:
        report.tell(
            found.name, f"No replica has a copy in which a record can be read. {seen.problem}".strip()
        )
    for vote in found.votes:
        outcome = outcome_of(vote, right)
        if outcome is not CheckOutcome.OK:
            report.damaged += 1
            report.tell(
                found.name, f"Its copy in {vote.replica.name} is {outcome.value}. {vote.error}".strip()
            )
