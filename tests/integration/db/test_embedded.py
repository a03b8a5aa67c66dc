"""The embedded server: made, shared, killed, found again."""

import os
import stat
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import psycopg
import pytest

from armarium.core.errors import Misconfigured
from armarium.db.embedded import postmaster, running
from armarium.db.embedded.places import Places


class User(Protocol):
    """A process that uses the server, as made by the fixture `new_user`."""

    process: subprocess.Popen[str]

    def url(self) -> str: ...
    def leave(self) -> None: ...
    def kill(self) -> None: ...


def answers(url: str) -> bool:
    try:
        psycopg.connect(url, connect_timeout=5).close()
    except psycopg.OperationalError:
        return False
    return True


def ask(url: str, question: str) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(question.encode()).fetchone()
        return row[0] if row else None


def pid_of_server(home: Path) -> int:
    found = postmaster.running(Places(home).data)
    assert found is not None
    return found.pid


def test_it_starts_stops_and_starts_again_with_what_it_held(home: Path) -> None:
    with running(home) as url, psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE seeds AS SELECT 'http://a.example/' AS url")
    assert not answers(url)
    with running(home) as again:
        assert again == url
        assert ask(url, "SELECT url FROM seeds") == "http://a.example/"


def test_armariums_role_is_no_superuser_and_nobody_else_can_sign_in(home: Path) -> None:
    with running(home) as url:
        assert ask(url, "SELECT rolsuper FROM pg_roles WHERE rolname = current_user") is False
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
            psycopg.connect(url, user="bootstrap", password="")
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(url, password="guess")


def test_it_speaks_utf8_keeps_checksums_and_listens_on_no_port(home: Path) -> None:
    with running(home) as url:
        assert ask(url, "SHOW server_encoding") == "UTF8"
        assert ask(url, "SHOW data_checksums") == "on"
        assert ask(url, "SHOW listen_addresses") == ""
        assert ask(url, "SELECT upper('é')") == "É"


def test_password_log_and_socket_are_for_us_alone(home: Path) -> None:
    with running(home):
        places = Places(home)
        found = postmaster.running(places.data)
        assert found is not None
        assert found.socket_folder is not None
        for file in (places.password, places.log, found.socket_folder, places.data):
            assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


def test_the_last_user_to_leave_stops_it(home: Path, new_user: Callable[[], User]) -> None:
    first, second = new_user(), new_user()  # at once: one makes the database, the other waits and joins
    url = first.url()
    assert second.url() == url
    first.leave()
    assert answers(url)
    second.leave()
    assert not answers(url)


def test_a_killed_user_does_not_keep_it_running(home: Path, new_user: Callable[[], User]) -> None:
    first, second = new_user(), new_user()
    url = first.url()
    second.url()
    second.kill()
    first.leave()
    assert not answers(url)


def test_a_server_that_outlived_all_its_users_is_joined_and_stopped(
    home: Path, new_user: Callable[[], User]
) -> None:
    user = new_user()
    url = user.url()
    user.kill()
    orphan = pid_of_server(home)
    with running(home) as again:
        assert again == url
        assert pid_of_server(home) == orphan
    assert not answers(url)


def test_a_killed_server_is_started_again_for_its_users(home: Path, kill_server: Callable[[], None]) -> None:
    with running(home) as url:
        before = pid_of_server(home)
        kill_server()
        deadline = time.monotonic() + 60
        while not answers(url) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert pid_of_server(home) != before


def test_server_and_users_killed_together_are_followed_by_a_clean_start(
    home: Path, new_user: Callable[[], User], kill_server: Callable[[], None]
) -> None:
    user = new_user()
    user.url()
    user.kill()
    kill_server()
    with running(home) as url:
        assert answers(url)


