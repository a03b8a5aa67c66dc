"""Replicas opened once in a process, and again after somebody changed them."""

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath
from threading import Lock

from armarium.accounts.vault import Vault
from armarium.core import clock
from armarium.core.errors import Misconfigured, NotFound, Refused
from armarium.core.message import message
from armarium.db.database import Database
from armarium.storage.backends.opening import bucket_address, in_bucket, open_place
from armarium.storage.backends.place import Away, Foreign, Place
from armarium.storage.model import Replica, ReplicaKind
from armarium.storage.replicas import queries
from armarium.storage.replicas.queries import any_file
from armarium.storage.settings import overlaps, own_folders

S3 = "s3://"


def _about(number: int) -> str:
    """What a secret is locked to: in the row of another replica it cannot be opened."""
    return f"replica {number}"


class OpenedPlaces:
    def __init__(self, database: Database, vault: Vault, home: Path) -> None:
        self._database = database
        self._vault = vault
        self._home = home
        self._lock = Lock()
        self._places: dict[int, tuple[int, Place]] = {}  # by replica: its edition, and the place

    def place(self, replica: Replica) -> Place:
        with self._database.transaction() as connection:
            details = queries.details(connection, replica.id)
            if details is None:
                raise NotFound(message("There is no replica with the number %(number)s.", number=replica.id))
            with self._lock:
                edition, place = self._places.get(replica.id, (0, None))
            if place is not None and edition == details.edition:
                return place
            locked = queries.secrets(connection, replica.id)
            archive = queries.archive_id(connection)
        place = self._open(details.replica, locked, archive)
        if details.asked_at is None:  # one that came with Armarium: nobody has claimed its folder yet
            place.claim(archive)
            with self._database.transaction() as connection:
                queries.note(connection, replica.id, asked_at=clock.now())
        with self._lock:
            # Another thread may have been quicker: all of them share one, with its budget of bytes.
            kept = self._places.get(replica.id)
            if kept is not None and kept[0] >= details.edition:
                return kept[1]
            self._places[replica.id] = (details.edition, place)
        return place

    def glance(self, replica: Replica, archive: str = "") -> Place:
        """The place as one of that archive, or of this one, for those who only look: nothing is claimed."""
        with self._database.transaction() as connection:
            locked = queries.secrets(connection, replica.id)
            archive = archive or queries.archive_id(connection)
        return self._open(replica, locked, archive)

    def _open(self, replica: Replica, locked: bytes | None, archive: str) -> Place:
        try:
            secrets = self._secrets(locked, replica.id)
            return open_place(replica, home=self._home, secrets=secrets, archive=archive)
        except (
            Misconfigured,
            Refused,
        ) as wrong:  # one replica that cannot be opened must not stop the others
            raise Away(wrong.message) from wrong

    def claim(self, replica: Replica, secrets: Mapping[str, str]) -> Foreign | None:
        """Write the marker of this archive where there is none yet; else what one of a lost archive says."""
        with self._database.transaction() as connection:
            archive = queries.archive_id(connection)
        try:
            open_place(replica, home=self._home, secrets=secrets).claim(archive)
        except Foreign as foreign:
            self.refuse_unless_lost(foreign, replica, secrets)
            return foreign
        return None

    def refuse_unless_lost(self, foreign: Foreign, replica: Replica, secrets: Mapping[str, str]) -> None:
        """Bear a replica of another archive while no file is registered, if its name is right.

        Whoever has lost a database adds the replicas to an empty one, and a rebuild takes over the archive to
        which they belong. Until then they count as away, and nothing is written there.
        """
        with self._database.transaction() as connection:
            if any_file(connection):
                raise foreign
        open_place(replica, home=self._home, secrets=secrets).check()

    def try_out(self, replica: Replica, secrets: Mapping[str, str] | None) -> None:
        """Raises `Away` if this replica is not there; `secrets` None: those that are kept."""
        with self._database.transaction() as connection:
            kept = self._secrets(queries.secrets(connection, replica.id), replica.id)
            archive = queries.archive_id(connection)
        chosen = kept if secrets is None else secrets
        try:
            open_place(replica, home=self._home, secrets=chosen, archive=archive).check()
        except Foreign as foreign:
            self.refuse_unless_lost(foreign, replica, chosen)

    def locked(self, number: int, secrets: Mapping[str, str]) -> bytes:
        return self._vault.lock(json.dumps(dict(secrets)).encode(), _about(number))

    def free_bytes(self, replica: Replica) -> int:
        """Of a folder; 0 where nobody can say."""
        if replica.location.startswith(S3):
            return 0
        try:
            return shutil.disk_usage(self._home / replica.location).free
        except OSError:
            return 0

    def overlap(self, one: Replica, other: Replica) -> bool:
        """Whether two replicas would share bytes: a second copy were none, and one would sweep the other."""
        buckets = [in_bucket(each.kind, each.location) for each in (one, other)]
        if any(buckets):
            return all(buckets) and _same_bucket(one, other)
        return overlaps(self._home / one.location, [(self._home / other.location).resolve()])

    def is_own_ground(self, replica: Replica) -> bool:
        """Whether it would lie in, or around, a folder in which Armarium keeps something else."""
        if in_bucket(replica.kind, replica.location):
            return False
        return overlaps(self._home / replica.location, own_folders(self._home))

    def _secrets(self, locked: bytes | None, number: int) -> dict[str, str]:
        if locked is None:
            return {}
        found: dict[str, str] = json.loads(self._vault.open(locked, _about(number)))
        return found


def _same_bucket(one: Replica, other: Replica) -> bool:
    """One prefix in the other: `a` holds `a/b`, and does not hold `ab`."""
    first, second = (bucket_address(each.location, each.options) for each in (one, other))
    if (first.endpoint, first.bucket) != (second.endpoint, second.bucket):
        return False
    prefixes = [PurePosixPath(each.prefix) for each in (first, second)]
    return prefixes[0].is_relative_to(prefixes[1]) or prefixes[1].is_relative_to(prefixes[0])


def on_one_disk(home: Path, replicas: Sequence[Replica]) -> list[list[str]]:
    """Names of folder replicas on one file system, if there are several: one broken disk takes them all."""
    found: dict[int, list[str]] = {}
    for replica in replicas:
        if replica.kind is ReplicaKind.FOLDER:
            try:
                device = (home / replica.location).stat().st_dev
            except OSError:
                continue  # that it is away is told elsewhere
            found.setdefault(device, []).append(replica.name)
    return [names for names in found.values() if len(names) > 1]
