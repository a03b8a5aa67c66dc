"""The server of the tests themselves: where its data lie, and that nothing of it is left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import psycopg

from tests.database_server import CHECKOUT, database_server, has_room
from tests.site import wait_until

PATIENCE = 60.0
KILLED_LATER = """
import sys, time
from pathlib import Path
from tests.database_server import database_server
with database_server(Path(sys.argv[1]), memory=Path(sys.argv[2]), room=0) as url:
    print(url, flush=True)
    time.sleep(3600)
"""


def servers_in(folder: Path) -> list[psutil.Process]:
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if str(folder) in " ".join(process.info["cmdline"] or ()) and process.pid != os.getpid()
    ]


def test_the_data_lie_in_memory_if_there_is_room_and_are_gone_afterwards(tmp_path: Path) -> None:
    memory, otherwise = tmp_path / "memory", tmp_path / "otherwise"
    memory.mkdir()
    otherwise.mkdir()
    for room, place in ((0, memory), (2**60, otherwise)):
        with database_server(otherwise, memory=memory, room=room) as url, psycopg.connect(url) as connection:
            assert [folder.parent for folder in tmp_path.glob("*/armarium-tests-*")] == [place]
            assert connection.execute("SHOW fsync").fetchone() == ("off",)
        assert not list(tmp_path.glob("*/*"))


def test_a_machine_without_a_folder_in_memory_has_no_room(tmp_path: Path) -> None:
    assert not has_room(tmp_path / "missing", 0)


def test_neither_server_nor_data_outlive_tests_that_are_killed(tmp_path: Path) -> None:
    tests = subprocess.Popen(
        [sys.executable, "-c", KILLED_LATER, str(tmp_path), str(tmp_path)],
        cwd=CHECKOUT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with tests:
        assert tests.stdout is not None
        assert tests.stdout.readline().startswith("postgresql://")
        assert servers_in(tmp_path)
        os.killpg(tests.pid, signal.SIGKILL)
    wait_until(lambda: not list(tmp_path.iterdir()) and not servers_in(tmp_path), PATIENCE)
