"""Who the embedded server runs as, and with which rights."""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.core.errors import Misconfigured
from armarium.db.embedded import account, postmaster, running, sockets
from armarium.db.embedded.account import Account
from armarium.db.embedded.places import Places

DAC_OVERRIDE = 1 << 1  # the bit of the capability in /proc/PID/status

USE_ONCE = """
import sys
from pathlib import Path
import psycopg
from armarium.db.embedded import running
for _ in range(2):
    with running(Path(sys.argv[1])) as url, psycopg.connect(url) as connection:
        print(connection.execute("SELECT 'served'").fetchone()[0])
"""

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run things as somebody else")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that everybody may pass, unlike those that pytest makes."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


def status(home: Path) -> dict[str, str]:
    """What the kernel says about the server's main process."""
    found = postmaster.running(Places(home).data)
    assert found is not None
    lines = Path(f"/proc/{found.pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def run_as(entry: pwd.struct_passwd, *command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        user=entry.pw_uid,
        group=entry.pw_gid,
        extra_groups=[],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        cwd="/",
        capture_output=True,
        text=True,
    )


def python_for(entry: pwd.struct_passwd) -> str:
    """An interpreter that this user may run; ours may lie in a folder that others cannot pass."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        try:
            if run_as(entry, candidate, "-c", "import armarium.db.embedded").returncode == 0:
                return candidate
        except PermissionError:
            continue
    pytest.skip("Python or this checkout lies in a folder that others cannot pass")


@as_root
def test_as_root_the_server_is_an_unprivileged_account_without_groups(open_folder: Path) -> None:
    with running(open_folder / "home"):
        found = status(open_folder / "home")
    assert "0" not in found["Uid"].split()
    assert found["Groups"] == ""


@as_root
def test_as_root_in_a_place_open_to_the_account_the_server_has_no_capability(open_folder: Path) -> None:
    chosen = account.choose(open_folder / "postgres")
    if chosen.lent:
        pytest.skip("this checkout itself lies in a folder that others cannot pass")
    with running(open_folder / "home"):
        assert int(status(open_folder / "home")["CapPrm"], 16) == 0


@as_root
def test_as_root_in_a_private_place_the_server_has_one_capability(open_folder: Path) -> None:
    open_folder.chmod(0o700)
    with running(open_folder / "home"):
        found = status(open_folder / "home")
    assert int(found["CapPrm"], 16) == DAC_OVERRIDE
    assert int(found["CapEff"], 16) == DAC_OVERRIDE
    assert found["NoNewPrivs"] == "1"


@as_root
def test_as_root_the_server_starts_although_the_folder_of_its_socket_lies_in_a_private_one(
    open_folder: Path,
) -> None:
    (open_folder / "home" / "run").mkdir(parents=True, mode=0o700)
    with running(open_folder / "home"):
        assert "0" not in status(open_folder / "home")["Uid"].split()


@as_root
def test_an_ordinary_user_runs_it_himself_twice_and_root_goes_on_with_it(open_folder: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    python = python_for(nobody)
    own = open_folder / "of nobody"
    own.mkdir()
    os.chown(own, nobody.pw_uid, nobody.pw_gid)
    done = run_as(nobody, python, "-c", USE_ONCE, own / "home")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("served\n") == 2
    with running(own / "home"):
        assert status(own / "home")["Uid"].split()[0] == str(nobody.pw_uid)


@as_root
def test_a_database_that_belongs_to_root_is_refused_with_what_to_do(open_folder: Path) -> None:
    (open_folder / "postgres").mkdir()
    (open_folder / "postgres" / "PG_VERSION").write_text("18\n")
    with pytest.raises(Misconfigured, match="chown -R nobody"), running(open_folder):
        pass


@as_root
def test_a_foreign_folder_under_our_temporary_name_is_left_alone(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who knows the name we would choose puts a folder or a link there first."""
    monkeypatch.setattr(tempfile, "tempdir", str(open_folder))
    ours = Account(os.geteuid(), os.getegid())
    too_deep = Path("/") / ("deep" * 40)
    wanted = sockets.folder_for(too_deep, ours)
    wanted.rmdir()

    elsewhere = open_folder / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    wanted.symlink_to(elsewhere)
    assert sockets.folder_for(too_deep, ours) not in (wanted, elsewhere)
    wanted.unlink()

    wanted.mkdir(mode=0o700)
    os.chown(wanted, 12345, 12345)
    assert sockets.folder_for(too_deep, ours) != wanted
    assert wanted.stat().st_uid == 12345
