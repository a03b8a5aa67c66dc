"""Words of the house, and what it is told of the real archive: nothing."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from armarium.core.errors import Misconfigured, Refused
from armarium.demo.folder import DemoFolder
from armarium.demo.living import environment, held, last_complaint


def test_variables_of_the_real_archive_do_not_reach_the_demonstration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARMARIUM_DATABASE_URL", "postgresql://the/real/one")
    monkeypatch.setenv("ARMARIUM_HOME", "/the/real/one")
    found = environment(DemoFolder(tmp_path))
    assert found["ARMARIUM_HOME"] == str(tmp_path)
    assert "ARMARIUM_DATABASE_URL" not in found


def test_only_one_demonstration_at_a_time_is_in_a_folder(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "data-demo")
    with held(folder), pytest.raises(Refused, match="runs already"), held(folder):
        pass
    with held(folder):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{}\narmarium: The port is taken.\n", "The port is taken."),
        ("{}\narmarium: One.\narmarium: Two:\n  line 3\n{}\n", "Two: line 3"),
        ("armarium: It stands in the first line.\n", "It stands in the first line."),
        ("{}\n", ""),
        ("", ""),
        ("armarium: ", ""),
    ],
)
def test_the_last_complaint_is_told_whole(tmp_path: Path, written: str, told: str) -> None:
    (tmp_path / "log").write_text(written)
    assert last_complaint(tmp_path / "log") == told


def test_a_log_that_is_not_there_says_nothing(tmp_path: Path) -> None:
    assert last_complaint(tmp_path / "log") == ""


def test_what_an_earlier_house_complained_about_is_not_told_again(tmp_path: Path) -> None:
    before = "armarium: The port is taken.\n"
    (tmp_path / "log").write_text(f"{before}{{}}\n")
    assert last_complaint(tmp_path / "log", len(before)) == ""


def test_of_many_who_come_and_go_only_one_is_in_it(tmp_path: Path) -> None:
    folder = DemoFolder(tmp_path / "data-demo")
    inside: list[int] = []
    seen: list[int] = []

    def come_and_go(name: int) -> None:
        for _ in range(300):
            with suppress(Refused), held(folder):
                inside.append(name)
                time.sleep(0.0005)  # for the others to come
                seen.append(len(inside))
                inside.remove(name)

    with ThreadPoolExecutor(4) as many:
        list(many.map(come_and_go, range(4)))
    assert set(seen) == {1}


def test_a_lock_is_no_way_to_make_a_file_elsewhere(tmp_path: Path) -> None:
    (tmp_path / ".data-demo.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Misconfigured, match="Choose another place"), held(DemoFolder(tmp_path / "data-demo")):
        pass
    assert not (tmp_path / "elsewhere").exists()
