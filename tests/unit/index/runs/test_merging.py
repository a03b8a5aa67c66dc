"""Merging: the same file, whatever the runs were and in whatever order they were merged."""

import os
import random
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.index.runs import DamagedRun, Run, RunFacts, merge, sort_into_run
from armarium.index.runs.facts import filename_of
from armarium.index.runs.folder import FolderPlace
from armarium.index.runs.writer import RunWriter
from armarium.tasks.failure import TaskStopped
from tests.unit.index.captures import capture, captures, run_of, write

WORDS = st.text("ab )", max_size=6).map(str.encode)
SOURCES = st.lists(st.lists(WORDS, max_size=30).map(lambda lines: sorted(set(lines))), max_size=6)


@given(SOURCES)
@settings(max_examples=30, deadline=None)
def test_merged_runs_are_what_sort_would_make(sources: list[list[bytes]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = [run_of(folder, f"run-{number}", lines) for number, lines in enumerate(sources)]
        merge(runs, folder / "merged")
        assert list(Run(FolderPlace(folder), "merged").scan()) == sorted(
            {line for lines in sources for line in lines}
        )


@given(seed=st.integers(0, 10**6), count=st.integers(2, 6), shape=st.sampled_from(["mixed", "apart", "few"]))
@settings(max_examples=8, deadline=None)
def test_the_bytes_depend_on_the_lines_alone(seed: int, count: int, shape: str) -> None:
    chance = random.Random(seed)
    lines = captures(4000, seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        at_once = write(folder / "at-once", lines)
        runs = [
            run_of(folder, f"run-{number}", part)
            for number, part in enumerate(parts(lines, count, shape, chance))
        ]
        assert merge(runs, folder / "all") == at_once
        chance.shuffle(runs)
        while len(runs) > 1:
            some = chance.randint(2, len(runs))
            target = f"step-{len(runs)}"
            merge(runs[:some], folder / target)
            runs = [*runs[some:], Run(FolderPlace(folder), target)]
        assert (folder / runs[0].name).read_bytes() == (folder / "at-once").read_bytes()


def parts(lines: list[bytes], count: int, shape: str, chance: random.Random) -> list[list[bytes]]:
    """Every line in at least one part."""
    if shape == "apart":
        length = len(lines) // count + 1
        return [lines[number * length : (number + 1) * length] for number in range(count)]
    if shape == "few":
        small = sorted(chance.sample(lines, 20))
        return [[line for line in lines if line not in small], *([small] * (count - 1))]
    chosen = [[line for line in lines if chance.random() < 1 / count] for _ in range(count - 1)]
    return [*chosen, sorted(set(lines).difference(*chosen))]


def test_merging_agrees_with_sort_itself(tmp_path: Path) -> None:
    runs = []
    for number in range(3):
        lines = captures(2000, number, pages=40)
        (tmp_path / f"{number}.cdxj").write_bytes(b"".join(line + b"\n" for line in lines))
        runs.append(run_of(tmp_path, f"run-{number}", lines))
    merge(runs, tmp_path / "merged")
    sorted_lines = subprocess.run(
        ["sort", "-m", "-u", *sorted(tmp_path.glob("*.cdxj"))],
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        check=True,
    ).stdout
    merged = list(Run(FolderPlace(tmp_path), "merged").scan())
    assert merged == sorted_lines.split(b"\n")[:-1]


def test_blocks_between_the_lines_of_others_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = captures(20_000)
    few = lines[5000:15_000:2500]
    big = run_of(tmp_path, "big", [line for line in lines if line not in few])
    small = run_of(tmp_path, "small", few)
    copied = CountedCopies()
    monkeypatch.setattr("armarium.index.runs.merging.RunWriter", copied.writer)
    assert merge([big, small], tmp_path / "merged") == write(tmp_path / "at-once", lines)
    assert copied.count > 0.7 * big.footer.blocks


class CountedCopies:
    def __init__(self) -> None:
        self.count = 0

    def writer(self, path: Path) -> RunWriter:
        counted = self

        class Counting(RunWriter):
            def copy(self, *given: object) -> None:
                counted.count += 1
                super().copy(*given)  # type: ignore[arg-type]

        return Counting(path)


@given(seed=st.integers(0, 10**6), withdrawn=st.sets(st.integers(0, 30), max_size=20))
@settings(max_examples=8, deadline=None)
def test_lines_of_withdrawn_files_are_dropped(seed: int, withdrawn: set[int]) -> None:
    lines = captures(1500, seed, files=30)
    without = {f"job-{number}.warc.gz" for number in withdrawn}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = [run_of(folder, "a", lines[:900]), run_of(folder, "b", lines[700:])]
        merged = merge(runs, folder / "merged", without=without)
        left = [line for line in lines if filename_of(line) not in without]
        assert merged == write(folder / "at-once", left)


def test_where_a_whole_end_is_withdrawn_the_last_key_is_that_of_what_is_left(tmp_path: Path) -> None:
    kept = [capture("com,a)/", f"2026010100{number // 60:02}{number % 60:02}") for number in range(1000)]
    gone = [capture("com,z)/", f"20260101{number:06}", filename="gone.warc.gz") for number in range(300)]
    merged = merge([run_of(tmp_path, "run", kept + gone)], tmp_path / "merged", without={"gone.warc.gz"})
    assert merged == write(tmp_path / "at-once", kept)


def test_more_runs_than_are_merged_at_a_time_make_the_same_file(tmp_path: Path) -> None:
    lines = captures(3000)
    runs = [run_of(tmp_path, f"run-{number}", lines[number::25]) for number in range(25)]
    merged = merge(runs, tmp_path / "merged", fan_in=4)
    assert merged == write(tmp_path / "at-once", lines)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == []


def test_a_block_that_was_altered_is_not_copied(tmp_path: Path) -> None:
    lines = captures(20_000)
    first, second = lines[:10_000], lines[10_000:]
    run_of(tmp_path, "first", first), run_of(tmp_path, "second", second)
    path = tmp_path / "first"
    content = bytearray(path.read_bytes())
    content[len(content) // 4] ^= 1
    path.chmod(0o600)
    path.write_bytes(content)
    place = FolderPlace(tmp_path)
    with pytest.raises(DamagedRun, match="first"):
        merge([Run(place, "first"), Run(place, "second")], tmp_path / "merged")


def test_no_runs_make_an_empty_one(tmp_path: Path) -> None:
    assert merge([], tmp_path / "merged").lines == 0


def test_merging_stops_when_asked_and_tells_how_far_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("armarium.index.runs.merging._OFTEN", 4)
    lines = captures(3000)
    runs = [run_of(tmp_path, "a", lines[::2]), run_of(tmp_path, "b", lines[1::2])]
    heard: list[int] = []
    with pytest.raises(TaskStopped):
        merge(runs, tmp_path / "merged", stopping=lambda: bool(heard), progress=heard.append)
    assert 0 < heard[-1] < len(lines)


@given(seed=st.integers(0, 10**6), memory=st.sampled_from([20_000, 100_000, 1 << 28]))
@settings(max_examples=8, deadline=None)
def test_lines_in_any_order_become_the_same_run(seed: int, memory: int) -> None:
    lines = captures(1200, seed)
    shuffled = lines + lines[::7]
    random.Random(seed).shuffle(shuffled)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made: RunFacts = sort_into_run(shuffled, folder / "sorted", memory_bytes=memory)
        assert made == write(folder / "at-once", lines)
        assert [path for path in folder.iterdir() if path.is_dir()] == []
