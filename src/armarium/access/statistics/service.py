"""Figures of use, for staff, and the nightly task that tidies them."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa
import structlog

from armarium.access.settings import AccessSettings
from armarium.access.statistics import queries
from armarium.access.statistics.model import Question, Report, Stretch
from armarium.access.tables import use
from armarium.core import clock
from armarium.core.errors import Refused
from armarium.core.message import message
from armarium.db.database import Database
from armarium.tasks.context import TaskContext
from armarium.tasks.model import TaskKind

MOST_DOMAINS = 50
USUAL_DAYS = 30
MOST_DAYS = 400  # beyond that, months are drawn
FIRST_DAY = date(1991, 1, 1)  # of the web, and so of whatever may have been read


class Statistics:
    def __init__(self, database: Database, settings: AccessSettings, zone: str) -> None:
        self._database = database
        self._settings = settings
        self._zone = ZoneInfo(zone)

    def question(
        self,
        since: date | None = None,
        until: date | None = None,
        *,
        collection: str = "",
        monthly: bool | None = None,
    ) -> Question:
        """With what is usual where nothing was said: the last days until today."""
        until = max(min(until or date.max, self.today()), FIRST_DAY)
        since = max(since or until - timedelta(days=USUAL_DAYS - 1), FIRST_DAY)
        if since > until:
            raise Refused(message("The first day is after the last."), field="from")
        long = (until - since).days > MOST_DAYS
        return Question(since, until, collection, long if monthly is None else monthly or long)

    def report(self, question: Question) -> Report:
        shown = queries.PAGES_SHOWN
        with self._database.transaction() as connection:
            names = queries.network_names(connection)
            networks = queries.sums_by(connection, question, use.c.network, *shown)
            return Report(
                question,
                complete(queries.over_time(connection, question), question),
                queries.sums_by(connection, question, use.c.kind),
                queries.sums_by(connection, question, use.c.outcome, use.c.kind == "page"),
                queries.sums_by(connection, question, use.c.collection, *shown),
                [type(one)(names.get(one.name, ""), one.times, one.size) for one in networks],
                [] if question.collection else queries.domains(connection, question, MOST_DOMAINS),
                queries.collections(connection),
            )

    def lines(self, question: Question) -> list[dict[str, object]]:
        """All figures as they are kept, with the names of networks."""
        with self._database.transaction() as connection:
            names = queries.network_names(connection)
            found = queries.lines(connection, question)
        return [{**row, "network": names.get(str(row["network"]), "")} for row in found]

    def tidy(self) -> tuple[int, int]:
        """Put the rare sites of past months together, and forget what is too old."""
        today = self.today()
        with self._database.transaction() as connection:
            # One at a time: a second one would wait here and find nothing left to do.
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended("uses", 0))))
            folded = queries.fold_rare(connection, today.replace(day=1))
            forgotten = queries.forget(connection, today - timedelta(days=self._settings.statistics_days))
        return folded, forgotten

    def today(self) -> date:
        return clock.now().astimezone(self._zone).date()


def complete(stretches: list[Stretch], question: Question) -> list[Stretch]:
    """With the days or months in which nothing was read."""
    known = {one.begin: one for one in stretches}
    begin = question.since.replace(day=1) if question.monthly else question.since
    every: list[Stretch] = []
    while begin <= question.until:
        every.append(known.get(begin) or Stretch(begin))
        begin = _next_month(begin) if question.monthly else begin + timedelta(days=1)
    return every


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1)


log = structlog.get_logger(__name__)


def tidy(context: TaskContext) -> None:
    """Put sites together that were read so seldom that naming them might say who did."""
    folded, forgotten = context.service(Statistics).tidy()
    log.info("figures of use tidied", folded=folded, forgotten=forgotten)


TASKS = (TaskKind("access.statistics", tidy, priority=-5, cron="41 2 * * *"),)
