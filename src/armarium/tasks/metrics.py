"""Figures for Prometheus. Made by the process that serves them; importing this makes none."""

from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from armarium.core.errors import Unavailable
from armarium.db.database import Database
from armarium.tasks import tables

SECONDS = (0.05, 0.25, 1, 5, 15, 60, 300, 900, 3600, 14400)


class TaskMetrics:
    """How long tasks take, measured in the worker."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self._seconds = Histogram(
            "armarium_task_seconds",
            "Duration of attempts at tasks, by kind and outcome (finished, failed, stopped).",
            ["task", "outcome"],
            buckets=SECONDS,
            registry=registry,
        )

    def observe(self, task: str, outcome: str, seconds: float) -> None:
        self._seconds.labels(task, outcome).observe(seconds)


class TaskCounts(Collector):
    """How many tasks there are, asked of the database at each scrape."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def describe(self) -> list[Metric]:
        return [self._family()]  # so that registering does not ask the database

    def collect(self) -> Iterator[Metric]:
        family = self._family()
        try:
            with self.database.transaction() as connection:
                for (queue, state), count in tables.counts_by_queue(connection).items():
                    family.add_metric([queue, state.value], count)
        except Unavailable:
            return  # no figure is better than a wrong one; that the database is away has its own metric
        yield family

    @staticmethod
    def _family() -> GaugeMetricFamily:
        return GaugeMetricFamily("armarium_tasks", "Tasks by queue and state.", labels=["queue", "state"])
