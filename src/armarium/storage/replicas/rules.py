"""What may be asked of a replica, and what is refused."""

import re

from sqlalchemy import Connection

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.storage.model import Replica, ReplicaKind, ReplicaRole
from armarium.storage.replicas import queries
from armarium.storage.replicas.model import Setup, holds_bytes

NAME_PATTERN = r"^[a-z0-9][a-z0-9._-]{0,62}$"
MANY = 2**62
LONGEST_AUDIT_DAYS = 36_500
SHOWN = 3  # names of files in a refusal


def refuse_last(connection: Connection, replica: Replica) -> None:
    if holds_bytes(replica) and not queries.others_to_fill(connection, replica.id):
        raise Refused(
            message(
                "%(name)s is the only replica that stores new files. Add another one first.",
                name=replica.name,
            )
        )


def refuse_last_copies(connection: Connection, replica: Replica) -> None:
    names = queries.only_here(connection, replica.id, SHOWN) if holds_bytes(replica) else []
    if names:
        raise Refused(
            message(
                "%(name)s has the only good copy of some files, for example %(files)s. Wait until the "
                "other replicas have them, or repair the copies there.",
                name=replica.name,
                files=", ".join(names),
            )
        )


def check_name(name: str) -> None:
    if not re.fullmatch(NAME_PATTERN, name):
        raise Refused(
            message("Use lower-case letters, digits, dots, hyphens and underscores only."), field="name"
        )


def check_role(kind: ReplicaKind, role: ReplicaRole) -> None:
    if (kind is ReplicaKind.CHECKSUM) != (role is ReplicaRole.WITNESS):
        raise Refused(
            message(
                "A checksum replica must be a witness, and no other replica can be: it has no files to read."
            ),
            field="role",
        )


def check_numbers(setup: Setup) -> None:
    most = {"rate_bytes": MANY, "audit_rate_bytes": MANY, "audit_days": LONGEST_AUDIT_DAYS}
    for field, highest in most.items():
        given = getattr(setup, field)
        if given is not None and not 0 <= given <= highest:
            raise Refused(message("This is a whole number from 0 to %(most)s.", most=highest), field=field)


def name_taken(name: str) -> Refused:
    return Refused(message("There is another replica named %(name)s.", name=name), field="name")


def own_ground(location: str) -> Refused:
    return Refused(
        message(
            "%(location)s overlaps a folder that Armarium uses for something else. Choose an empty folder.",
            location=location,
        ),
        field="location",
    )
