"""Tasks to be killed, and the processes in which they run: `workshop.py ROLE URL`."""

import os
import signal
import sys
import time
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from armarium.core.services import Services
from armarium.db.database import Database
from armarium.tasks.context import TaskContext
from armarium.tasks.failure import TaskFailed, TaskStopped
from armarium.tasks.kinds import TaskKinds
from armarium.tasks.model import NEVER_AGAIN, Retry, TaskKind
from armarium.tasks.scheduler import Scheduler
from armarium.tasks.settings import TaskSettings
from armarium.tasks.worker import TaskWorker

AT_ONCE = Retry(attempts=3, delays=(0,))

QUICK = TaskSettings(
    concurrency=4, heartbeat_seconds=0.4, stalled_after_seconds=1.5, drain_seconds=1.5, lost_limit=3
)


def write_line(context: TaskContext, text: str, seconds: float = 0) -> None:
    """Take some time, then leave a line that says that the work is done."""
    say(context, "started", text)
    time.sleep(seconds)
    say(context, "done", text)


def sleep(_context: TaskContext, seconds: float) -> None:
    time.sleep(seconds)


def stop_when_asked(context: TaskContext, text: str) -> None:
    say(context, "started", text)
    while not context.stopping():
        time.sleep(0.02)
    say(context, "stopped", text)
    raise TaskStopped


def fail(context: TaskContext, text: str, permanent: bool = False) -> None:
    say(context, "failed", text)
    raise TaskFailed(f"{text}: password=hunter2", permanent=permanent)


def fail_at_a_foreign_name(_context: TaskContext) -> None:
    name = os.fsdecode(b"caf\xe9.warc")  # as Linux gives a file name that is not UTF-8
    raise TaskFailed(f"The file {name} is damaged.", permanent=True)


def fail_at_length(_context: TaskContext) -> None:
    raise TaskFailed("a." * 60_000, permanent=True)


def fail_once(context: TaskContext, text: str) -> None:
    if context.attempt == 1:
        raise RuntimeError(text)
    say(context, "done", text)


def kill_the_worker(context: TaskContext) -> None:
    say(context, "killed", "")
    os.kill(os.getpid(), signal.SIGKILL)


def tick(context: TaskContext) -> None:
    assert context.due is not None
    say(context, "tick", context.due.isoformat())


def say(context: TaskContext, what: str, text: str) -> None:
    context.service(Diary).write(f"{what} {text} {context.attempt}")


class Diary:
    """Lines in a table, so that they survive whoever wrote them; they wait for a database that is away."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def prepare(self) -> None:
        with self.database.transaction() as connection:
            connection.execute(sa.text("CREATE TABLE diary (id bigserial, line text)"))

    def write(self, line: str) -> None:
        with self.database.transaction() as connection:
            connection.execute(sa.text("INSERT INTO diary (line) VALUES (:line)"), {"line": line})

    def lines(self) -> list[str]:
        with self.database.transaction() as connection:
            return list(connection.scalars(sa.text("SELECT line FROM diary ORDER BY id")))


KINDS = TaskKinds(
    [
        TaskKind("test.line", write_line),
        TaskKind("test.sleep", sleep),
        TaskKind("test.stop", stop_when_asked),
        TaskKind("test.fail", fail, retry=AT_ONCE),
        TaskKind("test.fail-at-a-foreign-name", fail_at_a_foreign_name),
        TaskKind("test.fail-at-length", fail_at_length),
        TaskKind("test.fail-once", fail_once, retry=AT_ONCE),
        TaskKind("test.line-once", write_line, retry=NEVER_AGAIN),
        TaskKind("test.kill", kill_the_worker),
        TaskKind("test.other-queue", write_line, queue="other"),
    ]
)
YEARLY = TaskKinds([*KINDS, TaskKind("test.new-year", tick, cron="0 0 1 1 *")])
PERIODIC = TaskKinds([*YEARLY, TaskKind("test.tick", tick, cron="* * * * * *")])
SCHEDULERS = {"scheduler": KINDS, "clock": TaskKinds([*KINDS, PERIODIC["test.tick"]]), "calendar": YEARLY}


def main(role: str, url: str) -> None:
    if role in SCHEDULERS:
        Scheduler(url, SCHEDULERS[role], QUICK).run()
        return
    diary = Diary(Database(url, application="diary"))
    settings = QUICK if role == "worker" else TaskSettings()  # "calm-worker": looks for tasks seldom
    unfinished = TaskWorker(url, PERIODIC, Services([diary]), settings).run()
    os._exit(0 if not unfinished else 3)


HERE = Path(__file__)
PATIENCE = timedelta(seconds=60)

if __name__ == "__main__":
    main(*sys.argv[1:])
