"""Runs: what is written is read, in any range; what was altered is refused."""

import tempfile
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from armarium.index.runs import BlockCache, DamagedRun, OutOfOrder, Run, RunWriter
from armarium.index.runs.folder import FolderPlace
from armarium.index.runs.layout import ENTRIES
from tests.unit.index.captures import capture, captures, run_of, write

# Few letters, so that lines are the beginnings of others, and starts are equal.
WORDS = st.text("ab )", max_size=6).map(str.encode)
ANY_LINE = WORDS | st.binary(max_size=20).filter(lambda line: b"\n" not in line)
LINES = st.lists(ANY_LINE, max_size=60).map(lambda lines: sorted(set(lines)))
BOUND = st.none() | ANY_LINE


def expected(lines: list[bytes], start: bytes, end: bytes | None) -> list[bytes]:
    return [line for line in lines if line >= start and (end is None or line < end)]


@given(LINES, ANY_LINE, BOUND)
@settings(max_examples=40, deadline=None)
def test_any_range_of_any_lines_is_that_of_a_list(
    lines: list[bytes], start: bytes, end: bytes | None
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        run = run_of(Path(folder), "run", lines)
        assert list(run.scan(start, end)) == expected(lines, start, end)
        assert list(run.scan(start, end, reverse=True)) == expected(lines, start, end)[::-1]


@pytest.fixture(scope="module")
def long_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, list[bytes]]:
    """More blocks than one part of the index holds."""
    lines = captures(45_000, pages=300)
    run = run_of(tmp_path_factory.mktemp("runs"), "long", lines)
    assert len(run.footer.index) > 2
    assert run.footer.blocks > 2 * ENTRIES
    return run, lines


def test_a_long_run_scans_back_in_both_directions(long_run: tuple[Run, list[bytes]]) -> None:
    run, lines = long_run
    assert list(run.scan()) == lines
    assert list(run.scan(reverse=True)) == lines[::-1]


@given(st.data())
@settings(max_examples=30, deadline=None)
def test_any_range_of_a_long_run_is_that_of_a_list(
    long_run: tuple[Run, list[bytes]], data: st.DataObject
) -> None:
    run, lines = long_run
    low = data.draw(st.integers(0, len(lines) - 1))
    high = data.draw(st.integers(low, min(low + 2000, len(lines) - 1)))
    # A whole line, a key and timestamp that several lines share, or a key.
    start = lines[low][: data.draw(st.integers(0, len(lines[low])))]
    end = lines[high][: data.draw(st.integers(30, len(lines[high])))]
    if start[:20] != lines[low][:20]:
        start = lines[low]
    assert list(run.scan(start, end)) == expected(lines, start, end)
    assert list(run.scan(start, end, reverse=True)) == expected(lines, start, end)[::-1]


def test_a_look_up_reads_one_part_of_the_index_and_one_block(long_run: tuple[Run, list[bytes]]) -> None:
    run, lines = long_run
    place = CountingPlace(run.place.folder)  # type: ignore[attr-defined]
    counted = Run(place, "long", BlockCache())
    place.reads = 0
    line = lines[20_000]
    key = line[: line.index(b" ")]
    assert line in list(counted.scan(key + b" ", key + b"!"))
    assert place.reads <= 4  # captures of one page may lie in more than one block
    before = place.reads
    assert line in list(counted.scan(key + b" ", key + b"!"))
    assert place.reads <= before + 1


class CountingPlace(FolderPlace):
    reads = 0

    def read(self, name: str, start: int, length: int) -> bytes:
        self.reads += 1
        return super().read(name, start, length)


def test_the_facts_are_those_of_the_file(tmp_path: Path) -> None:
    lines = captures(3000)
    facts = write(tmp_path / "run", lines)
    run = Run(FolderPlace(tmp_path), "run")
    assert facts.lines == len(lines)
    assert facts.bytes == (tmp_path / "run").stat().st_size
    assert facts.first == " ".join(lines[0].decode().split(" ")[:2])
    assert facts.last == " ".join(lines[-1].decode().split(" ")[:2])
    assert run.verify() == facts
    assert run.facts.lines == facts.lines
    assert (run.facts.first, run.facts.last) == (facts.first, facts.last)


def test_an_empty_run_is_a_run(tmp_path: Path) -> None:
    run = run_of(tmp_path, "empty", [])
    assert list(run.scan()) == []
    assert run.facts.lines == 0


def test_a_run_without_its_description_is_a_zstd_file(tmp_path: Path) -> None:
    lines = captures(3000)
    write(tmp_path / "run", lines)
    with (tmp_path / "run").open("rb") as file:
        text = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True).read()
    assert text == b"".join(line + b"\n" for line in lines)


def test_lines_out_of_order_are_refused(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run") as writer:
        writer.add([b"b 2026 {}", b"c 2026 {}"])
        with pytest.raises(OutOfOrder, match=r"a 2026.*behind.*c 2026"):
            writer.add([b"a 2026 {}"])
        with pytest.raises(OutOfOrder):
            writer.add([b"e 2026 {}", b"d 2026 {}"])


def test_equal_lines_are_written_once(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run") as writer:
        writer.add([b"a 2026 {}", b"a 2026 {}", b"b 2026 {}"])
        writer.add([b"b 2026 {}"])
        assert writer.finish().lines == 2


def test_a_line_feed_inside_a_line_is_refused(tmp_path: Path) -> None:
    with RunWriter(tmp_path / "run") as writer:
        writer.add([b"a 2026 {}\nb 2026 {}"])
        with pytest.raises(ValueError, match="line feed"):
            writer.finish()


def test_very_long_lines_make_short_blocks(tmp_path: Path) -> None:
    lines = sorted(capture(f"com,a)/{number}{'x' * 100_000}", "20260101000000") for number in range(30))
    run = run_of(tmp_path, "run", lines)
    assert list(run.scan()) == lines
    assert run.footer.blocks == 15  # the key stands in the address, too


DAMAGED = captures(2500)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_an_altered_byte_is_noticed_or_changes_nothing(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        write(path, DAMAGED)
        content = bytearray(path.read_bytes())
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
        assert read_or_refused(path) in (DAMAGED, None)


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_a_run_that_was_cut_or_grew_is_refused(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        write(path, DAMAGED)
        content = path.read_bytes()
        begin = data.draw(st.integers(0, len(content) - 1))
        count = data.draw(st.integers(1, len(content) - begin))
        path.write_bytes(
            data.draw(
                st.sampled_from([content[:begin], content[:begin] + content[begin + count :], content * 2])
            )
        )
        assert read_or_refused(path) is None


def read_or_refused(path: Path) -> list[bytes] | None:
    try:
        return list(Run(FolderPlace(path.parent), path.name).scan())
    except DamagedRun:
        return None


def test_a_block_of_another_run_in_its_place_is_noticed(tmp_path: Path) -> None:
    run = run_of(tmp_path, "run", DAMAGED)
    path = tmp_path / "run"
    first, second = run.index(0).block(0), run.index(0).block(1)
    content = path.read_bytes()
    length = min(first.length, second.length)
    path.write_bytes(
        content[: first.offset]
        + content[second.offset : second.offset + length]
        + content[first.offset + length :]
    )
    with pytest.raises(DamagedRun, match=r"The run run of the index is damaged.*altered"):
        list(Run(FolderPlace(tmp_path), "run").scan())
