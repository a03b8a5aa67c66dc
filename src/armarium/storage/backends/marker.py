"""The marker of a replica: whose it is, and that it is there at all."""

import json
import threading
import time
from collections.abc import Callable

from armarium.core.message import message
from armarium.storage.backends.medium import Medium
from armarium.storage.backends.place import Away, Foreign
from armarium.storage.model import Replica

MARKER = "armarium-replica.json"
TRUSTED = 5.0  # seconds for which a marker that was seen is believed to be there


class Marker:
    def __init__(
        self,
        replica: Replica,
        medium: Medium,
        *,
        archive: str = "",
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._replica = replica
        self._medium = medium
        self._archive = archive  # empty: a replica of this name of any archive
        self._clock = clock
        self._lock = threading.Lock()
        self._seen_at: float | None = None

    def claim(self, archive: str) -> None:
        """Write the marker if there is none. Somebody else's is left alone, and so is all around it."""
        self._archive = archive
        try:
            self._medium.glance(MARKER)
        except FileNotFoundError:
            self._write(archive)
        except OSError as error:
            raise away(self._replica, error) from error
        self.check_now()

    def check(self) -> None:
        with self._lock:
            seen_at = self._seen_at
        if seen_at is None or self._clock() - seen_at > TRUSTED:
            self.check_now()

    def check_now(self) -> None:
        with self._lock:
            self._seen_at = None
        asked_at = self._clock()
        self._compare(self._read())
        with self._lock:
            self._seen_at = asked_at

    def _write(self, archive: str) -> None:
        content = json.dumps({"archive": archive, "replica": self._replica.name})
        try:
            self._medium.prepare()
            self._medium.create_small(MARKER, content.encode())
        except FileExistsError:
            pass  # somebody was quicker: whose it is now, `check_now` will say
        except OSError as error:
            raise away(self._replica, error) from error

    def _read(self) -> bytes:
        try:
            return self._medium.glance(MARKER)
        except FileNotFoundError as error:
            raise Away(
                message(
                    "Replica %(replica)s has no %(marker)s at %(place)s, so nothing there was judged. "
                    "Mount its disk or correct its location; a replica that is new has to be claimed.",
                    replica=self._replica.name,
                    marker=MARKER,
                    place=self._replica.location,
                )
            ) from error
        except OSError as error:
            raise away(self._replica, error) from error

    def _compare(self, content: bytes) -> None:
        try:
            marker = json.loads(content)
            archive, name = str(marker["archive"]), str(marker["replica"])
        except (ValueError, KeyError, TypeError) as error:
            raise Away(
                message(
                    "%(marker)s of replica %(replica)s at %(place)s is damaged, so nothing there was judged. "
                    "Compare it with those of the other replicas and restore it.",
                    marker=MARKER,
                    replica=self._replica.name,
                    place=self._replica.location,
                )
            ) from error
        known = {"place": self._replica.location, "name": name, "replica": self._replica.name}
        if archive != (self._archive or archive):
            raise Foreign(
                message(
                    "%(place)s is replica %(name)s of archive %(archive)s, not replica %(replica)s of this "
                    "one, so nothing there was touched. Correct the location. Or, if the database of that "
                    "archive was lost, add its other replicas, too, and run `armarium store rebuild "
                    "--archive %(archive)s`.",
                    archive=archive,
                    **known,
                )
            )
        if name != self._replica.name:
            raise Away(
                message(
                    "%(place)s is replica %(name)s, not replica %(replica)s, so nothing there was touched. "
                    "Correct the location.",
                    **known,
                )
            )


def reason_of(error: OSError) -> str:
    """What happened and to what, without the number that only programmers know."""
    what = error.strerror or str(error)
    return f"{what}: {error.filename}" if error.filename else what


def away(replica: Replica, error: OSError) -> Away:
    return Away(
        message(
            "Replica %(replica)s at %(place)s cannot be used: %(reason)s. Nothing there was judged. "
            "Check that it is running, mounted and accessible.",
            replica=replica.name,
            place=replica.location,
            reason=reason_of(error),
        )
    )
