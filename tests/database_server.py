"""The tests' own PostgreSQL, as a process that ends with them: `python -m tests.database_server FOLDER`.

It prints the address, serves until its standard input is closed, stops the server and removes the folder. The
kernel closes that pipe also when the tests are killed, and a session of its own keeps this process from dying
with them: neither a server nor its data in memory is left behind.
"""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import psycopg
from psycopg import sql

from armarium.db.embedded import running

MEMORY = Path("/dev/shm")
ROOM = 4 * 1024**3  # bytes that must be free in memory: the largest tests fill some hundred megabytes
PATIENCE = 60.0
CHECKOUT = Path(__file__).parents[1]

# Nothing here has to survive the machine, and tests should not wait for its disk.
SETTINGS = "\nfsync = off\nfull_page_writes = off\nsynchronous_commit = off\nautovacuum = off\n"


@contextmanager
def database_server(otherwise: Path, memory: Path = MEMORY, room: int = ROOM) -> Iterator[str]:
    """Address of a server with its data in memory if there is room, else in a new folder in `otherwise`."""
    place = memory if has_room(memory, room) else otherwise
    folder = Path(tempfile.mkdtemp(prefix="armarium-tests-", dir=place))
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.database_server", str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=CHECKOUT,
        start_new_session=True,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        lines = iter(process.stdout.readline, "")
        url = next((line for line in lines if line.startswith("postgresql://")), None)
        assert url is not None, "the server of the tests did not start; what it said is above"
        yield url.strip()
        process.stdin.close()
        assert process.wait(PATIENCE) == 0


def has_room(memory: Path, room: int) -> bool:
    """Is there such a folder, open to us, with so much room? It may promise more than the machine has."""
    if not os.access(memory, os.W_OK | os.X_OK):
        return False
    return min(shutil.disk_usage(memory).free, psutil.virtual_memory().available) >= room


def _serve(home: Path) -> None:
    _keep_what_it_starts()
    try:
        with running(home):
            pass  # made, and stopped again
        with (home / "postgres" / "postgresql.conf").open("a") as settings:
            settings.write(SETTINGS)
        with running(home) as url:
            _lighten_sign_in(url)
            print(url, flush=True)  # noqa: T201  (who started us reads it)
            _fall_silent()
            sys.stdin.read()
    finally:
        shutil.rmtree(home)


def _lighten_sign_in(url: str) -> None:
    # Thousands of times the tests connect, and each time libpq goes 4096 times over the password to prove it.
    with psycopg.connect(url, autocommit=True) as server:
        server.execute("SET scram_iterations = 1")
        password = sql.Literal(server.info.password)
        server.execute(sql.SQL("ALTER ROLE current_user PASSWORD {}").format(password))


def _keep_what_it_starts() -> None:
    # Below this process the server's time can be counted. PR_SET_CHILD_SUBREAPER is Linux's alone.
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)


def _fall_silent() -> None:
    # Nobody reads what is said from now on, and after a kill there is nobody who could.
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(nowhere, descriptor)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]))
