"""Kill a recording process at any moment: what it recorded stays, and is known."""

import json
import random
import signal
import sys
import time
from pathlib import Path

from armarium.core.clock import now
from armarium.formats.validation import Options, validate
from armarium.formats.warc.reader import ArchiveReader
from armarium.harvest.record import adopt
from tests import forked
from tests.unit.harvest.record.recording import assert_indexed

ROOT = Path(__file__).parents[4]
KILLS = 8


def record_and_kill(folder: Path, first: int, seconds: float) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.integration.harvest.record.endless_recording",
        str(folder),
        str(first),
    ]
    process = forked.Popen(command, cwd=ROOT)
    try:
        commits = folder / "commits"
        before = commits.stat().st_size if commits.exists() else 0
        deadline = time.monotonic() + 60
        while not (commits.exists() and commits.stat().st_size > before):
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        time.sleep(seconds)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def last_commit(folder: Path) -> tuple[dict[str, int], int]:
    lines = (folder / "commits").read_bytes().split(b"\n")
    positions, number = json.loads(lines[-2])
    return positions, number


def test_every_capture_is_committed_or_adopted_and_none_is_both(tmp_path: Path) -> None:
    chance = random.Random(4)
    known: set[int] = set()
    first = 1
    for _ in range(KILLS):
        record_and_kill(tmp_path, first, chance.random() * 0.2)
        positions, number = last_commit(tmp_path)
        committed = set(range(first, number + 1))
        adopted = [int(capture.url.rpartition("/")[2]) for capture in adopt(tmp_path, positions)]
        assert adopted == list(range(number + 1, number + 1 + len(adopted)))
        assert known.isdisjoint(committed)
        known |= committed | set(adopted)
        first = max(known) + 1
    assert known == set(range(1, first))
    assert_indexed(tmp_path)
    recorded = []
    for path in sorted(tmp_path.glob("*.warc.gz")):
        with path.open("rb") as file:
            report = validate(file, name=path.name, options=Options(now=None))
        assert (report.errors, report.warnings) == (0, 0), report.problems
        with path.open("rb") as file:
            recorded += [
                str(record.target_uri) for record in ArchiveReader(file) if record.record_type == "metadata"
            ]
    assert sorted(recorded) == sorted(f"http://example.org/{number}" for number in known)


def test_nothing_unfinished_is_left(tmp_path: Path) -> None:
    record_and_kill(tmp_path, 1, 0.05)
    begun = now()
    list(adopt(tmp_path, {}))
    assert not list(tmp_path.glob("*.open"))
    assert (now() - begun).total_seconds() < 20
