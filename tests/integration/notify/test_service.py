"""From a room's notification to the letter, with a real worker in between."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa
from prometheus_client import CollectorRegistry

from armarium.core.message import message
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.notify.channels import LogChannel
from armarium.notify.mail import MailChannel
from armarium.notify.model import Channel, Notification, Severity
from armarium.notify.service import Notifications, Notifier
from armarium.notify.settings import MailSettings, NotifySettings
from armarium.notify.tasks import TASKS, report_failed_tasks
from armarium.tasks.context import TaskContext
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.metrics import TaskMetrics
from armarium.tasks.model import TaskState, Wanted
from armarium.tasks.service import Tasks
from armarium.tasks.settings import TaskSettings
from armarium.tasks.worker import TaskWorker
from tests.integration.notify.conftest import Postbox, Serve
from tests.site import wait_until

KINDS = TaskKinds(TASKS)
SETTINGS = NotifySettings(channels=("log", "mail"), recipients=("anna@library.example",), quiet_minutes=60)
FULL = Notification(
    Severity.WARNING, message("Disk %(name)s is full", name="one"), message("Make room."), key="disk.one"
)


@pytest.fixture
def tasks(database: Database) -> Tasks:
    return Tasks(database, KINDS)


@contextmanager
def worker(database: Database, tasks: Tasks, channels: dict[str, Channel]) -> Iterator[None]:
    services = Services([Notifications(database, SETTINGS, channels), tasks])
    metrics = TaskMetrics(CollectorRegistry())
    running = TaskWorker(database.url, KINDS, services, TaskSettings(), metrics=metrics)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        yield
    finally:
        running.drain()
        thread.join(60)


def test_a_notification_goes_through_every_channel_and_stays_in_the_history(
    database: Database, tasks: Tasks, serve: Serve
) -> None:
    postbox = Postbox()
    mail = MailSettings(host="127.0.0.1", port=serve(postbox), sender="armarium@library.example")
    channels: dict[str, Channel] = {
        "log": LogChannel(),
        "mail": MailChannel(mail, SETTINGS, lambda what, _language: str(what)),
    }
    with database.transaction() as connection:
        assert Notifier(tasks, SETTINGS).notify(connection, FULL)
    with worker(database, tasks, channels):
        wait_until(lambda: tasks.counts()[TaskState.FINISHED] >= 2)
    assert [letter["Subject"] for letter in postbox.letters] == ["[Armarium] Disk one is full"]
    [entry], total = Notifications(database, SETTINGS, channels).page(limit=10)
    assert (total, entry.notification, set(entry.deliveries)) == (1, FULL, {"log", "mail"})


def test_the_same_key_is_not_sent_again_within_the_quiet_time_but_counted(
    database: Database, tasks: Tasks
) -> None:
    notifier = Notifier(tasks, SETTINGS)
    with database.transaction() as connection:
        assert notifier.notify(connection, FULL)
        assert not notifier.notify(connection, FULL)
    with database.transaction() as connection:
        assert not notifier.notify(connection, FULL)
    assert tasks.page(Wanted(), limit=10)[1] == 2  # one for each channel
    [entry], _ = Notifications(database, SETTINGS, {}).page(limit=10)
    assert entry.repeats == 2
    with database.transaction() as connection:
        connection.execute(sa.text("UPDATE notification SET at = at - interval '61 minutes'"))
        assert notifier.notify(connection, FULL)


def test_a_notification_that_is_rolled_back_was_never_there(database: Database, tasks: Tasks) -> None:
    with database.transaction() as connection:
        Notifier(tasks, SETTINGS).notify(connection, FULL)
        connection.rollback()
    assert Notifications(database, SETTINGS, {}).page(limit=10) == ([], 0)
    assert tasks.page(Wanted(), limit=10) == ([], 0)


def test_two_who_notify_at_the_same_moment_send_one(database: Database, tasks: Tasks) -> None:
    results: list[bool] = []
    together = threading.Barrier(4)

    def notify() -> None:
        together.wait()
        with database.transaction() as connection:
            results.append(Notifier(tasks, SETTINGS).notify(connection, FULL))

    threads = [threading.Thread(target=notify) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [False, False, False, True]


def test_failed_tasks_are_reported_once_but_not_those_that_carry_notifications(
    database: Database, tasks: Tasks
) -> None:
    notifier = Notifier(tasks, SETTINGS)
    with database.transaction() as connection:
        for name in ("notify.forget", "notify.send"):
            arguments = {"notification": 1, "channel": "log"} if name == "notify.send" else {}
            tasks.defer(connection, name, arguments)
        connection.execute(sa.text("UPDATE procrastinate_jobs SET status = 'doing'"))
        connection.execute(sa.text("UPDATE procrastinate_jobs SET status = 'failed'"))
    history = Notifications(database, SETTINGS, {})
    context = TaskContext(1, "x", 1, services=Services([database, history, tasks, notifier]))
    report_failed_tasks(context)
    report_failed_tasks(context)
    [entry], total = history.page(limit=10)
    assert (total, entry.repeats) == (1, 0)
    assert str(entry.notification.subject) == "Tasks have failed: 1"
    assert "notify.forget (1)" in str(entry.notification.text)


def test_what_failed_in_the_quiet_time_is_told_after_it_and_counted_neither_twice_nor_as_a_repetition(
    database: Database, tasks: Tasks
) -> None:
    history = Notifications(database, SETTINGS, {})
    context = TaskContext(1, "x", 1, services=Services([database, history, tasks, Notifier(tasks, SETTINGS)]))
    fail_one(database, tasks)
    report_failed_tasks(context)
    fail_one(database, tasks)
    for _ in range(3):  # the looks of the quiet time
        report_failed_tasks(context)
    [first], _ = history.page(limit=10)
    assert first.repeats == 0
    with database.transaction() as connection:  # let an hour pass
        connection.execute(sa.text("UPDATE notification SET at = at - interval '61 minutes'"))
        connection.execute(sa.text("UPDATE procrastinate_events SET at = at - interval '61 minutes'"))
    report_failed_tasks(context)
    [second, _], _ = history.page(limit=10)
    assert str(second.notification.subject) == "Tasks have failed: 1"


def fail_one(database: Database, tasks: Tasks) -> None:
    with database.transaction() as connection:
        number = {"id": tasks.defer(connection, "notify.forget", {})}
        connection.execute(sa.text("UPDATE procrastinate_jobs SET status = 'doing' WHERE id = :id"), number)
        connection.execute(sa.text("UPDATE procrastinate_jobs SET status = 'failed' WHERE id = :id"), number)


def test_old_notifications_are_forgotten(database: Database, tasks: Tasks) -> None:
    with database.transaction() as connection:
        Notifier(tasks, SETTINGS).notify(connection, FULL)
        connection.execute(sa.text("UPDATE notification SET at = at - interval '91 days'"))
    history = Notifications(database, SETTINGS, {})
    assert history.forget_old() == 1
    assert history.page(limit=10) == ([], 0)
