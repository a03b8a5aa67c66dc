"""The map of what Armarium must do names only what there is: modules, pages, commands, tests."""

import re
import runpy
from collections import Counter
from pathlib import Path
from typing import NamedTuple, cast

import pytest

from armarium.access.origins.readers import routes as readers_routes
from armarium.access.requests.site import ContentAddresses
from tests.integration.web.routes import routes_of

CHECKOUT = Path(__file__).parents[2]
MAP = CHECKOUT / "docs" / "requirements.md"
COMMANDS = CHECKOUT / "docs" / "reference" / "command-line.md"
GENERATOR = CHECKOUT / "tools" / "generate_reference.py"
#: Beside the checkout where the requirements are kept; elsewhere the map stands for itself.
ASKED_FOR = CHECKOUT.parent / "shared" / "REQUIREMENTS.md"

ROOMS = ("SEL", "PRE", "PLAN", "HAR", "COL", "ARC", "IDX", "ACC", "QUA", "PSV", "APP")
STATES = ("here", "in part", "planned")
ROW = re.compile(r"^\| ([A-Z]+-[0-9]+) \| (.+) \|$", re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")


class Line(NamedTuple):
    id: str
    what: str
    state: str
    missing: str  # what the state says behind its colon
    where: tuple[str, ...]
    shown_by: tuple[str, ...]

    @property
    def addresses(self) -> list[str]:
        return [name for name in self.where if name.startswith("/")]

    @property
    def commands(self) -> list[str]:
        return [name for name in self.where if name.split()[0] == "armarium"]

    @property
    def modules(self) -> list[str]:
        return [name for name in self.where if name not in {*self.addresses, *self.commands}]


def lines_of(page: str) -> list[Line]:
    return [_line(name, cells.split(" | ")) for name, cells in ROW.findall(page)]


def _line(name: str, cells: list[str]) -> Line:
    what, said, where, shown_by = cells
    state, _, missing = said.partition(": ")
    return Line(name, what, state, missing, tuple(CODE.findall(where)), tuple(CODE.findall(shown_by)))


PAGE = MAP.read_text(encoding="utf-8")
LINES = lines_of(PAGE)


def place(name: str) -> tuple[int, int]:
    room, _, number = name.partition("-")
    return ROOMS.index(room), int(number)


def addresses_of_readers() -> set[str]:
    """Those of the readers' site; nobody is asked in, so that nobody has to be there to open."""
    routes = readers_routes(cast(ContentAddresses, None))
    return {*routes.pages, *(f"/{{collection}}/{word}" for word in routes.of_collection if word)}


def addresses() -> set[str]:
    site = runpy.run_path(str(GENERATOR))["site"]()
    return {route.path for route in routes_of(site) if route.method == "GET" or route.is_api}


def unsound(line: Line) -> bool:
    """A line that says more, or less, than its state lets it."""
    shown = bool(line.modules and line.shown_by)
    if line.state == "planned":
        return bool(line.missing or line.where or line.shown_by)
    return not shown or bool(line.missing) != (line.state == "in part")


def test_every_id_stands_once_and_in_order() -> None:
    names = [line.id for line in LINES]
    assert names == sorted(set(names), key=place)


@pytest.mark.parametrize("room", ROOMS)
def test_no_number_of_a_room_is_left_out(room: str) -> None:
    numbers = [number for found, number in map(place, (line.id for line in LINES)) if ROOMS[found] == room]
    assert numbers == list(range(1, len(numbers) + 1)) != []


def test_every_line_has_a_state_and_says_what_that_needs() -> None:
    assert [line.id for line in LINES if line.state not in STATES] == []
    assert [line.id for line in LINES if unsound(line)] == []


def test_the_figures_at_the_top_are_those_of_the_tables() -> None:
    counted = Counter(line.state for line in LINES)
    told = [int(figure) for figure in re.findall(r"\d+", PAGE.partition("Of ")[2].partition("planned.")[0])]
    assert told == [len(LINES), *(counted[state] for state in STATES)]


def test_every_module_exists() -> None:
    source = CHECKOUT / "src" / "armarium"
    named = {(line.id, name) for line in LINES for name in line.modules}
    assert {(by, name) for by, name in named if not (source / name).exists()} == set()


def test_every_test_exists() -> None:
    named = {(line.id, name) for line in LINES for name in line.shown_by}
    assert {
        (by, name)
        for by, name in named
        if not (Path(name).name.startswith("test_") and (CHECKOUT / "tests" / name).is_file())
    } == set()


def test_every_command_is_in_the_reference() -> None:
    known = set(re.findall(r"^## `(armarium[^`]*)`$", COMMANDS.read_text(encoding="utf-8"), re.MULTILINE))
    named = {(line.id, name) for line in LINES for name in line.commands}
    assert {(by, name) for by, name in named if name not in known} == set()


def test_every_address_is_one_of_a_site() -> None:
    known = addresses() | addresses_of_readers()
    named = {(line.id, name) for line in LINES for name in line.addresses}
    assert {(by, name) for by, name in named if name not in known} == set()


@pytest.mark.skipif(not ASKED_FOR.is_file(), reason="the requirements are not beside this checkout")
def test_nothing_that_was_asked_for_is_left_out() -> None:
    asked = [name for name, _ in ROW.findall(ASKED_FOR.read_text(encoding="utf-8"))]
    assert asked
    assert sorted(set(asked) - {line.id for line in LINES}) == []


@pytest.mark.parametrize(
    ("said", "sound"),
    [
        ("here | `index/chain`, `/index/chain`, `armarium index` | `unit/index/test_parsing.py`", True),
        ("here | `/index/chain` | `unit/index/test_parsing.py`", False),
        ("here | `index/chain` | –", False),
        ("here: nearly | `index/chain` | `unit/index/test_parsing.py`", False),
        ("in part: no merging | `index/chain` | `unit/index/test_parsing.py`", True),
        ("in part | `index/chain` | `unit/index/test_parsing.py`", False),
        ("planned | – | –", True),
        ("planned | `index/chain` | –", False),
    ],
)
def test_a_line_that_says_too_much_or_too_little_is_found(said: str, sound: bool) -> None:
    (line,) = lines_of(f"| IDX-1 | A chain. | {said} |\n")
    assert unsound(line) is not sound
