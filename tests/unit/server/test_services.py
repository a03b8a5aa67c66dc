"""What pages, tasks and commands may ask for: each service exists, and is made as it wants to be."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import armarium
from armarium.core.services import Services
from armarium.db.database import Database
from armarium.server.assembly import OF_DATABASE, SECTIONS, SERVICES, House
from armarium.settings import load

SOURCE = Path(armarium.__file__).parent
PLACES = sorted((*SERVICES, *OF_DATABASE))


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Services:
    settings = load(SECTIONS, home=tmp_path_factory.mktemp("home"), environ={})
    return House(
        settings, Database("postgresql://nobody@localhost:1/nowhere", application="tests")
    ).services()


@pytest.mark.parametrize("place", PLACES)
def test_a_service_is_made_and_found_by_its_class(place: str, services: Services) -> None:
    module, _, name = place.partition(":")
    kind = getattr(import_module(module), name)
    made = services.get(kind)
    assert type(made) is kind
    assert services.get(kind) is made


def asked_for(source: str) -> set[str]:
    """The places of classes in `service(Class)` and `services.get(Class)` that are imported by name."""
    tree = ast.parse(source)
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    names = {alias.asname or alias.name: (node.module, alias) for node in imports for alias in node.names}
    found = set()
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call) and node.args]:
        verb, asked = ast.unparse(call.func), call.args[-1]
        if isinstance(asked, ast.Name) and verb.endswith(("service", "services.get", "services().get")):
            module, alias = names.get(asked.id, ("", ast.alias("")))
            found.add(f"{module}:{alias.name}")
    return found


def test_every_service_that_is_asked_for_is_in_the_table() -> None:
    asked = {place for file in SOURCE.rglob("*.py") for place in asked_for(file.read_text())}
    asked = {place for place in asked if place.startswith("armarium.")}
    assert len(asked) > 60
    assert asked <= {*PLACES, "armarium.settings:Settings", "armarium.db.database:Database"}
