"""The whole suite on one machine: house, crawl machines, their lines and disks, and a web to harvest."""

import random
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from armarium.accounts.model import Profile, Role
from armarium.core.actor import SYSTEM
from tests.acceptance.house.conftest import free_port
from tests.acceptance.planning.archive import Archive, archive
from tests.acceptance.planning.machines import Machine
from tests.acceptance.planning.wires import wires
from tests.acceptance.whole.diary import Diary, Disturbances
from tests.acceptance.whole.disks import CONTENT, Disk, disks
from tests.acceptance.whole.harm import Harm
from tests.acceptance.whole.web import ChangingWeb, changing_web
from tests.site import PASSWORD

REPLICAS = ("one", "two")
COLLECTORS = 3
GRACE = 30.0  # seconds in which whoever was disturbed has to recover
STARTS = 4  # or so many times as long as the first start took: the supervisor's pauses grow with each crash
ARRIVALS, REPLICA, INDEX = "arrivals", "replica", "index"
STAFF = "ada"
LEASE = 12  # seconds
USUAL_START = 20.0  # seconds
SLOWEST = 4.0  # times as long as usual: a machine that is busier still has to bear more
SETTINGS = {
    "ARMARIUM_SERVER_WORKERS": "2",
    "ARMARIUM_SERVER_HUNG_AFTER_SECONDS": "20",
    "ARMARIUM_TASKS_LOST_LIMIT": "100",  # here workers die all the time
    "ARMARIUM_ACCESS_DEFAULT": "everyone",
    "ARMARIUM_INDEX_KEEP_RETIRED_HOURS": "0",
    "ARMARIUM_PLANNING_LEASE_SECONDS": str(LEASE),
    "ARMARIUM_PLANNING_RETRY_SECONDS": "2",
    "ARMARIUM_PLANNING_LEASE_WAIT_SECONDS": "1",
    "ARMARIUM_PLANNING_ARRIVALS_RESERVE_BYTES": "1000000",
}


@dataclass
class World:
    folder: Path
    web: ChangingWeb
    archive: Archive
    machines: list[Machine]
    disks: dict[str, Disk]
    reading: str  # address of archived pages
    domains: list[str]
    chance: random.Random
    diary: Diary
    disturbances: Disturbances
    pace: float  # how many times as long as usual everything takes here
    harm: Harm = field(init=False)

    def __post_init__(self) -> None:
        self.harm = Harm(self.archive, self.disks[INDEX].content)

    @property
    def home(self) -> Path:
        return self.archive.house.home

    @property
    def runs_folder(self) -> Path:
        return self.disks[INDEX].content

    def shelf(self, replica: str) -> Path:
        return self.home / "replicas" / replica

    def up_ended(self) -> bool:
        return self.archive.house.started[-1].poll() is not None


@contextmanager
def world(folder: Path, *, domains: int, seed: int) -> Iterator[World]:
    with ExitStack() as stack:
        names = [ARRIVALS, REPLICA, INDEX, *(f"crawler-{n}" for n in range(1, COLLECTORS + 1))]
        rooms = stack.enter_context(disks(folder / "disks", names))
        web = stack.enter_context(changing_web())
        port = free_port()
        own = {"ARMARIUM_ACCESS_PORT": str(port), "ARMARIUM_INDEX_LOCATION": str(rooms[INDEX].content)}
        there = stack.enter_context(archive(folder, {**SETTINGS, **own}))
        _lay_out(there, rooms)
        began = time.monotonic()
        there.begin()
        took = time.monotonic() - began
        grace = max(GRACE, STARTS * took)
        known = [f"small-{number:03}.example" for number in range(domains)]
        there.furnish(web, known)
        _let_in(there)
        laid = stack.enter_context(wires(COLLECTORS, there.port))
        machines = []
        for number, wire in enumerate(laid, 1):
            disk = rooms[f"crawler-{number}"]
            environment = {"ARMARIUM_COLLECTOR_WORK": str(disk.folder / CONTENT)}
            before = disk.small.inside if disk.small else []
            machines.append(Machine(disk.name, folder, wire, environment, there.enrolment(), before))
            stack.callback(machines[-1].end)
        reading = f"http://127.0.0.1:{port}"
        diary = Diary(folder / "diary")
        chance, disturbances = random.Random(seed), Disturbances(grace)
        pace = min(max(1.0, took / USUAL_START), SLOWEST)
        yield World(folder, web, there, machines, rooms, reading, known, chance, diary, disturbances, pace)


def _lay_out(there: Archive, rooms: dict[str, Disk]) -> None:
    """Two of the house's own folders lie on disks of their own."""
    home = there.house.home
    (home / "replicas").mkdir(parents=True)
    (home / "arrivals").symlink_to(rooms[ARRIVALS].content)
    (home / "replicas" / "two").symlink_to(rooms[REPLICA].content)


def _let_in(there: Archive) -> None:
    with there.visit() as house:
        roles = frozenset(Role)  # every page is for one of them
        account = house.accounts.create(SYSTEM, Profile(STAFF, "Ada", "", "", roles))
        link = house.accounts.password_link(SYSTEM, account.id)
        house.accounts.use_link(link.key, PASSWORD, "127.0.0.1")
