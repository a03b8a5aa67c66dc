"""The command line in processes of its own: what a newcomer types, mistypes and pipes."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.db.database import Database
from tests import forked
from tests.integration.cli.conftest import Run


def assert_refused(answer: "subprocess.CompletedProcess[str]", code: int, *words: str) -> None:
    """The error is on standard error, in a sentence, and nothing is on standard output."""
    assert answer.returncode == code, answer.stderr
    assert answer.stdout == ""
    assert "Traceback" not in answer.stderr
    for word in words:
        assert word in answer.stderr


def test_help_names_every_command_and_what_exit_codes_mean(armarium: Run) -> None:
    answer = armarium("--help")
    assert answer.returncode == 0
    assert answer.stdout.startswith("Usage: armarium [OPTIONS] COMMAND")
    assert "armarium up" in answer.stdout
    assert "0 fine, 1 the answer is no" in answer.stdout
    for command in ("up", "web", "scheduler", "worker", "settings", "accounts", "tokens", "tasks", "audit"):
        assert re.search(rf"^  {command}\b", answer.stdout, re.MULTILINE), command


def test_a_mistyped_command_is_answered_with_the_right_one(armarium: Run) -> None:
    assert_refused(armarium("acounts"), 2, "Did you mean “accounts”?", "Usage: armarium")
    assert_refused(armarium("accounts", "show", b"\xff"), 2, "not valid UTF-8")


def test_the_link_of_a_new_account_is_printed_and_good(armarium: Run, database: Database) -> None:
    made = armarium("accounts", "add", "zoe", "--role", "administrator", "--json")
    assert (made.returncode, made.stderr) == (0, "")
    told = json.loads(made.stdout)
    assert (told["name"], told["roles"], told["state"]) == ("zoe", ["administrator"], "invited")
    found = re.fullmatch(r"http://localhost:8000/welcome/([\w-]{43})", told["link"])
    assert found
    with database.transaction() as connection:
        kept = sa.text("SELECT count(*) FROM one_time_link WHERE key_digest = sha256(cast(:key as bytea))")
        assert connection.scalar(kept, {"key": found[1].encode()}) == 1
    assert_refused(armarium("accounts", "add", "zoe"), 1, "armarium: The name zoe is taken.")
    # Nobody can sign in before zoe has set a password, so the first link can still be had.
    assert armarium("accounts", "link").returncode == 0
    assert_refused(armarium("accounts", "show", "nobody"), 1, "There is no account named nobody.")


def test_settings_are_shown_checked_and_exemplified(armarium: Run, tmp_path: Path) -> None:
    shown = armarium("settings", "show", "--json")
    assert shown.returncode == 0
    assert "database" in shown.stdout
    example = armarium("settings", "example").stdout
    assert not any(tomllib.loads(example).values())  # all keys commented out
    assert "# port = 8000" in example or "#port = 8000" in example
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "armarium.toml").write_text('[web]\nprot = 8000\nport = "x"\n')
    checked = armarium("settings", "check", "--json")
    assert checked.returncode == 1
    problems = json.loads(checked.stdout)["problems"]
    assert [problem["line"] for problem in problems] == [2, 3]
    assert_refused(armarium("settings", "check"), 1, "armarium.toml", "port")
    assert_refused(armarium("accounts", "list"), 1, "armarium.toml", "port")


def test_secrets_are_masked(armarium: Run) -> None:
    secret = "postgresql://armarium:hunter2@127.0.0.1:1/x"
    shown = armarium("settings", "show", ARMARIUM_DATABASE_URL=secret)
    assert shown.returncode == 0
    assert "hunter2" not in shown.stdout + shown.stderr
    away = armarium("accounts", "list", ARMARIUM_DATABASE_URL=secret)
    assert_refused(away, 1, "The database cannot be reached")
    assert "hunter2" not in away.stderr


def test_a_data_folder_that_cannot_be_used_is_said_in_a_sentence(armarium: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    answer = armarium("--home", str(tmp_path / "file"), "accounts", "list", ARMARIUM_DATABASE_URL="")
    assert_refused(answer, 1, str(tmp_path / "file"))
    missing = armarium("--settings", str(tmp_path / "no.toml"), "accounts", "list")
    assert_refused(missing, 1, "no.toml", "no such settings file")


def test_completion_for_bash_is_produced(armarium: Run) -> None:
    script = armarium("completion", "bash")
    assert script.returncode == 0, script.stderr
    bash = subprocess.run(["bash", "-n"], input=script.stdout, text=True, capture_output=True)
    assert (bash.returncode, bash.stderr) == (0, "")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_reader_who_leaves_early_is_no_error(
    environment: dict[str, str], database: Database, tmp_path: Path, more: tuple[str, ...]
) -> None:
    with database.transaction() as connection:
        entries = (
            "INSERT INTO audit (at, actor, via, action, object_kind, object_id, object_name, before, after)"
            " SELECT now(), 'ada', 'page', 'x', 'thing', n, n, '{}', '{}' FROM generate_series(1, 3000) n"
        )
        connection.execute(sa.text(entries))
    command = [sys.executable, "-m", "armarium", "audit", "--most", "3000", *more]
    with forked.Popen(
        command, env=environment, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait(60) == 0
