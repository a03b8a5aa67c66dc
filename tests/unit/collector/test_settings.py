"""What a collector is told, and what it takes where it is told nothing."""

import re
from pathlib import Path

import pytest

from armarium.collector.pauses import Pauses
from armarium.collector.settings import NAME, CollectorSettings, machine_name
from armarium.settings import load
from armarium.settings.problems import WrongSettings


def test_the_name_of_the_machine_can_be_that_of_a_collector() -> None:
    assert re.fullmatch(NAME, machine_name())


@pytest.mark.parametrize("server", ["archive.example.org", "ftp://x", "https://x/path"])
def test_a_server_is_an_address_without_a_path(server: str, tmp_path: Path) -> None:
    with pytest.raises(WrongSettings, match="must be http"):
        load([CollectorSettings], home=tmp_path, environ={"ARMARIUM_COLLECTOR_SERVER": server})


@pytest.mark.parametrize(
    "environ",
    [
        {"SERVER": "http://archive.example.org"},
        {"SERVER": "http://10.1.2.3:8000"},
        {"SERVER": "HTTP://localhost.example.org"},
        {"SERVER": "http://[fd00::1]"},
        {"SERVER": "http://localhost:8000", "PROXY": "http://proxy.example.org:3128"},
        {"PROXY": "http://proxy.example.org:3128"},
    ],
)
def test_answers_that_anybody_could_forge_are_not_wanted(environ: dict[str, str], tmp_path: Path) -> None:
    given = {f"ARMARIUM_COLLECTOR_{name}": value for name, value in environ.items()}
    with pytest.raises(WrongSettings, match="server must be https://"):
        load([CollectorSettings], home=tmp_path, environ=given)
    given["ARMARIUM_COLLECTOR_INSECURE"] = "true"
    chosen = load([CollectorSettings], home=tmp_path, environ=given)[CollectorSettings]
    assert chosen.answers_can_be_forged, "it is said in the log"


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"SERVER": "http://localhost:8000"},
        {"SERVER": "http://127.1.2.3:8000"},
        {"SERVER": "http://[::1]:8000"},
        {"SERVER": "https://archive.example.org"},
        {"SERVER": "https://archive.example.org", "PROXY": "http://proxy.example.org:3128"},
    ],
)
def test_what_stays_on_the_machine_or_is_encrypted_is_fine(environ: dict[str, str], tmp_path: Path) -> None:
    given = {f"ARMARIUM_COLLECTOR_{name}": value for name, value in environ.items()}
    chosen = load([CollectorSettings], home=tmp_path, environ=given)[CollectorSettings]
    assert not chosen.answers_can_be_forged


def test_pauses_grow_to_a_bound_and_begin_anew() -> None:
    pauses = Pauses(first=1, longest=8)
    grown = [pauses.next() for _ in range(50)]
    assert all(0.5 <= pause <= 8 for pause in grown)
    assert grown[0] <= 1 <= grown[-1] / 4
    pauses.reset()
    assert pauses.next() <= 1
