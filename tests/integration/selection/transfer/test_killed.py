"""A worker that is killed in the middle of a transfer leaves whole batches; the rest is done later, once."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.core.actor import SYSTEM
from armarium.selection.model import Origin
from armarium.selection.records.writing import Entered
from armarium.selection.transfer.model import TransferState
from armarium.selection.transfer.service import BATCH
from tests import forked
from tests.integration.selection.transfer.handing import Office, told
from tests.site import wait_until

RECORDS = BATCH + 20
PATIENCE = 60.0
QUICK = {
    "ARMARIUM_TASKS_HEARTBEAT_SECONDS": "0.5",
    "ARMARIUM_TASKS_STALLED_AFTER_SECONDS": "3",
    "ARMARIUM_PROCESSES_HEARTBEAT_SECONDS": "0.5",
}


class Processes:
    def __init__(self, home: Path, database_url: str) -> None:
        self.started: list[subprocess.Popen[bytes]] = []
        self.home = home
        self.environment = {
            **os.environ,
            **QUICK,
            "ARMARIUM_HOME": str(home),
            "ARMARIUM_DATABASE_URL": database_url,
        }

    def start(self, kind: str) -> subprocess.Popen[bytes]:
        with (self.home / "log").open("ab") as log:
            command = [sys.executable, "-m", "armarium", kind]
            started = forked.Popen(command, env=self.environment, stdout=log, stderr=log)
        self.started.append(started)
        return started


@pytest.fixture
def processes(tmp_path: Path, database_url: str) -> Iterator[Processes]:
    found = Processes(tmp_path, database_url)
    yield found
    for one in found.started:
        one.kill()
        one.wait()


@pytest.mark.timeout(200)
def test_a_killed_worker_leaves_whole_batches_and_the_rest_is_done_once(
    office: Office, processes: Processes
) -> None:
    library = office.library
    drafts = [library.draft(f"https://site{number}.example/") for number in range(RECORDS)]
    records = library.records.create_many(library.cora, [Entered(one, Origin.IMPORT) for one in drafts])
    transfers = office.house.transfer.transfers
    number = transfers.start(SYSTEM).id
    # The second batch waits for a record that somebody holds: the kill hits the worker in its middle.
    with office.house.database.transaction() as connection:
        held = sa.text("SELECT id FROM selection_record WHERE id = :id FOR UPDATE")
        connection.execute(held, {"id": records[-1].id})
        worker = processes.start("worker")
        wait_until(lambda: transfers.get(number).handled == BATCH, PATIENCE)
        worker.send_signal(signal.SIGKILL)
        worker.wait()
    assert len(office.rows("SELECT * FROM selection_link")) == BATCH
    processes.start("worker")
    processes.start("scheduler")
    wait_until(lambda: transfers.get(number).state is TransferState.DONE, PATIENCE)
    done = transfers.get(number)
    assert (done.handled, told(done)) == (RECORDS, {"made": RECORDS})
    assert len(office.members("Press · monthly")) == RECORDS
    assert office.counts() == {}
