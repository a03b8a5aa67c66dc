"""Who the embedded server runs as, and with which rights."""

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

from armarium.core.errors import Misconfigured
from armarium.db.embedded import account, places, postmaster, running, sockets
from armarium.db.embedded.account import Account
from armarium.db.embedded.places import Places

# Bits of the capabilities in /proc/PID/status: DAC_OVERRIDE, DAC_READ_SEARCH.
PASSING = (1 << 1, 1 << 2)

USE_ONCE = """
import sys
from pathlib import Path
import psycopg
from armarium.db.embedded import running
for _ in range(2):
    with running(Path(sys.argv[1])) as url, psycopg.connect(url) as connection:
        print(connection.execute("SELECT 'served'").fetchone()[0])
"""

SHARED_HERE = [entry.pw_name for entry in pwd.getpwall() if entry.pw_name in account.SHARED]

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


def owners(folder: Path) -> set[int]:
    return {found.lstat().st_uid for found in (folder, *folder.rglob("*"))}


def hand(folder: Path, uid: int, *, made_of: Path | None = None) -> None:
    """Give a folder to somebody with all that is in it, as earlier versions left it."""
    if made_of is not None:
        shutil.copytree(made_of, folder)
    for found in (folder, *folder.rglob("*")):
        os.chown(found, uid, -1, follow_symlinks=False)


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
def test_as_root_the_server_runs_under_a_number_that_nobody_else_has(open_folder: Path) -> None:
    with running(open_folder / "home"):
        found = status(open_folder / "home")
    (uid,) = set(found["Uid"].split())
    with pytest.raises(KeyError):
        pwd.getpwuid(int(uid))
    assert found["Groups"] == ""


@as_root
def test_as_root_the_files_are_closed_to_the_accounts_that_services_share(open_folder: Path) -> None:
    home = open_folder / "home"
    with running(home):
        for entry in map(pwd.getpwnam, SHARED_HERE):
            for file in ("postgres/postgresql.conf", "postgres/pg_hba.conf", "run/postgres/.s.PGSQL.5432"):
                assert run_as(entry, "test", "-e", home / file).returncode != 0, file
            assert run_as(entry, "ls", home).returncode != 0
    assert owners(home / "postgres") == {(home / "postgres").stat().st_uid}


@as_root
def test_as_root_in_a_place_open_to_all_the_server_has_no_capability(open_folder: Path) -> None:
    if account.choose(open_folder / "postgres").capability:
        pytest.skip("this checkout itself lies in a folder that others cannot pass")
    with running(open_folder / "new" / "home"):
        assert int(status(open_folder / "new" / "home")["CapPrm"], 16) == 0


@as_root
def test_as_root_in_a_private_place_the_server_has_one_capability(open_folder: Path) -> None:
    open_folder.chmod(0o700)
    with running(open_folder / "home"):
        found = status(open_folder / "home")
    assert int(found["CapPrm"], 16) in PASSING
    assert found["CapEff"] == found["CapPrm"]
    assert found["NoNewPrivs"] == "1"


@as_root
def test_programs_in_a_private_place_lend_a_capability_to_nobody_who_has_a_name(
    open_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise whoever shares the account edits the server's settings, and reads what root can read."""
    private = open_folder / "private"
    private.mkdir(mode=0o700)
    (private / "bin").symlink_to(places.folder())
    monkeypatch.setattr(places, "folder", lambda: private / "bin")
    with running(open_folder / "home"):
        found = status(open_folder / "home")
    assert int(found["CapPrm"], 16) in PASSING
    assert int(found["Uid"].split()[0]) not in {entry.pw_uid for entry in pwd.getpwall()}

    own = open_folder / "own"
    own.mkdir()
    hand(own, pwd.getpwnam("nobody").pw_uid)
    hand(made := own / "postgres", pwd.getpwnam("nobody").pw_uid, made_of=open_folder / "home" / "postgres")
    with pytest.raises(Misconfigured, match="cannot reach all of these"):
        account.choose(made)


@as_root
@pytest.mark.parametrize("before", ["root", *SHARED_HERE])
def test_a_database_of_a_shared_account_is_handed_over_at_the_next_start(
    open_folder: Path, before: str
) -> None:
    home, victim = open_folder / "home", open_folder / "victim"
    with running(home) as url, psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 1 AS one")
    hand(home / "postgres", pwd.getpwnam(before).pw_uid)
    victim.write_text("")
    os.chown(victim, pwd.getpwnam(before).pw_uid, -1)
    (home / "postgres" / "link").symlink_to(victim)
    os.chown(home / "postgres" / "link", pwd.getpwnam(before).pw_uid, -1, follow_symlinks=False)
    with running(home) as url, psycopg.connect(url) as connection:
        assert connection.execute("SELECT one FROM kept").fetchone() == (1,)
        uid = int(status(home)["Uid"].split()[0])
    assert not account.is_named(uid)
    assert owners(home / "postgres") == {uid}
    assert victim.stat().st_uid == pwd.getpwnam(before).pw_uid, "a link was followed"


@as_root
def test_a_handing_over_that_was_cut_off_is_finished_by_the_next_start(open_folder: Path) -> None:
    home = open_folder / "home"
    with running(home):
        pass
    data, nobody = home / "postgres", pwd.getpwnam("nobody").pw_uid
    uid = data.stat().st_uid
    for left in ("PG_VERSION", "global", "base/1/PG_VERSION"):
        os.chown(data / left, nobody, -1)
    with running(home):
        assert status(home)["Uid"].split()[0] == str(uid)
    assert owners(data) == {uid}


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
