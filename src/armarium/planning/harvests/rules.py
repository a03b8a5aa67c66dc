"""What may be said about a harvest."""

from dataclasses import replace

from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.planning.harvests.model import Definition
from armarium.planning.model import HarvestKind
from armarium.planning.rules import check_comments, check_limit, check_name
from armarium.planning.traps.rules import check_traps

LONGEST_AUDIENCE = 100
LONGEST_JOB = 366 * 24 * 3600  # seconds


def checked(given: Definition) -> Definition:
    """The definition with its texts trimmed, or a refusal that names the field."""
    audience = " ".join(given.audience.split())
    if len(audience) > LONGEST_AUDIENCE:
        raise Refused(
            message("The audience has at most %(most)s characters.", most=LONGEST_AUDIENCE), field="audience"
        )
    if given.max_seconds is not None and not 1 <= given.max_seconds <= LONGEST_JOB:
        raise Refused(
            message("Write seconds from 1 to %(most)s, or nothing for no limit.", most=LONGEST_JOB),
            field="max_seconds",
        )
    if given.kind is HarvestKind.BROAD and given.schedule is not None:
        raise Refused(message("A broad harvest runs once, when it is activated."), field="schedule")
    if given.kind is not HarvestKind.BROAD and given.previous is not None:
        raise Refused(message("Only a broad harvest can continue another one."), field="previous")
    return replace(
        given,
        name=check_name(given.name),
        comments=check_comments(given.comments),
        audience=audience,
        traps=check_traps(given.traps),
        max_objects=check_limit(given.max_objects, "max_objects"),
        max_bytes=check_limit(given.max_bytes, "max_bytes"),
        total_objects=check_limit(given.total_objects, "total_objects"),
        total_bytes=check_limit(given.total_bytes, "total_bytes"),
    )
