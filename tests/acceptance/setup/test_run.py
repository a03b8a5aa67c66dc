"""./run on the first start, on the next one, and after an accident."""

import json
import os
import signal
import subprocess
import time
from pathlib import Path

from tests.acceptance.setup.house import House

PATIENCE = 60.0  # seconds


def test_the_first_start_sets_up_and_starts_everything(
    fresh_house: House, first_start: "subprocess.CompletedProcess[str]"
) -> None:
    assert first_start.returncode == 0, first_start.stderr
    assert "Setting up Armarium (once" in first_start.stderr
    assert json.loads(first_start.stdout)["arguments"] == ["up"]
    assert json.loads(first_start.stdout)["environment"] == str(fresh_house.root / ".venv")


def test_the_second_start_installs_nothing_and_says_nothing(finished_house: House) -> None:
    packages = finished_house.root / ".venv/lib"
    before = {path: path.stat().st_mtime_ns for path in packages.rglob("*")}

    started = finished_house.call("run", "--version")

    assert started.stderr == ""
    assert {path: path.stat().st_mtime_ns for path in packages.rglob("*")} == before


def test_arguments_reach_armarium_as_they_were_typed(finished_house: House) -> None:
    started = finished_house.call("run", "crawl", "two words", "", "*")

    assert json.loads(started.stdout)["arguments"] == ["crawl", "two words", "", "*"]


def test_the_data_folder_lies_in_the_checkout_wherever_one_stands(finished_house: House) -> None:
    told = json.loads(finished_house.call("run").stdout)

    assert told["home"] == str(finished_house.root / "armarium-data")
    assert told["folder"] == str(finished_house.root.parent)


def test_a_data_folder_named_in_the_environment_is_kept(finished_house: House, tmp_path: Path) -> None:
    finished_house.environ["ARMARIUM_HOME"] = str(tmp_path)

    told = json.loads(finished_house.call("run").stdout)

    del finished_house.environ["ARMARIUM_HOME"]
    assert told["home"] == str(tmp_path)


def test_a_link_to_the_command_starts_the_checkout_it_leads_to(finished_house: House) -> None:
    link = finished_house.tools / "armarium-here"
    link.symlink_to(finished_house.root / "run")

    started = finished_house.call(str(link))

    assert json.loads(started.stdout)["environment"] == str(finished_house.root / ".venv")


def test_modules_of_other_programs_stay_out(finished_house: House, tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong module was imported')")
    stray = finished_house.root.parent / "json.py"  # the folder from which the command is started
    stray.write_text("raise SystemExit('the wrong module was imported')")
    finished_house.environ["PYTHONPATH"] = str(tmp_path)

    started = finished_house.call("run")

    del finished_house.environ["PYTHONPATH"]
    stray.unlink()
    assert started.returncode == 0, started.stderr
    assert json.loads(started.stdout)["python_path"] is None


def test_a_changed_list_of_packages_is_installed_into_the_same_environment(finished_house: House) -> None:
    made = (finished_house.root / ".venv/pyvenv.cfg").stat().st_mtime_ns
    (finished_house.root / "constraints.txt").write_text("# a new version\n")

    again = finished_house.call("run")

    assert "downloading and installing packages" in again.stderr
    assert (finished_house.root / ".venv/pyvenv.cfg").stat().st_mtime_ns == made


def test_a_checkout_that_was_moved_is_set_up_anew(house: House) -> None:
    house.call("run")
    moved = house.root.rename(house.root.with_name("another place"))
    house.root = moved

    started = house.call("run")

    assert started.returncode == 0, started.stderr
    assert "virtual environment with Python" in started.stderr
    assert json.loads(started.stdout)["environment"] == str(moved / ".venv")


def test_a_set_up_that_was_killed_half_way_is_made_anew(house: House) -> None:
    first = house.start("run")
    interpreter, unfinished = house.root / ".venv/bin/python", house.root / ".venv/set-up/unfinished"
    deadline = time.monotonic() + PATIENCE
    while not (interpreter.exists() and unfinished.exists()):
        assert first.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()

    second = house.call("run")

    assert second.returncode == 0, second.stderr
    assert "virtual environment with Python" in second.stderr
    assert not unfinished.exists()


def test_of_two_starts_at_once_one_sets_up_and_the_other_waits(house: House) -> None:
    starts = [house.start("run"), house.start("run")]

    told = [start.communicate(timeout=PATIENCE) for start in starts]

    assert [start.returncode for start in starts] == [0, 0], told
    assert sum("Setting up Armarium" in errors for _, errors in told) == 1
    assert sum("Another start is setting up Armarium" in errors for _, errors in told) == 1
