"""The verbs of collectors: enrol, look, change, stop, revoke. None is ever deleted."""

import re
from collections.abc import Iterable, Mapping
from datetime import timedelta
from itertools import count
from typing import Any

from sqlalchemy import Connection

from armarium.accounts import keys
from armarium.accounts.vault import Vault
from armarium.audit.entities import Entities, Kind
from armarium.audit.service import Subject, record
from armarium.core import clock
from armarium.core.actor import SYSTEM, Actor
from armarium.core.collecting import MOST_SLOTS, NAME_PATTERN, Enrolled, Enrolment
from armarium.core.errors import Refused
from armarium.core.message import Message, message
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.reading import reading
from armarium.db.stretches import Beginning
from armarium.formats.token import Proof, SigningKey, public_sealing_key, public_signing_key
from armarium.planning.collectors import queries
from armarium.planning.collectors.health import leave
from armarium.planning.collectors.model import (
    TOPIC,
    Code,
    Collector,
    CollectorFilter,
    Declined,
    NewCode,
    Work,
    storable,
    subject,
)
from armarium.planning.settings import PlanningSettings

PURPOSE = "task tokens"
#: Longer than any clock is wrong: a request must not be forgotten while its proof could still hold.
REMEMBERED = timedelta(minutes=10)
CODES_REMEMBERED = timedelta(days=7)


def server_key(vault: Vault) -> SigningKey:
    """The key with which this server signs tasks; every machine of the server has the same."""
    return SigningKey.derived(vault.derived(PURPOSE))


EVERY_ONE = CollectorFilter()


