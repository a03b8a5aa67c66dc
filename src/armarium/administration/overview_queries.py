"""SQL of what administration says on the overview."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import Connection

from armarium.accounts.tables import account
from armarium.notify.model import Severity
from armarium.notify.tables import notification
from armarium.notify.tasks import FAILED_TASKS

LISTED = 5
#: Rooms tell these themselves, by what is the case now; here they would stand a second time.
TOLD_BY_ROOMS = (
    "silent ",
    "job.failed.",
    "harvest.generation:",
    "replica-away:",
    "replica-unwell:",
    "repairs-undecided:",
    "storage-file:",
    "storage-no-room",
    "index failed ",
)


def errors(connection: Connection, since: datetime, *, of_tasks: bool) -> list["sa.Row[Any]"]:
    """Notifications of errors, the last first. `of_tasks`: those of failed tasks, too."""
    told = TOLD_BY_ROOMS if of_tasks else (*TOLD_BY_ROOMS, FAILED_TASKS)
    others = [~notification.c.key.startswith(prefix, autoescape=True) for prefix in told]
    columns = [notification.c[name] for name in ("at", "subject", "text", "repeats")]
    asked = sa.select(*columns).where(
        notification.c.at >= since, notification.c.severity == Severity.ERROR.value, *others
    )
    return list(connection.execute(asked.order_by(notification.c.at.desc()).limit(LISTED)))


def has_colleagues(connection: Connection) -> bool:
    """Whether there is more than one account."""
    return connection.scalar(sa.select(account.c.id).order_by(account.c.id).offset(1).limit(1)) is not None
