"""Counting what is read, in memory; every half minute the sums go into the database.

No address of a reader, no account, no session and no URL comes in here. A domain is counted by the month, and
only where a page was shown.
"""

import time
from collections import defaultdict
from datetime import date
from threading import Event, Lock, Thread
from typing import NamedTuple
from zoneinfo import ZoneInfo

import structlog
from sqlalchemy.exc import DBAPIError

from armarium.access.model import Reader
from armarium.access.statistics import queries
from armarium.access.statistics.model import ELSEWHERE, OTHER, SEVERAL, VIEWINGS
from armarium.core import clock
from armarium.core.errors import ArmariumError
from armarium.db.database import Database
from armarium.formats.url import registered_domain

log = structlog.get_logger(__name__)

EVERY = 30.0  # seconds
MOST_KINDS = 20_000  # different things that are counted before they are written out at once
DAY_EVERY = 5.0  # seconds; asking for the day in a time zone at each request would cost


class Use(NamedTuple):
    day: date
    collection: str
    kind: str
    outcome: str
    network: int


class LiveUses:
    """Fulfils `requests.site.Uses`. `start` it where readers are served, and `close` it at the end."""

    def __init__(self, database: Database, zone: str) -> None:
        self._database = database
        self._zone = ZoneInfo(zone)
        self._lock = Lock()
        self._uses: dict[Use, tuple[int, int]] = {}
        self._sites: dict[tuple[date, str], int] = {}
        self._today = (float("-inf"), date.min)
        self._ending = Event()
        self._thread: Thread | None = None

    def note(
        self, kind: str, outcome: str, *, collection: str, reader: Reader, size: int = 0, domain: str = ""
    ) -> None:
        network = min(reader.networks, default=ELSEWHERE)
        with self._lock:
            day = self._day()
            use = Use(day, _public(collection), kind, outcome, network)
            times, written = self._uses.get(use, (0, 0))
            self._uses[use] = (times + 1, written + size)
            if domain and kind == "page" and outcome == "shown":
                site = (day.replace(day=1), domain)
                self._sites[site] = self._sites.get(site, 0) + 1
            full = len(self._uses) + len(self._sites) > MOST_KINDS
        if full:
            self.flush()

    def start(self) -> None:
        self._thread = Thread(target=self._write_now_and_then, name="uses", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._ending.set()
        if self._thread is not None:
            self._thread.join()
        self.flush()

    def flush(self) -> None:
        """Write the sums out. What could not be written is counted on, and written later."""
        with self._lock:
            uses, self._uses = self._uses, {}
            sites, self._sites = self._sites, {}
        try:
            with self._database.transaction() as connection:
                queries.add_uses(connection, uses)
                queries.add_sites(connection, by_domain(sites))
        except ArmariumError as error:
            log.warning("figures of use not written", reason=str(error))
            self._put_back(uses, sites)
        except DBAPIError:  # something in them cannot be written, and would not be the next time either
            log.exception("figures of use lost", uses=len(uses), domains=len(sites))

    def _put_back(self, uses: dict[Use, tuple[int, int]], sites: dict[tuple[date, str], int]) -> None:
        with self._lock:
            if len(self._uses) + len(self._sites) > MOST_KINDS:
                return  # the database has been away for long: better no figures than no memory
            for use, (times, written) in uses.items():
                now = self._uses.get(use, (0, 0))
                self._uses[use] = (now[0] + times, now[1] + written)
            for site, times in sites.items():
                self._sites[site] = self._sites.get(site, 0) + times

    def _write_now_and_then(self) -> None:
        while not self._ending.wait(EVERY):
            self.flush()

    def _day(self) -> date:
        at = time.monotonic()
        if at - self._today[0] > DAY_EVERY:
            self._today = (at, clock.now().astimezone(self._zone).date())
        return self._today[1]


def by_domain(sites: dict[tuple[date, str], int]) -> dict[tuple[date, str], int]:
    """Hosts as what was registered: www.example.org and example.org are one site."""
    sums: defaultdict[tuple[date, str], int] = defaultdict(int)
    for (month, host), times in sites.items():
        sums[month, registered_domain(host) or OTHER] += times
    return dict(sums)


def _public(collection: str) -> str:
    """The number of a viewing would tell who looked."""
    if collection.startswith("viewing-"):
        return VIEWINGS
    return SEVERAL if "+" in collection else collection
