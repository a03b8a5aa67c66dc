"""The chain, killed at random: its runs are those of a chain that nobody disturbed, byte for byte.

`pytest tests/integration/index/chain/test_kills.py --kills 50` kills more often, `--seed` elsewhere.
"""

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.formats.cdx.query import Match, Query
from armarium.index.chain.model import Kind
from armarium.index.chain.service import Chain
from tests import forked
from tests.integration.index.chain.archive import (
    addresses,
    chain_of,
    lines_of,
    write_companion,
    write_warc,
)
from tests.integration.index.chain.killing import HERE, go_through

KILLS = 8
FILES = 12
COLLECTIONS = ("main", "harvest-1", "harvest-2")
WITHDRAWN, DECIDED_ANEW = 8, 6  # which of the files
MOMENTS = 20  # after which a life ends, on average
SECONDS = 0.6


class Mortals:
    """The chain in processes that are killed."""

    def __init__(self, url: str, folder: Path) -> None:
        paths = [str(HERE.parents[4]), *filter(None, [os.environ.get("PYTHONPATH")])]
        self.process = forked.Popen(
            [sys.executable, str(HERE), url, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )

    def live(self, moment: int = 0, seconds: float = 0.0) -> str:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{moment} {seconds}\n")
        self.process.stdin.flush()
        return str(self.process.stdout.readline().strip())


@pytest.fixture
def mortals(database: Database, tmp_path: Path) -> Iterator[Mortals]:
    (tmp_path / "killed").mkdir()
    mortals = Mortals(database.url, tmp_path / "killed")
    yield mortals
    mortals.process.kill()
    mortals.process.wait()


class People:
    """What people do while the chain is at work, and what they want in the end."""

    def __init__(self, database: Database, folder: Path, chance: random.Random) -> None:
        self.chain, self.archive = chain_of(database, folder)
        self._database = database
        self._chance = chance
        self._files: list[int] = []  # those that have arrived
        self._withdrawn: set[int] = set()
        self._decided = False

    def stir(self) -> None:
        """Do something or other, so that the chain has to do something."""
        small = [self.arrive, self._withdraw, self._restore, self._decide_anew]
        self._chance.choice([*small, *small, self._rebuild])()

    def settle(self) -> None:
        """Whatever was done before, end with the same archive."""
        while len(self._files) < FILES:
            self.arrive()
        self._decide_anew()
        for number in sorted(self._withdrawn - {WITHDRAWN}):
            self._give_back(number)
        self._take_away(WITHDRAWN)

    def arrive(self) -> None:
        """A file of three days and two harvests; some come with their index."""
        number = len(self._files)
        if number == FILES:
            return
        path = self.archive.folder / f"{number:02}.warc.gz"
        write_warc(path, addresses(number, 40))
        if number % 3 == 0:
            write_companion(path)
        facts = {"day": number % 3, "harvest": number % 2 + 1, "job": number}
        self._files.append(self.archive.register(path.name, **facts))

    def _withdraw(self) -> None:
        if self._files:
            self._take_away(self._chance.randrange(len(self._files)))

    def _restore(self) -> None:
        if self._withdrawn:
            self._give_back(self._chance.choice(sorted(self._withdrawn)))

    def _rebuild(self) -> None:
        self.chain.rebuild(SYSTEM)

    def _decide_anew(self) -> None:
        """Other bytes than the register's turned out to be the right ones."""
        if self._decided or len(self._files) <= DECIDED_ANEW:
            return
        self._decided = True
        write_warc(self.archive.folder / f"{DECIDED_ANEW:02}.warc.gz", addresses(50, 30), text="other")
        self.archive.change_content(self._files[DECIDED_ANEW])
        self._give_back(DECIDED_ANEW)

    def _take_away(self, number: int) -> None:
        self._withdrawn.add(number)
        self.archive.set_state(self._files[number], "withdrawn")
        with self._database.transaction() as connection:
            self.chain.withdrawn(connection, self.archive.get(self._files[number]))

    def _give_back(self, number: int) -> None:
        self._withdrawn.discard(number)
        self.archive.set_state(self._files[number], "stored")
        with self._database.transaction() as connection:
            self.chain.restored(connection, self.archive.get(self._files[number]))


def objects(chain: Chain) -> dict[str, bytes]:
    """The live runs of all collections, and their bytes."""
    found = {}
    for collection in COLLECTIONS:
        for kind in (Kind.CDX, Kind.ROWS) if collection == "main" else (Kind.CDX,):
            for run in chain.runs(collection, kind):
                found[run.name] = chain.place.read(run.name, 0, run.bytes)
    return found


def found_by(chain: Chain, collection: str) -> list[bytes]:
    return list(chain.lookup(collection).raw(Query(match=Match.RANGE)))


def in_peace(url: str, folder: Path) -> dict[str, bytes]:
    """The runs of a chain that nobody disturbs, in a database of its own."""
    folder.mkdir()
    database = Database(url, application="peace")
    people = People(database, folder, random.Random(1))
    people.settle()
    chain = people.chain
    go_through(chain, [file.id for file in people.archive.stored_after(0, 1000)])
    made = objects(chain)
    database.close()
    return made


def test_killed_at_random_the_index_is_the_same_as_one_made_in_peace(
    request: pytest.FixtureRequest,
    database: Database,
    mortals: Mortals,
    tmp_path: Path,
    database_url: str,
) -> None:
    undisturbed = in_peace(database_url, tmp_path / "peace")
    kills = request.config.getoption("--kills") or KILLS
    chance = random.Random(request.config.getoption("--seed"))
    people = People(database, tmp_path / "killed", chance)
    chain, archive = people.chain, people.archive
    killed = 0
    while killed < kills:
        if killed < FILES:  # while a file is indexed, at one moment after the other
            people.arrive()
            ended = mortals.live(moment=killed + 1)
        else:
            people.stir()
            ended = mortals.live(*_fate(chance))
        assert ended in ("killed", "finished")
        killed += ended == "killed"
    people.settle()
    assert mortals.live() == "finished"

    assert objects(chain) == undisturbed
    names = [f"{number:02}.warc.gz" for number in range(FILES) if number != WITHDRAWN]
    expected = sorted(line for name in names for line in lines_of(archive.folder / name))
    assert found_by(chain, "main") == expected
    together = found_by(chain, "harvest-1") + found_by(chain, "harvest-2")
    assert sorted(together) == expected
    assert mortals.live() == "finished"  # and once more changes nothing
    assert found_by(chain, "main") == expected


def _fate(chance: random.Random) -> tuple[int, float]:
    """At which moment, or after how many seconds; rather early, for most lives have little to do."""
    if chance.random() < 0.7:
        return 1 + int(chance.expovariate(1 / MOMENTS)), 0.0
    return 0, chance.uniform(0.02, SECONDS)
