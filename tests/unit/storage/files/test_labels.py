"""When a copy that failed is tried again."""

from dataclasses import replace
from datetime import timedelta

from armarium.core import clock
from armarium.storage.files.labels import next_attempt
from armarium.storage.files.model import Copy
from armarium.storage.model import CopyState, Replica, ReplicaKind, ReplicaRole, ReplicaState

REPLICA = Replica(1, "one", ReplicaKind.FOLDER, ReplicaRole.PRIMARY, ReplicaState.ACTIVE, "one")


def test_the_pause_grows_with_the_attempts_up_to_an_hour() -> None:
    now = clock.now()
    failed = Copy(1, REPLICA, CopyState.FAILED, 6, "no room", now, None, None, "", "", away=False)

    assert next_attempt(failed) == now + timedelta(minutes=5)
    assert next_attempt(replace(failed, attempts=1000)) == now + timedelta(hours=1)
    assert next_attempt(replace(failed, away=True)) is None
    assert next_attempt(replace(failed, state=CopyState.ACCEPTED)) is None
