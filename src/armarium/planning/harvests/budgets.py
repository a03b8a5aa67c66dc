"""The total budget of a run is raised, while it is under way or before failed jobs of it are done again."""

from sqlalchemy import Connection

from armarium.audit.service import record
from armarium.core.actor import Actor
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.announce import announce
from armarium.planning import budgets
from armarium.planning.budgets import Share, share_out
from armarium.planning.harvests import run_queries
from armarium.planning.harvests.dating import TOPIC, subject
from armarium.planning.harvests.model import Harvest, Run
from armarium.planning.rules import check_limit

FIELDS = ("total_objects", "total_bytes")


def raise_budget(connection: Connection, actor: Actor, harvest: Harvest, run: Run, wanted: Share) -> None:
    """The harvest itself keeps what it says of later runs."""
    before = budgets.locked_total(connection, run.id)
    after = Share(*(_raised(*three) for three in zip(FIELDS, before, wanted, strict=True)))
    if after == before:
        raise Refused(message("Write how much it may be now."), field=FIELDS[0])
    run_queries.set_total(connection, run.id, after)
    share_out(connection, run.id)
    facts = [{"run": run.number, **dict(zip(FIELDS, share, strict=True))} for share in (before, after)]
    record(connection, actor, "harvest.budget_raised", subject(harvest), before=facts[0], after=facts[1])
    announce(connection, TOPIC)
    announce(connection, "jobs")


def _raised(field: str, before: int | None, wanted: int | None) -> int | None:
    if wanted is None or wanted == before:
        return before
    if before is None:
        raise Refused(message("This run has no such budget: nothing is to be raised."), field=field)
    if wanted < before:
        text = message("A budget can be raised, not lowered: jobs have their shares of it.")
        raise Refused(text, field=field)
    return check_limit(wanted, field)
