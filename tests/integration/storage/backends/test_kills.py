"""Storing and moving aside may be ended at every step."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from tests import forked
from tests.integration.storage.backends.worlds import NAME, World

PROGRAM = "tests.integration.storage.backends.killed"
ROOT = Path(__file__).parents[4]


def test_a_process_killed_at_any_step_leaves_a_whole_copy_or_none(killed_world: World) -> None:
    replica = killed_world.place.replica
    given = {
        "home": str(killed_world.folder),
        "kind": replica.kind,
        "location": replica.location,
        "options": dict(replica.options),
        "secrets": killed_world.secrets,
        "limits": asdict(killed_world.limits),
    }
    ran = forked.run(
        [sys.executable, "-m", PROGRAM, json.dumps(given)], cwd=ROOT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    steps = json.loads(ran.stdout)
    assert steps["puts"] >= 4
    assert steps["moves"] >= 6
    if "folder" in replica.kind:  # the copy of a test is a few writes long
        assert steps["puts"] >= 15


def test_what_a_killed_upload_left_behind_is_no_copy(data_world: World) -> None:
    data_world.behind.write("incoming/5b8f", b"half a file")
    assert list(data_world.place.names()) == []
    data_world.put()
    assert [held.name for held in data_world.place.names()] == [NAME]
