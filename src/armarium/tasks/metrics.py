"""Figures for Prometheus. Made by the process that serves them; importing this makes none."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy import Connection

from armarium.core.errors import Unavailable
from armarium.db.database import Database
from armarium.tasks import tables

Ask = Callable[[Connection], Iterable[tuple[Sequence[str], int]]]
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


class Counts(Collector):
    """A gauge that is asked of the database at each scrape: `ask` gives its labels and figures."""

    def __init__(self, database: Database, name: str, text: str, labels: Sequence[str], ask: Ask) -> None:
        self._database = database
        self._family = partial(GaugeMetricFamily, name, text, labels=labels)
        self._ask = ask

    def describe(self) -> list[Metric]:
        return [self._family()]  # so that registering does not ask the database

    def collect(self) -> Iterator[Metric]:
        family = self._family()
        try:
            with self._database.transaction() as connection:
                for labels, count in self._ask(connection):
                    family.add_metric(labels, count)
        except Unavailable:
            return  # no figure is better than a wrong one; that the database is away has its own metric
        yield family


def task_counts(database: Database) -> Counts:
    """How many tasks there are."""
    return Counts(database, "armarium_tasks", "Tasks by queue and state.", ["queue", "state"], _by_queue)


def _by_queue(connection: Connection) -> Iterator[tuple[Sequence[str], int]]:
    for (queue, state), count in tables.counts_by_queue(connection).items():
        yield (queue, state.value), count
