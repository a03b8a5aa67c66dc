"""`armarium up` gives each collector that it starts what it needs, and a code to those that are new."""

from pathlib import Path

import pytest

from armarium.collector.identity import new_identity, write_identity
from armarium.db.database import Database
from armarium.server.assembly import SECTIONS, House
from armarium.server.child import ChildSpec
from armarium.server.collecting import ENROLMENT, collector_children, own_site
from armarium.server.up import Crew, children_of
from armarium.settings import load


def children(database: Database, home: Path, **environ: str) -> list[ChildSpec]:
    settings = load(SECTIONS, home=home, environ=environ)
    return collector_children(settings, {"PLACE": "here"}, House(settings, database).collectors)


def test_a_new_collector_gets_a_code(database: Database, tmp_path: Path) -> None:
    (child,) = children(database, tmp_path)
    assert (child.name, child.command[1:]) == ("collector-1", ("-m", "armarium", "collector"))
    assert child.environment["PLACE"] == "here"
    assert len(child.environment[ENROLMENT]) > 20


def test_one_that_is_known_gets_none(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "secrets" / "collector-key"
    write_identity(file, new_identity(file, "alpha").enrolled("alpha", {"kty": "OKP"}))
    (child,) = children(database, tmp_path)
    assert ENROLMENT not in child.environment


def test_one_that_did_not_come_to_enrol_gets_another(database: Database, tmp_path: Path) -> None:
    new_identity(tmp_path / "secrets" / "collector-key", "alpha")
    (child,) = children(database, tmp_path)
    assert ENROLMENT in child.environment


def test_several_have_names_keys_and_folders_of_their_own(database: Database, tmp_path: Path) -> None:
    first, second, third = children(
        database, tmp_path, ARMARIUM_SERVER_COLLECTORS="3", ARMARIUM_COLLECTOR_NAME="alpha"
    )
    assert "ARMARIUM_COLLECTOR_NAME" not in first.environment
    assert second.environment["ARMARIUM_COLLECTOR_NAME"] == "alpha-2"
    assert third.environment["ARMARIUM_COLLECTOR_WORK"] == str(tmp_path / "work-3")
    assert third.environment["ARMARIUM_COLLECTOR_KEY_FILE"] == str(tmp_path / "secrets" / "collector-key-3")
    assert len({child.environment[ENROLMENT] for child in (first, second, third)}) == 3


@pytest.mark.parametrize(
    "environ",
    [
        {"ARMARIUM_COLLECTOR_SERVER": "https://archive.example.org"},
        {"ARMARIUM_COLLECTOR_ENROLMENT": "given-by-somebody"},
    ],
)
def test_a_collector_of_another_server_gets_no_code_of_ours(
    database: Database, tmp_path: Path, environ: dict[str, str]
) -> None:
    (child,) = children(database, tmp_path, **environ)
    assert ENROLMENT not in child.environment


def test_none_may_be_wanted(database: Database, tmp_path: Path) -> None:
    assert children(database, tmp_path, ARMARIUM_SERVER_COLLECTORS="0") == []


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("0.0.0.0", "http://localhost:8000"),
        ("10.1.2.3", "http://10.1.2.3:8000"),
        ("fd00::1", "http://[fd00::1]:8000"),
    ],
)
def test_the_site_of_the_machine_is_reached_past_its_proxy(host: str, address: str, tmp_path: Path) -> None:
    environ = {"ARMARIUM_WEB_HOST": host, "ARMARIUM_WEB_PUBLIC_URL": "https://archive.example.org"}
    assert own_site(load(SECTIONS, home=tmp_path, environ=environ)) == address


def test_the_demonstration_has_collectors_of_its_own_and_its_web_besides(
    database: Database, tmp_path: Path
) -> None:
    settings = load(SECTIONS, home=tmp_path, environ={})
    crew = Crew(("python", "-m", "another"), (ChildSpec("small-web"),))
    found = {child.name: child for child in children_of(settings, House(settings, database).collectors, crew)}
    assert found["collector-1"].command == ("python", "-m", "another")
    assert {"web", "worker-1", "access", "small-web"} < set(found)
