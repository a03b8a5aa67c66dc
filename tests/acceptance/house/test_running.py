"""A house that runs, looked at from all sides; one is enough, since a start takes long."""

import os
import signal
from collections.abc import Iterator

import pytest

from tests.acceptance.house.conftest import LivingHouse, house_in


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivingHouse]:
    """Started by somebody who shares everything with everybody."""
    with house_in(tmp_path_factory.mktemp("house"), ARMARIUM_LOGS_FILES="true") as living:
        before = os.umask(0)
        try:
            living.up()
        finally:
            os.umask(before)
        living.link()
        yield living


def test_a_second_start_on_the_same_folder_is_refused_with_the_way_out(house: LivingHouse) -> None:
    refused = house.command("up")
    assert refused.returncode == 1
    assert f"already runs on {house.home}" in refused.stderr
    assert house.address in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_taken_port_is_said_at_once(house: LivingHouse) -> None:
    refused = house.command("web")
    assert refused.returncode == 78
    assert "ARMARIUM_WEB_PORT" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_whatever_the_umask_the_data_folder_is_open_to_nobody_else(house: LivingHouse) -> None:
    open_to_others = [
        path
        for path in (house.home, *house.home.rglob("*"))
        if not path.is_symlink() and not path.is_socket() and path.stat().st_mode & 0o066
    ]
    assert open_to_others == []
    assert (house.home / "logs" / "web.log").exists()
    assert (house.home / "run" / "children.json").exists()


def test_nothing_is_left_when_the_supervisor_is_killed(house: LivingHouse) -> None:
    """The last of them: it ends the house."""
    [up] = house.started
    os.kill(up.pid, signal.SIGKILL)
    up.wait()
    house.wait(lambda: not house.processes())
