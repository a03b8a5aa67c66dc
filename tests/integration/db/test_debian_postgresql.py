"""The same tests pass on Debian's PostgreSQL 15, reached by its address."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from armarium.db.embedded.account import Account

BINARIES = Path("/usr/lib/postgresql/15/bin")
HERE = Path(__file__).parent


@pytest.fixture
def url() -> Iterator[str]:
    """A private cluster of PostgreSQL 15, with a role that may make databases and nothing else."""
    if not (BINARIES / "initdb").exists():
        pytest.skip("PostgreSQL 15 is not installed (Debian: apt install postgresql-15)")
    if os.geteuid() == 0:
        entry = pwd.getpwnam("postgres")
        account = Account(entry.pw_uid, entry.pw_gid)
    else:
        account = Account(os.geteuid(), os.getegid())
    folder = Path(tempfile.mkdtemp())
    os.chown(folder, account.uid, account.gid)
    run(account, "initdb", f"--pgdata={folder}/data", "--username=admin", "--auth=trust", "--encoding=UTF8")
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    control = ("pg_ctl", f"--pgdata={folder}/data", "--wait", f"--log={folder}/log")
    run(account, *control, f"--options={options}", "start")
    try:
        with psycopg.connect(f"postgresql://admin@/postgres?host={folder}", autocommit=True) as connection:
            connection.execute("CREATE ROLE librarian LOGIN CREATEDB")
        yield f"postgresql://librarian@/postgres?host={folder}"
    finally:
        run(account, *control, "--mode=immediate", "stop")
        shutil.rmtree(folder)


def run(account: Account, program: str, *arguments: str) -> None:
    with tempfile.TemporaryFile() as output:
        done = account.run(BINARIES / program, *arguments, output=output)
        output.seek(0)
        assert done.returncode == 0, output.read().decode()


def test_migrations_and_transactions_work_on_postgresql_15(url: str) -> None:
    tests = [HERE / name for name in ("test_migrate.py", "test_database.py", "test_announce.py")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--database-url", url, *tests],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
