"""Harvests that are due: runs begin, missed ones are caught up or skipped, and it is said."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection

from armarium.audit.service import record
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.message import message
from armarium.db.database import Database
from armarium.notify.model import Notification, Severity
from armarium.notify.service import Notifier
from armarium.planning.harvests import queries, run_queries
from armarium.planning.harvests.checks import existing_harvest
from armarium.planning.harvests.dates import MOST_CAUGHT_UP, Decision, after, decide
from armarium.planning.harvests.model import Harvest, RunState
from armarium.planning.harvests.next_dates import go_on, subject
from armarium.planning.harvests.service import Harvests
from armarium.planning.model import Missed
from armarium.planning.settings import PlanningSettings

log = structlog.get_logger(__name__)

#: Skipped dates of one harvest that get a line each; those before them share one. A schedule by the minute
#: that slept for a year would otherwise fill the table with half a million.
MOST_LINES = 100
WRITTEN = "%Y-%m-%d %H:%M UTC"


class DueRuns:
    def __init__(
        self, database: Database, harvests: Harvests, notifier: Notifier, settings: PlanningSettings
    ) -> None:
        self.database = database
        self._harvests = harvests
        self._notifier = notifier
        self._patience = timedelta(minutes=settings.late_minutes)

    def begin(self, now: datetime | None = None) -> int:
        """Begin what is due; how many runs. One transaction for each harvest, which its row lock guards:
        a second scheduler passes over what the first one holds, and finds nothing due after it."""
        moment = now or clock.now()
        begun, last = 0, 0
        while (step := self._next(moment, last)) is not None:
            last, runs = step
            begun += runs
        return begun

    def _next(self, now: datetime, above: int) -> tuple[int, int] | None:
        with self.database.transaction() as connection:
            harvest = queries.take_due(connection, now, above)
            if harvest is None:
                return None
            return harvest.id, self._run(connection, harvest, now)

    def _run(self, connection: Connection, harvest: Harvest, now: datetime) -> int:
        assert harvest.next_at is not None
        schedule = queries.schedule_by_id(connection, harvest.schedule)
        decision = decide(
            harvest.next_at,
            now,
            after(schedule, harvest.rhythm_from),
            runs=harvest.scheduled_runs,
            missed=harvest.missed,
            patience=self._patience,
            busy=bool(run_queries.runs_under_way(connection, harvest.id)),
        )
        if decision.next_at == harvest.next_at:
            return 0  # it waits for its turn
        if decision.skipped:
            self._say_skipped(connection, harvest, decision)
        if decision.start:
            self._harvests.begin(connection, harvest, decision.start, scheduled=True)
        go_on(connection, existing_harvest(connection, harvest.id), decision.next_at)
        log.info("harvest due", harvest=harvest.id, run=decision.start, skipped=len(decision.skipped))
        return 1 if decision.start else 0

    def _say_skipped(self, connection: Connection, harvest: Harvest, decision: Decision) -> None:
        skipped = decision.skipped
        run_queries.insert_runs(connection, skipped_lines(harvest.id, skipped))
        after = {
            "skipped": len(skipped),
            "from": skipped[0].strftime(WRITTEN),
            "to": skipped[-1].strftime(WRITTEN),
        }
        record(connection, SYSTEM, "harvest.missed", subject(harvest), after=after)
        self._notifier.notify(connection, _about(harvest, decision))


def skipped_lines(harvest: int, dates: Sequence[datetime]) -> list[dict[str, object]]:
    """The rows that keep skipped dates: one for each of the newest, and one for all before."""
    early, late = dates[:-MOST_LINES], dates[-MOST_LINES:]
    counted = [(early[-1], len(early))] if early else []
    counted += [(date, 1) for date in late]
    state = RunState.SKIPPED.value
    return [
        {"harvest": harvest, "number": None, "state": state, "due_at": date, "left_out": {"missed": count}}
        for date, count in counted
    ]


def _about(harvest: Harvest, decision: Decision) -> Notification:
    facts = {
        "name": harvest.name,
        "count": len(decision.skipped),
        "first": decision.skipped[0].strftime(WRITTEN),
        "last": decision.skipped[-1].strftime(WRITTEN),
    }
    text = message(
        "Runs of the harvest %(name)s that fell due while nothing could run were skipped: %(count)s, from "
        "%(first)s to %(last)s. Its page lists them; there a run can be begun at once.",
        **facts,
    )
    if harvest.missed is Missed.CATCH_UP:
        text = message(
            "Runs of the harvest %(name)s fell due while nothing could run. The last %(most)s are caught up, "
            "one after the other; those before were skipped: %(count)s, from %(first)s to %(last)s. Its page "
            "lists them.",
            most=MOST_CAUGHT_UP,
            **facts,
        )
    return Notification(
        severity=Severity.WARNING,
        subject=message("Runs missed: %(name)s", name=harvest.name),
        text=text,
        key=f"planning.missed-{harvest.id}",
    )
