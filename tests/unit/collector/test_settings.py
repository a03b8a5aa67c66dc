"""What a collector is told, and what it takes where it is told nothing."""

import re
from pathlib import Path

import pytest

from armarium.collector.patience import Pauses
from armarium.collector.settings import NAME, CollectorSettings, machine_name
from armarium.settings import load
from armarium.settings.problems import WrongSettings


def test_the_name_of_the_machine_can_be_that_of_a_collector() -> None:
    assert re.fullmatch(NAME, machine_name())


@pytest.mark.parametrize("server", ["archive.example.org", "ftp://x", "https://x/path"])
def test_a_server_is_an_address_without_a_path(server: str, tmp_path: Path) -> None:
    with pytest.raises(WrongSettings, match="must be http"):
        load([CollectorSettings], home=tmp_path, environ={"ARMARIUM_COLLECTOR_SERVER": server})


def test_pauses_grow_to_a_bound_and_begin_anew() -> None:
    pauses = Pauses(first=1, longest=8)
    grown = [pauses.next() for _ in range(50)]
    assert all(0.5 <= pause <= 8 for pause in grown)
    assert grown[0] <= 1 <= grown[-1] / 4
    pauses.reset()
    assert pauses.next() <= 1