class Collectors(Entities[Collector]):
    rows = queries.collectors
    kind = Kind(
        "collector",
        topic=TOPIC,
        missing=message("There is no collector with the number %(number)s."),
        unnamed=message("There is no collector named %(name)s."),
        taken=message("There is another collector named %(name)s."),
        changed=message("Somebody else changed this collector meanwhile. Check it, then save again."),
    )

    def __init__(self, database: Database, vault: Vault, settings: PlanningSettings) -> None:
        super().__init__(database)
        self._vault = vault
        self._settings = settings

    # Reading

    def page(
        self, wanted: CollectorFilter = EVERY_ONE, *, limit: int, offset: Beginning = 0
    ) -> tuple[list[Collector], int]:
        with self._database.transaction() as connection:
            return self.rows.page(connection, limit, offset, *queries.conditions_of(wanted))

    #: Those that a collector may be given.
    channels = reading(queries.channel_names)

    def work_of(self, collectors: Iterable[Collector]) -> dict[int, list[Work]]:
        with self._database.transaction() as connection:
            return queries.work_of(connection, [collector.id for collector in collectors])

    days_of = reading(queries.days_of)
    called = reading(queries.called)

    def free_name(self, wanted: str = "") -> str:
        """A name for a new collector: the wanted one if nobody has it, else one that is free."""
        if wanted and not re.fullmatch(NAME_PATTERN, wanted):
            raise Refused(
                message("Use lower-case letters, digits, dots, hyphens and underscores."),
                field="name",
            )
        with self._database.transaction() as connection:
            if not wanted:
                there = queries.names(connection)
                return next(name for number in count(1) if (name := f"collector-{number}") not in there)
            if self.rows.by_name(connection, wanted) is not None:
                raise self.name_taken({"name": wanted})
        return wanted

    # By people

    def new_code(self, actor: Actor, channels: Iterable[str] = ()) -> NewCode:
        """A code with which one new machine may enrol, once."""
        wanted, code = tuple(sorted(set(channels))), keys.new_key()
        life = timedelta(minutes=self._settings.enrolment_minutes)
        with self._database.transaction() as connection:
            self._refuse_unknown(connection, wanted)
            expires_at = queries.add_code(connection, keys.digest(code), wanted, actor.name, life)
            told = {"channels": list(wanted), "expires_at": expires_at.isoformat()}
            record(connection, actor, "collector.code_made", Subject("collector", "", ""), after=told)
        return NewCode(code, expires_at, wanted)

    def change(
        self,
        actor: Actor,
        number: int,
        *,
        channels: Iterable[str] | None = None,
        slots: int | None = None,
        active: bool | None = None,
        seen: str | None = None,
    ) -> Collector:
        """Give it other channels or slots, stop it, or let it go on. Its next request tells it."""
        with self._database.transaction() as connection:
            before = self.locked(connection, number, seen)
            if before.revoked_at:
                raise Refused(
                    message(
                        "%(name)s is revoked. Enrol the machine again under another name.", name=before.name
                    )
                )
            values: dict[str, object] = {} if active is None else {"active": active}
            if active:  # what it failed before has been looked into
                values["failed_jobs"] = []
            if slots is not None:
                values["slots"] = _checked_slots(slots)
            if channels is not None:
                values["channels"] = sorted(set(channels))
                new = set(channels) - set(before.channels)  # a channel may have been closed since
                self._refuse_unknown(connection, new)
            if values:
                self.rows.update(connection, number, **values)
            after = self.existing(connection, number)
            if after.described() != before.described():
                action = self._action(before, after)
                told = {"before": before.described(), "after": after.described()}
                record(connection, actor, action, subject(after), **told)
                announce(connection, TOPIC)
            return after

    def revoke(self, actor: Actor, number: int) -> Collector:
        """Its key opens nothing from now on; what it works on is given to others."""
        with self._database.transaction() as connection:
            before = self.existing(connection, number, lock=True)
            if before.revoked_at is None:
                self.rows.update(connection, number, revoked_at=clock.now(), active=False)
                freed = queries.end_leases(connection, number)
                leave(connection, before)
                record(connection, actor, "collector.revoked", subject(before), after={"jobs": freed})
                announce(connection, TOPIC)
            return self.existing(connection, number)

    # By collectors

    def enrol(self, asked: Enrolment, address: str) -> Enrolled:
        """Take a new machine in. The answer may be lost: with the same code and keys it is given again."""
        try:
            signing, sealing = public_signing_key(asked.signing_key), public_sealing_key(asked.sealing_key)
        except ValueError as problem:
            raise Declined(Code.VALUES, message("A key is not one: %(reason)s", reason=problem)) from None
        with self._database.transaction() as connection:
            code = queries.locked_code(connection, keys.digest(asked.code))
            known = self.rows.by_name(connection, asked.name)
            same = known is not None and not known.revoked_at and known.signing_key == signing
            if code is None or not (code["valid"] or (same and code["used_at"])):
                raise Declined(
                    Code.ENROLMENT,
                    message("The code is not valid or has expired. Create a new one under Collectors."),
                )
            if known is None:
                known = self._add(
                    connection, asked, {"signing_key": signing, "sealing_key": sealing}, code, address
                )
            elif not same:
                raise _taken(asked.name)
        return Enrolled(name=known.name, server_key=server_key(self._vault).public)

    def known(self, name: str) -> Collector | None:
        """The collector of this name, also one that is revoked: whoever asks must look at that."""
        with self._database.transaction() as connection:
            return self.rows.by_name(connection, name)

    def is_new_request(self, collector: Collector, proof: Proof, address: str) -> bool:
        """Remember the request, and that its sender was here; False if it is a copy of an earlier one."""
        with self._database.transaction() as connection:
            queries.note_seen(connection, collector.id, address)
            return queries.is_new(connection, f"{collector.id}:{proof.id}", proof.expires_at)

    def forget_expired(self) -> int:
        with self._database.transaction() as connection:
            queries.forget_codes(connection, CODES_REMEMBERED)
            return queries.forget_requests(connection, REMEMBERED)

    def _add(
        self,
        connection: Connection,
        asked: Enrolment,
        public: dict[str, dict[str, str]],
        code: Mapping[Any, Any],
        address: str,
    ) -> Collector:
        there = queries.channel_names(connection)
        wished = code["channels"] or asked.channels or there
        values = {
            **public,
            "name": asked.name,
            "channels": [name for name in wished if name in there],
            "slots": asked.machine.slots,
            "enrolled_at": clock.now(),
            "enrolled_by": code["by"],
            "address": address,
            "facts": storable(asked.machine.model_dump(mode="json")),
        }
        number = self.rows.insert(connection, **values)
        if number is None:  # another one of this name came in the same moment
            raise _taken(asked.name)
        added = self.existing(connection, number)
        queries.use_code(connection, code["id"])
        told = {**added.described(), "address": address, "by": code["by"]}
        record(connection, SYSTEM, "collector.enrolled", subject(added), after=told)
        announce(connection, TOPIC)
        return added

    def _refuse_unknown(self, connection: Connection, wanted: Iterable[str]) -> None:
        unknown = set(wanted) - set(queries.channel_names(connection))
        if unknown:
            name = min(unknown)
            raise Refused(message("There is no open channel named %(name)s.", name=name), field="channels")

    def _action(self, before: Collector, after: Collector) -> str:
        if before.active == after.active:
            return "collector.changed"
        return "collector.started" if after.active else "collector.stopped"


def _checked_slots(slots: int) -> int:
    if not 0 <= slots <= MOST_SLOTS:
        text = message("Slots are a whole number from 0 to %(most)s.", most=MOST_SLOTS)
        raise Refused(text, field="slots")
    return slots


def _taken(name: str) -> Declined:
    return Declined(
        Code.NAME_TAKEN,
        message(
            "There is another collector named %(name)s. Give this one another name (collector.name, or "
            "ARMARIUM_COLLECTOR_NAME): the same code still works.",
            name=name,
        ),
    )


ACTIONS: dict[str, Message] = {
    "collector.changed": message("Collector changed"),
    "collector.code_made": message("Enrolment code created"),
    "collector.enrolled": message("Collector enrolled"),
    "collector.revoked": message("Collector revoked"),
    "collector.started": message("Collector started"),
    "collector.stopped": message("Collector stopped"),
}
WORDS: dict[str, Message] = {
    "address": message("Address"),
    "by": message("By"),
    "channels": message("Channels"),
    "collector": message("Collector"),
    "expires_at": message("Expires"),
    "jobs": message("Jobs"),
    "slots": message("Slots"),
}
