"""What entries about replicas in the audit log say, and the words of their kinds, roles and states."""

from armarium.core.message import Message, message
from armarium.storage.model import ReplicaKind, ReplicaRole, ReplicaState

ACTIONS: dict[str, Message] = {
    "replica.added": message("Replica added"),
    "replica.changed": message("Replica changed"),
    "replica.state_changed": message("Replica taken into or out of use"),
}
WORDS: dict[str, Message] = {
    "audit_days": message("Days between audits"),
    "audit_rate_bytes": message("Bytes a second of audits"),
    "files": message("Files"),
    "kind": message("Kind"),
    "location": message("Location"),
    "options": message("Options"),
    "rate_bytes": message("Bytes a second"),
    "replica": message("Replica"),
    "role": message("Role"),
    "secrets": message("Access keys"),
}
KINDS: dict[ReplicaKind, Message] = {
    ReplicaKind.FOLDER: message("folder"),
    ReplicaKind.S3: message("S3 bucket"),
    ReplicaKind.CHECKSUM: message("checksums only"),
}
ROLES: dict[ReplicaRole, Message] = {
    ReplicaRole.PRIMARY: message("primary, read first"),
    ReplicaRole.COPY: message("copy, read if no primary answers"),
    ReplicaRole.WITNESS: message("witness, asked for checksums"),
}
STATES: dict[ReplicaState, Message] = {
    ReplicaState.ACTIVE: message("active"),
    ReplicaState.READ_ONLY: message("read only"),
    ReplicaState.RETIRED: message("retired"),
}
