"""Replicas as templates read them: with a tone, in words, and as a picture."""

from collections.abc import Mapping
from typing import Any

from armarium.core.message import Message, message
from armarium.storage.model import ReplicaKind, ReplicaRole, ReplicaState
from armarium.storage.replicas.model import Standing
from armarium.storage.replicas.picture import HEIGHT, WIDTH, Content, bar
from armarium.storage.replicas.words import KINDS, ROLES, STATES

KIND_HELP = {
    ReplicaKind.FOLDER: message("On a disk of the server, or one that is mounted there."),
    ReplicaKind.S3: message("On a server that speaks S3, here or elsewhere."),
    ReplicaKind.CHECKSUM: message("Keeps no bytes: a cheap vote on what is right, far away from the copies."),
}


def shown(standing: Standing, held: Mapping[int, Content]) -> dict[str, Any]:
    """A replica as the templates read it."""
    replica = standing.replica
    content = held.get(replica.id, Content())
    tone, state = tone_of(standing)
    return {
        "id": replica.id,
        "name": replica.name,
        "kind": KINDS[replica.kind],
        "role": ROLES[replica.role],
        "tone": tone,
        "state": state,
        "is": replica.state.value,
        "location": replica.location,
        "options": sorted(replica.options.items()),
        "has_keys": standing.has_secrets,
        "rate": replica.rate_bytes,
        "audit_days": standing.audit_days,
        "audit_rate": standing.audit_rate_bytes,
        "away_since": standing.away_since,
        "trouble": standing.trouble,
        "asked": standing.asked_at,
        "free": standing.free_bytes,
        "created": standing.created_at,
        "created_by": standing.created_by,
        "content": content,
        "picture": {"width": WIDTH, "height": HEIGHT, "stretches": bar(content)},
    }


def tone_of(standing: Standing) -> tuple[str, Message]:
    if standing.away_since and standing.replica.state is not ReplicaState.RETIRED:
        return "bad", message("does not answer")
    tones = {ReplicaState.ACTIVE: "good", ReplicaState.READ_ONLY: "waiting", ReplicaState.RETIRED: "neutral"}
    return tones[standing.replica.state], STATES[standing.replica.state]


def role_options() -> list[tuple[str, Message]]:
    return [(role.value, ROLES[role]) for role in (ReplicaRole.PRIMARY, ReplicaRole.COPY)]
