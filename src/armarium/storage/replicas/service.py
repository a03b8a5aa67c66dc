"""The verbs of replicas: add, change, retire, open, and watch whether they answer."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from armarium.accounts.vault import Vault
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.notify.service import Notifier
from armarium.storage import history
from armarium.storage.backends.opening import check_location
from armarium.storage.backends.place import Away, Foreign, Place
from armarium.storage.figures import KeptFigures
from armarium.storage.model import Replica, ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas import queries
from armarium.storage.replicas.availability import Availability
from armarium.storage.replicas.growth import GROWTH, Growth, figures_of_growth, grown
from armarium.storage.replicas.model import Content, Part, ReplicaDetails, Setup
from armarium.storage.replicas.opened import OpenedPlaces
from armarium.storage.replicas.rules import (
    check_name,
    check_numbers,
    check_role,
    name_taken,
    own_ground,
    refuse_last,
    refuse_last_copies,
)

TOPIC = "replicas"
REPLICAS = "replicas"  # the name of the figures
PARTS = ("accepted", "unfinished", "damaged")
RANGE = 20_000  # numbers of files in one transaction
RANGES = 50  # between two looks of the sweep


def figures_of_replicas(connection: Connection) -> dict[str, Any]:
    found = queries.counted_contents(connection)
    return {
        str(number): {part: asdict(getattr(one, part)) for part in PARTS} for number, one in found.items()
    }


def subject(replica: Replica) -> Subject:
    return Subject("replica", replica.id, replica.name)


def ensure(connection: Connection) -> None:
    """Two folders below the data folder, in a database that knows no replica yet.

    They are claimed when they are first opened: this runs before anybody knows where the data folder is.
    """
    if queries.any_replica(connection):
        return
    for name, role in (("one", ReplicaRole.PRIMARY), ("two", ReplicaRole.COPY)):
        values = {"name": name, "kind": ReplicaKind.FOLDER.value, "role": role.value}
        queries.add(connection, {**values, **_new(""), "location": f"replicas/{name}"})


class Replicas:
    def __init__(
        self, database: Database, vault: Vault, home: Path, notifier: Notifier | None = None
    ) -> None:
        self.home = home
        self._database = database
        self._vault = vault
        self._opened = OpenedPlaces(database, vault, home)
        self._availability = Availability(database, notifier)

    # Reading

    def active(self) -> list[Replica]:
        """Those that every new file goes to, in the order in which they are read."""
        return [found.replica for found in self._in_states(ReplicaState.ACTIVE)]

    def in_use(self) -> list[Replica]:
        """Those that are read and audited."""
        return [found.replica for found in self._in_states(ReplicaState.ACTIVE, ReplicaState.READ_ONLY)]

    def all(self) -> list[Replica]:
        return [found.replica for found in self.all_details()]

    def get(self, number: int) -> Replica:
        return self.details(number).replica

    def named(self, name: str) -> Replica:
        with self._database.transaction() as connection:
            found = queries.named(connection, name)
        missing = message("There is no replica named %(name)s.", name=name)
        return existing(found, missing, name=name, known=lambda: [one.name for one in self.all()]).replica

    def all_details(self) -> list[ReplicaDetails]:
        return self._in_states(*ReplicaState)

    def details(self, number: int) -> ReplicaDetails:
        with self._database.transaction() as connection:
            return _existing(connection, number)

    events = reading(history.events)  # what happened in a replica and with it

    def contents(self) -> dict[int, Content]:
        """What lies in each, by its number, counted now or lately; none for one in which nothing ever was."""
        counted, at = KeptFigures(self._database).get(REPLICAS, figures_of_replicas)
        return {
            int(number): Content(**{part: Part(**parts[part]) for part in PARTS}, as_of=at)
            for number, parts in counted.items()
        }

    def growth(self) -> dict[int, Growth]:
        """How each of them grew, by its number."""
        added, _ = KeptFigures(self._database).get(GROWTH, figures_of_growth)
        return {int(number): grown(of_months) for number, of_months in added.items()}

    last_audits = reading(queries.last_audits)

    def place(self, replica: Replica) -> Place:
        """Where the replica's copies lie: opened once in a process, and again after a change."""
        return self._opened.place(replica)

    def glance(self, replica: Replica, archive: str = "") -> Place:
        """The same for those who only look, also as a replica of another archive: nothing is claimed."""
        return self._opened.glance(replica, archive)

    # By people

    def add(self, actor: Actor, name: str, kind: ReplicaKind, setup: Setup) -> Replica:
        """Claim the place for this archive. Every file that is known waits for its copy from then on."""
        role, location, options = setup.role or ReplicaRole.COPY, setup.location or "", setup.options or {}
        setup = replace(setup, role=role, location=location)
        check_name(name)
        check_role(kind, role)
        check_numbers(setup)
        check_location(kind, location, options)
        fresh = Replica(0, name, kind, role, ReplicaState.ACTIVE, location, options, setup.rate_bytes or 0)
        self._refuse_name(fresh)
        self.refuse_ground(fresh)
        try:
            foreign = self._opened.claim(fresh, setup.secrets or {})
        except Away as away:
            raise Refused(away.message, field="location") from away
        with self._database.transaction() as connection:
            queries.hold_replicas(connection)
            values = {"name": name, "kind": kind.value, **_new(actor.name), **setup.values()}
            added = self._insert(connection, {**values, "asked_at": clock.now()})
            if setup.secrets:
                locked = self._opened.locked(added.replica.id, setup.secrets)
                queries.note(connection, added.replica.id, secrets=locked)
            self._await_files(connection, added.replica.id)
            record(connection, actor, "replica.added", subject(added.replica), after=added.described())
            announce(connection, TOPIC)
        self.fill(1)
        if foreign:
            self.note_away(added.replica, foreign.message)
        return added.replica

    def change(self, actor: Actor, number: int, setup: Setup, *, seen: int | None = None) -> Replica:
        """Set it up otherwise. At another address there has to be the same replica, which was moved."""
        before = self.details(number)
        check_numbers(setup)
        check_role(before.replica.kind, setup.role or before.replica.role)
        self._check_moved(before, setup)
        with self._database.transaction() as connection:
            held = _existing(connection, number, lock=True)
            if held.edition != (before.edition if seen is None else seen):
                raise Refused(
                    message("Somebody else has changed this replica since you opened it. Reload the page.")
                )
            values = setup.values()
            if setup.secrets is not None:
                values["secrets"] = self._opened.locked(number, setup.secrets) if setup.secrets else None
            queries.change(connection, number, **values)
            after = _existing(connection, number)
            told = {"before": held.described(), "after": after.described()}
            if setup.secrets is not None:
                told["after"]["secrets"] = "changed"
            record(connection, actor, "replica.changed", subject(after.replica), **told)
            announce(connection, TOPIC)
        return after.replica

    def set_state(self, actor: Actor, number: int, state: ReplicaState, reason: str) -> Replica:
        """Take it out of use, or back into it. Nothing in it is touched."""
        if state is ReplicaState.ACTIVE:
            self.refuse_ground(self.get(number))
            self._reachable(self.get(number))
        with self._database.transaction() as connection:
            queries.hold_replicas(connection)
            before = _existing(connection, number, lock=True)
            if before.replica.state is state:
                return before.replica
            if state is ReplicaState.RETIRED:
                refuse_last_copies(connection, before.replica)
            if state is not ReplicaState.ACTIVE:
                refuse_last(connection, before.replica)
            queries.change(connection, number, state=state.value, away_since=None, trouble="")
            if state is ReplicaState.ACTIVE:
                queries.change(connection, number, returned_at=clock.now())
                self._await_files(connection, number)
            after = _existing(connection, number)
            changed = {"before": {"state": before.replica.state.value}, "after": {"state": state.value}}
            changed["after"]["reason"] = reason
            record(connection, actor, "replica.state_changed", subject(after.replica), **changed)
            announce(connection, TOPIC)
        self.fill(1)
        return after.replica

    def _await_files(self, connection: Connection, number: int) -> None:
        """All files known at this moment get a copy here, by and by; those that come later have one."""
        queries.ask_to_fill(connection, number)
        queries.owe_all_notes(connection, number)

    # By those who use it

    def note_away(self, replica: Replica, why: Message | str) -> None:
        """It did not answer. Written once per outage; people are told when it lasts."""
        self._availability.note_away(replica, why)

    def note_back(self, replica: Replica) -> None:
        self._availability.note_back(replica)

    def watch(self) -> list[Replica]:
        """Ask each replica in use whether it is there; those that answer."""
        return [replica for replica in self.in_use() if self._answers(replica)]

    def foreign(self) -> Foreign | None:
        """What the first of the active ones says that belongs to another archive; None: no one does."""
        for replica in self.active():
            try:
                self.place(replica).check()
            except Foreign as foreign:
                return foreign
            except Away:
                continue  # whose it is, nobody can say
        return None

    def fill(self, ranges: int = RANGES) -> None:
        """Go on with replicas that were added, or taken back: their copies are noted in ranges of files, so
        that nobody has to wait. Killed anywhere, it goes on where it was."""
        for _ in range(ranges):
            with self._database.transaction() as connection:
                number = queries.unfilled(connection)
                if number is None:
                    return
                queries.fill_range(connection, number, RANGE, clock.now())

    def _answers(self, replica: Replica) -> bool:
        try:
            place = self.place(replica)
            place.check()
        except Away as away:
            self.note_away(replica, away.message)
            return False
        self._availability.note_present(replica, self._opened.free_bytes(replica))
        return True

    def _in_states(self, *states: ReplicaState) -> list[ReplicaDetails]:
        with self._database.transaction() as connection:
            return queries.all_details(connection, states)

    def _refuse_name(self, fresh: Replica) -> None:
        """Before the marker is written: it would stay."""
        if any(other.name == fresh.name for other in self.all()):
            raise name_taken(fresh.name)

    def refuse_ground(self, wanted: Replica) -> None:
        """No replica lies in another one, nor among what Armarium keeps elsewhere and clears away there."""
        if self._opened.is_own_ground(wanted):
            raise own_ground(wanted.location)
        for other in self.all():
            used = other.id != wanted.id and other.state is not ReplicaState.RETIRED
            if used and self._opened.overlap(other, wanted):
                raise Refused(
                    message("Replica %(name)s is already there, or inside it.", name=other.name),
                    field="location",
                )

    def _insert(self, connection: Connection, values: Mapping[str, Any]) -> ReplicaDetails:
        try:
            with connection.begin_nested():
                return queries.add(connection, values)
        except IntegrityError:
            raise name_taken(values["name"]) from None

    def _check_moved(self, before: ReplicaDetails, setup: Setup) -> None:
        if setup.location is None and setup.options is None and setup.secrets is None:
            return
        after = replace(
            before.replica,
            location=before.replica.location if setup.location is None else setup.location,
            options=before.replica.options if setup.options is None else setup.options,
        )
        check_location(after.kind, after.location, after.options)
        if after.location != before.replica.location or after.options != before.replica.options:
            self.refuse_ground(after)
        try:
            self._opened.try_out(after, setup.secrets)
        except Away as away:
            raise Refused(
                message("The replica was not found there, and nothing was changed: %(why)s", why=away),
                field="location",
            ) from away

    def _reachable(self, replica: Replica) -> None:
        try:
            self.place(replica).check()
        except Away as away:
            raise Refused(message("%(name)s does not answer: %(why)s", name=replica.name, why=away)) from away


def _existing(connection: Connection, number: int, *, lock: bool = False) -> ReplicaDetails:
    missing = message("There is no replica with the number %(number)s.", number=number)
    return existing(queries.details(connection, number, lock=lock), missing)


def _new(by: str) -> dict[str, Any]:
    return {"state": ReplicaState.ACTIVE.value, "created_at": clock.now(), "created_by": by}
