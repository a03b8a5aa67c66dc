"""./run on the first start, on the next one, and after an accident."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
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


def test_packages_that_cannot_be_fetched_are_reported_with_what_pip_said(finished_house: House) -> None:
    """The last of those that share a checkout: it is unfinished then."""
    pyproject = finished_house.root / "pyproject.toml"
    pyproject.write_text(pyproject.read_text().replace("requires = []", 'requires = ["no-such-backend"]'))

    refused = finished_house.call("run")

    assert refused.returncode == 1
    assert "No matching distribution found for no-such-backend" in refused.stderr
    assert "It needs the network this once" in refused.stderr


def test_a_checkout_that_was_moved_is_set_up_anew(swift_house: House) -> None:
    house = swift_house
    house.call("run")
    moved = house.root.rename(house.root.with_name("another place"))
    house.root = moved

    started = house.call("run")

    assert started.returncode == 0, started.stderr
    assert "virtual environment with Python" in started.stderr
    assert json.loads(started.stdout)["environment"] == str(moved / ".venv")


def test_a_set_up_that_was_killed_half_way_is_made_anew(swift_house: House) -> None:
    house = swift_house
    hold = house.root / "hold"
    hold.touch()
    first = house.start("run")
    interpreter, unfinished = house.root / ".venv/bin/python", house.root / ".venv/set-up/unfinished"
    wait(first, lambda: interpreter.exists() and unfinished.exists())
    os.killpg(first.pid, signal.SIGKILL)
    first.communicate()
    hold.unlink()

    second = house.call("run")

    assert second.returncode == 0, second.stderr
    assert "virtual environment with Python" in second.stderr
    assert not unfinished.exists()


def test_of_two_starts_at_once_one_sets_up_and_the_other_waits(swift_house: House) -> None:
    hold = swift_house.root / "hold"
    hold.touch()
    starts = [swift_house.start("run")]
    wait(starts[0], (swift_house.root / ".venv/set-up/unfinished").exists)
    starts.append(swift_house.start("run"))
    assert starts[1].stderr
    waits = starts[1].stderr.readline()
    hold.unlink()

    told = [start.communicate(timeout=PATIENCE) for start in starts]

    assert [start.returncode for start in starts] == [0, 0], told
    assert "Setting up Armarium" in told[0][1]
    assert "Another start is setting up Armarium" in waits
    assert "Setting up Armarium" not in told[1][1]


def wait(start: "subprocess.Popen[str]", condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert start.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
