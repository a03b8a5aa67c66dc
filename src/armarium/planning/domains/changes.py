"""What every change of a domain begins and ends with: finding it, and noting what was done to it."""

from collections.abc import Mapping

from sqlalchemy import Connection

from armarium.audit.service import Subject, record
from armarium.core.actor import Actor
from armarium.core.errors import Refused, existing
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.planning.domains import queries
from armarium.planning.domains.model import Domain

TOPIC = "domains"


def existing_domain(connection: Connection, number: int, *, lock: bool = False) -> Domain:
    missing = message("There is no domain with the number %(number)s.", number=number)
    return existing(queries.domains.by_id(connection, number, lock=lock), missing)


def subject(domain: Domain) -> Subject:
    return Subject("domain", domain.id, domain.name)


def refuse_unseen(edition: int, seen: int | None) -> None:
    """What somebody else changed since it was shown must not be undone unawares."""
    if seen is not None and seen != edition:
        raise Refused(message("Somebody changed this meanwhile. Look at it again, then save."))


def note(
    connection: Connection,
    actor: Actor,
    action: str,
    domain: Domain,
    *,
    before: Mapping[str, object] | None = None,
    after: Mapping[str, object] | None = None,
) -> None:
    """An entry in the history of the domain, whatever part of it was changed, and word to open pages."""
    record(connection, actor, action, subject(domain), before=before, after=after)
    announce(connection, TOPIC)
