"""What Prometheus is told."""

from prometheus_client import CollectorRegistry

from armarium.db.database import Database
from armarium.tasks.metrics import TaskMetrics, task_counts
from tests.integration.tasks.conftest import Workshop


def test_tasks_are_counted_by_queue_and_state(workshop: Workshop) -> None:
    registry = CollectorRegistry()
    registry.register(task_counts(workshop.database))
    workshop.defer("test.line", text="a")
    workshop.defer("test.line", text="b")
    workshop.defer("test.other-queue", text="c")
    assert registry.get_sample_value("armarium_tasks", {"queue": "default", "state": "waiting"}) == 2
    assert registry.get_sample_value("armarium_tasks", {"queue": "other", "state": "waiting"}) == 1


def test_without_a_database_there_are_no_counts_but_also_no_error() -> None:
    registry = CollectorRegistry()
    registry.register(task_counts(Database("postgresql://127.0.0.1:1/nowhere", application="tests")))
    assert list(registry.collect()) == []


def test_durations_are_counted_by_kind_and_outcome() -> None:
    registry = CollectorRegistry()
    TaskMetrics(registry).observe("test.line", "finished", 0.2)
    labels = {"task": "test.line", "outcome": "finished"}
    assert registry.get_sample_value("armarium_task_seconds_count", labels) == 1
