"""`armarium overview`: what waits, runs and went wrong, for people and for programs."""

import json
import subprocess
from collections.abc import Callable

from armarium.db.database import Database
from tests.busy import fill

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_it_tells_all_of_it_in_words_and_as_json(armarium: Run, database: Database) -> None:
    fill(database)
    said = armarium("overview")
    assert said.returncode == 0, said.stderr
    assert "Failed jobs" in said.stdout
    assert "Create a collection" not in said.stdout
    assert "Copies in “one” are damaged (× 2), still" in " ".join(said.stdout.split())
    told = json.loads(armarium("overview", "--json").stdout)
    assert {one["title"] for one in told["waiting"]} >= {"Failed jobs", "Proposals to decide"}
    assert told["missing"] == []
    assert len(told["figures"][0]["series"][0]["values"]) == 52


def test_it_tells_what_one_person_sees(armarium: Run, database: Database) -> None:
    fill(database)
    made = armarium("accounts", "add", "mia", "--role", "manager")
    assert made.returncode == 0, made.stderr
    told = json.loads(armarium("overview", "--account", "mia", "--json").stdout)
    assert told["waiting"] == []
    assert told["wrong"]
    unknown = armarium("overview", "--account", "nobody")
    assert unknown.returncode == 1
    assert "nobody" in unknown.stderr
