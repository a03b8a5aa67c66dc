"""Databases of earlier states, for the test of upgrades: `python -m tests.homes NAME=COMMIT …` dumps each.

The state is checked out into a temporary folder and prepares an empty database as it did in its day. It is
filled with an account and with the rows of busy.sql, as far as the state has their tables, and dumped as
plain SQL into `tests/integration/db/homes/NAME.sql.gz`. A dump is made once, when a version is tagged, and
never changed: it stands for what is in people's hands.
"""

import gzip
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from armarium.db.database import Database
from armarium.db.embedded import places
from tests.busy import FEW, statements
from tests.database_server import database_server

CHECKOUT = Path(__file__).parents[1]
HOMES = CHECKOUT / "tests" / "integration" / "db" / "homes"
PREPARE = """
import sys
from armarium.db.database import Database
from armarium.server.assembly import prepare_database
database = Database(sys.argv[1], application="tests")
prepare_database(database)
database.close()
"""
ACCOUNT = """
INSERT INTO account (name, display_name, mail, language, roles, active, created_at)
    VALUES ('ada', 'Ada', 'ada@library.example', 'fr', '{administrator}', true, now())
"""


def make(name: str, commit: str) -> Path:
    with tempfile.TemporaryDirectory() as folder, database_server(Path(folder)) as url:
        with checked_out(commit, Path(folder) / "state") as state:
            environ = {"PYTHONPATH": str(state / "src"), "PATH": "/usr/bin:/bin"}
            subprocess.run([sys.executable, "-P", "-c", PREPARE, url], env=environ, cwd=state, check=True)
        fill(url)
        dump = [str(places.program("pg_dump")), "--inserts", "--no-owner", "--no-privileges", url]
        written = subprocess.run(dump, capture_output=True, check=True).stdout
    file = HOMES / f"{name}.sql.gz"
    file.write_bytes(gzip.compress(written, mtime=0))
    return file


@contextmanager
def checked_out(commit: str, folder: Path) -> Iterator[Path]:
    git = ["git", "-C", str(CHECKOUT), "worktree"]
    subprocess.run([*git, "add", "--quiet", "--detach", str(folder), commit], check=True)
    try:
        yield folder
    finally:
        subprocess.run([*git, "remove", "--force", str(folder)], check=True)


def fill(url: str) -> None:
    """As many of the rows as fit: earlier states had fewer tables, and other columns."""
    database = Database(url, application="tests")
    with database.transaction() as connection:
        for statement, values in [(sa.text(ACCOUNT), {}), *statements(FEW)]:
            try:
                with connection.begin_nested():
                    connection.execute(statement, values)
            except DBAPIError as error:
                sys.stderr.write(f"left out: {str(error.orig).splitlines()[0]}\n")
    database.close()


if __name__ == "__main__":
    for wanted in sys.argv[1:]:
        made = make(*wanted.split("=", 1))
        sys.stdout.write(f"{made.name}: {made.stat().st_size} bytes\n")