def test_a_stale_pid_file_with_the_number_of_another_process_is_no_obstacle(home: Path) -> None:
    with running(home):
        content = (Places(home).data / "postmaster.pid").read_text()
    lines = content.splitlines()
    stale = Places(home).data / "postmaster.pid"
    stale.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    owner = Places(home).data.stat()
    os.chown(stale, owner.st_uid, owner.st_gid)
    with running(home) as url:
        assert answers(url)


def test_a_start_killed_while_the_database_was_made_is_followed_by_a_clean_one(
    home: Path, new_user: Callable[[], User]
) -> None:
    user = new_user()
    while not list(home.glob("postgres.unfinished-*/*/base")):
        assert not (home / "postgres").exists(), "too late to be killed half-way"
        time.sleep(0.005)
    user.kill()
    assert not (home / "postgres").exists()
    with running(home) as url:
        assert answers(url)
    assert [entry.name for entry in home.glob("postgres*")] == ["postgres"]


def test_what_is_not_a_database_is_neither_used_nor_touched(home: Path) -> None:
    precious = home / "postgres" / "thesis.odt"
    precious.parent.mkdir(parents=True)
    precious.write_text("precious")
    with pytest.raises(Misconfigured, match="in the way"), running(home):
        pass
    assert precious.read_text() == "precious"


def test_a_database_of_another_major_version_is_refused(home: Path) -> None:
    with running(home):
        pass
    (home / "postgres" / "PG_VERSION").write_text("14\n")
    with pytest.raises(Misconfigured, match=r"made by PostgreSQL 14.*runs PostgreSQL 18"), running(home):
        pass


def test_a_lost_password_is_replaced_at_the_next_start(home: Path) -> None:
    with running(home) as url:
        before = url
    Places(home).password.unlink()
    with running(home) as url:
        assert url != before
        assert answers(url)


def test_a_server_that_cannot_start_shows_the_end_of_its_log(home: Path) -> None:
    with running(home):
        pass
    with (home / "postgres" / "postgresql.conf").open("a") as configuration:
        configuration.write("shared_buffers = nonsense\n")
    with pytest.raises(Misconfigured, match=r"did not start(.|\n)*shared_buffers"), running(home):
        pass


def test_a_data_folder_that_cannot_be_made_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Misconfigured, match="ARMARIUM_HOME"), running(tmp_path / "file" / "home"):
        pass


def test_a_deep_data_folder_gets_its_socket_in_a_private_temporary_folder(tmp_path: Path) -> None:
    home = tmp_path / ("deep" * 20) / ("deeper" * 10)
    with running(home) as url:
        found = postmaster.running(Places(home).data)
        assert found is not None
        assert found.socket_folder is not None
        assert stat.S_IMODE(found.socket_folder.stat().st_mode) == 0o700
        assert answers(url)
    assert not found.socket_folder.exists()


def test_the_server_holds_neither_our_locks_nor_our_output(home: Path, new_user: Callable[[], User]) -> None:
    user = new_user()
    user.url()
    user.kill()
    assert user.process.stdout is not None
    assert user.process.stdout.read() == ""  # end of file, though the server still runs
    # Nobody holds the users' lock: the tool of util-linux gets it at once.
    assert subprocess.run(["flock", "--nonblock", Places(home).users_lock, "true"]).returncode == 0


def test_joining_a_running_server_leaves_no_complaint_in_its_log(home: Path) -> None:
    with running(home), running(home):
        pass
    assert "FATAL" not in Places(home).log.read_text()


def test_a_server_that_cannot_be_used_is_not_left_in_the_way(
    home: Path, new_user: Callable[[], User]
) -> None:
    user = new_user()
    user.url()
    user.kill()  # the server outlives it
    Places(home).password.unlink()
    with pytest.raises(Misconfigured, match="password is missing"), running(home):
        pass
    with running(home) as url:
        assert answers(url)


def test_the_server_runs_in_a_session_of_its_own(home: Path) -> None:
    with running(home):
        assert os.getsid(pid_of_server(home)) != os.getsid(0)
