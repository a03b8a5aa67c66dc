"""Figures of jobs for Prometheus, asked of the database at each scrape."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from armarium.core.errors import Unavailable
from armarium.db.database import Database
from armarium.planning.leasing import queries


class JobCounts(Collector):
    """How many jobs wait, and how many are held by collectors."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def describe(self) -> list[Metric]:
        return [self._family()]  # so that registering does not ask the database

    def collect(self) -> Iterator[Metric]:
        family = self._family()
        try:
            with self.database.transaction() as connection:
                for channel, state, count in queries.counts_by_channel(connection):
                    family.add_metric([channel, state], count)
        except Unavailable:
            return  # no figure is better than a wrong one; that the database is away has its own metric
        yield family

    @staticmethod
    def _family() -> GaugeMetricFamily:
        text = "Jobs by channel and state: waiting, or running on a collector."
        return GaugeMetricFamily("armarium_jobs", text, labels=["channel", "state"])
