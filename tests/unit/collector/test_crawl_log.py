"""The log of a crawl is read from its end."""

from pathlib import Path

import pytest

from armarium.collector import result
from armarium.collector.result import search, tail
from armarium.core.errors import Refused


def line(number: int, text: str = "x") -> str:
    return f"2026-11-15T10:00:00.{number:03}Z   200 10 http://a.example/{number} {text}\n"


def numbers(lines: list[str] | tuple[str, ...]) -> list[int]:
    return [int(one.split()[3].rpartition("/")[2]) for one in lines]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    (tmp_path / "crawl.log").write_text("".join(line(number) for number in range(1, 101)))
    return tmp_path


def test_the_tail_is_the_last_lines_in_their_order(logs: Path) -> None:
    assert numbers(tail(logs, 3)) == [98, 99, 100]


def test_a_line_that_is_being_written_is_left_out(logs: Path) -> None:
    with (logs / "crawl.log").open("a") as file:
        file.write(line(101).rstrip("\n")[:30])
    assert numbers(tail(logs, 1)) == [100]


def test_without_a_log_there_is_no_tail(tmp_path: Path) -> None:
    assert tail(tmp_path) == ()


def test_a_search_gives_the_newest_first(logs: Path) -> None:
    found = search(logs, r"/[0-9]?7 ", 100)
    assert numbers(found["lines"]) == [97, 87, 77, 67, 57, 47, 37, 27, 17, 7]
    assert (found["searched"], found["complete"]) == (100, True)


def test_a_search_says_that_there_is_more(logs: Path) -> None:
    found = search(logs, "example", 2)
    assert numbers(found["lines"]) == [100, 99]
    assert not found["complete"]


def test_a_search_ends_when_its_time_is_over(logs: Path) -> None:
    assert search(logs, "nothing", 10, seconds=-1)["complete"] is False


def test_blocks_may_cut_lines_anywhere(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for block in (1, 7, 61, 1000):
        monkeypatch.setattr(result, "BLOCK", block)
        assert numbers(search(logs, "", 500)["lines"]) == list(range(100, 0, -1))


def test_the_logs_of_several_processes_are_one(tmp_path: Path) -> None:
    for part in range(2):
        folder = tmp_path / f"part-{part}"
        folder.mkdir()
        (folder / "crawl.log").write_text("".join(line(number) for number in range(part, 10, 2)))
    assert numbers(tail(tmp_path, 4)) == [6, 7, 8, 9]


@pytest.mark.parametrize("pattern", ["(", "(?=x)", "x" * 2000])
def test_what_is_no_expression_is_refused(logs: Path, pattern: str) -> None:
    with pytest.raises(Refused):
        search(logs, pattern, 10)
