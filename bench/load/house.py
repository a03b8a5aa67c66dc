"""The house under load: `armarium up` and two collectors, as people run them, with an archive to read."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg

from armarium.accounts.model import Profile, Role
from armarium.core.actor import SYSTEM
from armarium.db.embedded import running
from armarium.formats.cdx.query import Query
from armarium.planning.profiles.service import Profiles
from armarium.server.assembly import House
from bench.load.librarians import PASSWORD
from bench.load.readers import Captures
from bench.load.web import ARTICLES, CONTROL
from bench.selection.library import fill
from tests.acceptance.house.conftest import LivingHouse, free_port
from tests.acceptance.planning.archive import READY, Archive, profile_for
from tests.acceptance.planning.small_web import SmallWeb

PATIENCE = 300.0
FILE_BYTES = 8_000_000  # so that files are sealed and sent all the time
TOGETHER = 6  # domains of one job
PAUSE = 0.1  # seconds between two downloads of a collector from one site
ENDED = {"done", "failed", "cancelled"}
_LOUD = re.compile(r'"level": "(error|critical)"|^Traceback')


@dataclass
class Site:
    """The running house."""

    archive: Archive
    web: SmallWeb
    access_port: int
    processes: dict[str, "subprocess.Popen[bytes]"]
    folder: Path
    harvests: int = 0

    def wait(self, condition: Callable[[], object], patience: float = PATIENCE) -> None:
        self.archive.house.wait(condition, patience)

    # The archive

    def show(self, edition: int) -> None:
        httpx.get(
            f"http://127.0.0.1:{self.web.port}/edition/{edition}", headers={"Host": CONTROL}
        ).raise_for_status()

    def collect(self, domains: Sequence[str]) -> None:
        """As jobs of some domains each, for whoever is free."""
        for first in range(0, len(domains), TOGETHER):
            self.harvests += 1
            self.archive.begin_selective(f"harvest {self.harvests}", domains[first : first + TOGETHER])

    def is_settled(self) -> bool:
        return not self.unfinished() and self.archive.is_settled()

    def unfinished(self) -> int:
        under_way = "SELECT count(*) AS number FROM harvest_run WHERE state = 'generating'"
        jobs = sum(count for state, count in self.archive.states().items() if state not in ENDED)
        return jobs + int(self.archive.ask(under_way)[0]["number"])

    def captures(self, domains: Sequence[str]) -> Captures:
        """Of each page when it was captured, in the order of its editions."""
        found = {}
        with self.archive.visit() as house:
            lookup = house.storage.chain.lookup()
            for domain in domains:
                for path in ("", *(f"article/{number}" for number in range(ARTICLES))):
                    url = f"{self.web.seed(domain)}{path}"
                    lines = lookup.search(Query(url)).lines
                    found[url] = [(line.timestamp, place) for place, line in enumerate(lines, 1)]
        return found

    def stored(self) -> tuple[int, int]:
        """Captures in the index, and bytes of the files that are stored."""
        [row] = self.archive.ask(
            "SELECT coalesce(sum(i.lines) FILTER (WHERE i.state = 'indexed'), 0)::bigint AS lines,"
            " coalesce(sum(f.size), 0)::bigint AS size"
            " FROM stored_file f LEFT JOIN index_file i ON i.file = f.id WHERE f.state = 'stored'"
        )
        return int(row["lines"]), int(row["size"])

    def complaints(self) -> list[str]:
        """What the house has logged as errors."""
        lines = self.archive.house.log.splitlines()
        return [line[:500] for line in lines if _LOUD.search(line)]


@contextmanager
def site(folder: Path, domains: Sequence[str], *, records: int, librarians: int) -> Iterator[Site]:
    """With an empty archive, the domains in planning, and a library of records with librarians."""
    with ExitStack() as stack:
        web, serving = stack.enter_context(_web(folder))
        port, reading = free_port(), free_port()
        environment = {**_environment(web), "ARMARIUM_HOME": str(folder / "archive")}
        environment |= {"ARMARIUM_WEB_PORT": str(port), "ARMARIUM_ACCESS_PORT": str(reading)}
        house = LivingHouse(folder / "archive", folder, environment, f"http://localhost:{port}", anew=True)
        stack.callback(house.end)
        archive = Archive(house, port)
        _begin(archive)
        fill(archive.database_url, records)
        archive.furnish(web, domains)
        with archive.visit() as inside:
            _hire(inside, archive.database_url, librarians)
            _hurry(inside, web)
        site = Site(archive, web, reading, {"the web": serving}, folder)
        for name in ("collector-1", "collector-2"):
            site.processes[name] = stack.enter_context(_collector(site, name))
        yield site


def _begin(archive: Archive) -> None:
    """As `Archive.begin`, with more patience."""
    archive.house.up()
    archive.house.wait(lambda: READY in archive.house.output, PATIENCE)
    with running(archive.house.home) as url:  # only to learn it: the processes keep the server running
        archive.database_url = url


def _environment(web: SmallWeb) -> dict[str, str]:
    """As the house comes, but for ports, and for what a house on one machine with a web on it needs."""
    return {
        "ARMARIUM_LOGS_FORMAT": "json",
        "ARMARIUM_SERVER_COLLECTORS": "0",
        "ARMARIUM_ACCESS_DEFAULT": "everyone",
        "ARMARIUM_ENTRY_ALLOWED_RANGES": "127.0.0.0/8",
        "ARMARIUM_ENTRY_DNS_SERVERS": web.name_server,
        "ARMARIUM_ENTRY_PICTURES": "false",  # a Chromium for each would be what is measured
        "ARMARIUM_ENTRY_PAUSE": "0.1",
    }


def _hire(house: House, url: str, count: int) -> None:
    """One in five is a curator; all are members of all collections."""
    for number in range(count):
        roles = frozenset({Role.CURATOR if number % 5 == 0 else Role.LIBRARIAN})
        name = f"librarian{number}"
        account = house.accounts.create(SYSTEM, Profile(name, name.title(), "", "", roles))
        house.accounts.use_link(house.accounts.password_link(SYSTEM, account.id).key, PASSWORD, "127.0.0.1")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO selection_member (collection, account) SELECT c.id, a.id"
            " FROM selection_collection c, account a WHERE a.name LIKE 'librarian%'"
        )


def _hurry(house: House, web: SmallWeb) -> None:
    """A profile that is polite, though not as polite as in life, and seals its files early."""
    document = profile_for(web)
    document["politeness"] = {
        "delay_factor": 0,
        "min_delay": PAUSE,
        "max_delay": PAUSE,
        "server_min_delay": 0,
    }
    document["recording"] = {"max_file_bytes": FILE_BYTES}
    document["limits"] = {"min_free_disk": 0}
    Profiles(house.database).create(SYSTEM, "load", document=document)
    with house.database.transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE configuration SET profile = (SELECT id FROM profile WHERE name = 'load')"
        )


@contextmanager
def _web(folder: Path) -> Iterator[tuple[SmallWeb, "subprocess.Popen[bytes]"]]:
    told = folder / "web.json"
    with _process(["bench.load.web", str(told)], folder / "web.err", stdin=subprocess.PIPE) as process:
        until = time.monotonic() + PATIENCE
        while not (told.exists() and told.read_text()):
            if process.poll() is not None or time.monotonic() > until:
                raise SystemExit((folder / "web.err").read_text())
            time.sleep(0.05)
        where = json.loads(told.read_text())
        yield SmallWeb(where["port"], where["name_server"]), process


@contextmanager
def _collector(site: Site, name: str) -> Iterator["subprocess.Popen[bytes]"]:
    own = {
        "ARMARIUM_HOME": str(site.folder / name),
        "ARMARIUM_COLLECTOR_SERVER": site.archive.house.address,
        "ARMARIUM_COLLECTOR_NAME": name,
        "ARMARIUM_COLLECTOR_MIN_FREE_BYTES": "0",
        "ARMARIUM_COLLECTOR_ENROLMENT": site.archive.enrolment(),
        "ARMARIUM_LOGS_FORMAT": "json",
    }
    with _process(["armarium", "collector"], site.folder / f"{name}.err", environment=own) as process:
        yield process


@contextmanager
def _process(
    module: list[str], log: Path, *, stdin: int | None = None, environment: Mapping[str, str] | None = None
) -> Iterator["subprocess.Popen[bytes]"]:
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", *module],
            env={**os.environ, **(environment or {})},
            stdin=stdin,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
