"""Which replicas would be lost together."""

from collections.abc import Sequence
from pathlib import Path

from armarium.storage.model import Replica, ReplicaKind


def shared(home: Path, replicas: Sequence[Replica]) -> list[list[str]]:
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
