"""What the crawl has done so far, counted from its outcomes.

Only what stands in crawl.log is counted. So whatever was counted since the numbers were last saved can be
counted again from there, when a crawl is resumed after its process was killed.
"""

import heapq
import json
from collections.abc import Iterable
from dataclasses import asdict, astuple, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from armarium.harvest.model import Hop, is_counted
from armarium.harvest.reports.crawl_log import (
    BY_HASH,
    CUT,
    DISCARDED,
    NOT_MODIFIED,
    Outcome,
    bare_mime,
    parse_crawl_log_line,
    word,
)
from armarium.harvest.reports.seeds import REDIRECTS, SeedResult, page_size
from armarium.harvest.reports.tally import Tally

LEAST_STATUS, MOST_STATUSES = 100, 20  # below are words of Heritrix, such as 1 for a name that was looked up
MOST_TYPES = 10_000  # servers invent media types; what comes after so many is counted as "other"
_STATE = "statistics.json"
_VERSION = 4

# The numbers of a host, in the order of hosts-report; and what of them is no object of a budget.
URLS, BYTES, ROBOTS, NOVEL, NOVEL_BYTES, SAME, SAME_BYTES, KEPT, KEPT_BYTES, FAILED, UNCOUNTED = range(11)
HOST_WIDTH = 11


@dataclass(slots=True)
class Totals:
    successes: int = 0
    failures: int = 0
    disregards: int = 0
    novel: int = 0
    duplicates: int = 0
    not_modified: int = 0
    bytes: int = 0
    novel_bytes: int = 0
    duplicate_bytes: int = 0
    not_modified_bytes: int = 0
    dropped_links: int = 0  # beyond a limit
    cut_documents: int = 0  # not read to their end, for links

    @property
    def processed(self) -> int:
        return self.successes + self.failures + self.disregards


class Statistics:
    """`folder` is where the numbers are saved, and where those of too many hosts go."""

    def __init__(self, folder: Path, seeds: Iterable[str] = ()) -> None:
        self._folder = folder
        self.totals = Totals()
        self.seeds = {seed: SeedResult() for seed in seeds}
        self.trails: dict[str, SeedResult] = {}  # where redirects of seeds led
        self.mimes: dict[str, list[int]] = {}
        self.statuses: dict[int, int] = {}
        self.hosts = Tally(folder, "hosts", HOST_WIDTH)
        self.sources = Tally(folder, "sources", 3)  # addresses, bytes, and what is no object

    def saw(self, outcome: Outcome) -> None:
        """Count one finished address."""
        volume = outcome.bytes
        host = self.hosts.row(outcome.host)
        totals = self.totals
        if not outcome.hops.strip(Hop.REDIRECT):
            self._saw_seed(outcome)
        if not outcome.is_success:
            self._saw_failure(outcome, host)
            return
        totals.successes += 1
        totals.bytes += volume
        host[URLS] += 1
        host[BYTES] += volume
        host[UNCOUNTED] += not is_counted(outcome.hops)
        self.statuses[outcome.status] = self.statuses.get(outcome.status, 0) + 1
        mime = self._mime(outcome.mime)
        mime[0] += 1
        mime[1] += volume
        if outcome.source:
            # As the log has it: a tag with a space would be two columns of the report.
            source = self.sources.row(f"{word(outcome.source)} {outcome.host}")
            source[0] += 1
            source[1] += volume
            source[2] += not is_counted(outcome.hops)
        self._saw_novelty(outcome.annotations, volume, host)
        self._saw_limits(outcome.annotations)

    def _saw_novelty(self, annotations: tuple[str, ...], volume: int, host: list[int]) -> None:
        totals = self.totals
        if BY_HASH in annotations:
            totals.duplicates += 1
            totals.duplicate_bytes += volume
            host[SAME] += 1
            host[SAME_BYTES] += volume
        elif NOT_MODIFIED in annotations:
            totals.not_modified += 1
            totals.not_modified_bytes += volume
            host[KEPT] += 1
            host[KEPT_BYTES] += volume
        else:
            totals.novel += 1
            totals.novel_bytes += volume
            host[NOVEL] += 1
            host[NOVEL_BYTES] += volume

    def _saw_limits(self, annotations: tuple[str, ...]) -> None:
        self.totals.cut_documents += not CUT.isdisjoint(annotations)
        for one in annotations:
            if one.startswith(DISCARDED) and (number := one.removeprefix(DISCARDED)).isdecimal():
                self.totals.dropped_links += int(number)

    def _saw_failure(self, outcome: Outcome, host: list[int]) -> None:
        if outcome.is_disregarded:
            self.totals.disregards += 1
            host[ROBOTS] += outcome.is_robots_denial
        else:
            self.totals.failures += 1
            host[FAILED] += 1

    def _saw_seed(self, outcome: Outcome) -> None:
        if outcome.hops:
            # Logs without the column for what Heritrix does not tell keep no other trace of redirects.
            redirected = self.seeds.get(outcome.via) or self.trails.get(outcome.via)
            if redirected is not None and redirected.status in REDIRECTS:
                redirected.redirect = outcome.url
            result = self.trails.setdefault(outcome.url, SeedResult())
        elif outcome.url in self.seeds:
            result = self.seeds[outcome.url]
        else:
            return
        result.status, result.size = outcome.status, page_size(outcome.size, outcome.digest)
        result.redirect = outcome.location or result.redirect

    def _mime(self, mime: str) -> list[int]:
        name = bare_mime(mime).lower()
        if name not in self.mimes and len(self.mimes) >= MOST_TYPES:
            name = "other"
        return self.mimes.setdefault(name, [0, 0])

    def save(self, log_position: int) -> None:
        """Keep the numbers, which count crawl.log up to that position."""
        state = {
            "version": _VERSION,
            "crawl_log": log_position,
            "totals": asdict(self.totals),
            "seeds": {seed: astuple(result) for seed, result in self.seeds.items()},
            "trails": {url: astuple(result) for url, result in self.trails.items()},
            "mimes": self.mimes,
            "statuses": {str(status): count for status, count in self.statuses.items()},
            "hosts": self.hosts.state(),
            "sources": self.sources.state(),
        }
        fresh = self._folder / f"{_STATE}.fresh"
        fresh.write_text(json.dumps(state), encoding="utf-8")
        fresh.replace(self._folder / _STATE)

    def resume(self, crawl_log: Path) -> None:
        """Take up the saved numbers and count what crawl.log has since; all of it, where none fit."""
        size = crawl_log.stat().st_size if crawl_log.exists() else 0
        state = self._saved()
        position = state.get("crawl_log", 0) if state.get("version") == _VERSION else 0
        if 0 < position <= size:
            self._restore(state)
        else:
            position = 0
            self.hosts.restore(0, {})
            self.sources.restore(0, {})
        if size:
            self._count(crawl_log, position)

    def _saved(self) -> dict[str, Any]:
        try:
            state: dict[str, Any] = json.loads((self._folder / _STATE).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return {}
        return state

    def _restore(self, state: dict[str, Any]) -> None:
        self.totals = Totals(**state["totals"])
        self.seeds |= {seed: SeedResult(*result) for seed, result in state["seeds"].items()}
        self.trails = {url: SeedResult(*result) for url, result in state["trails"].items()}
        self.mimes = state["mimes"]
        self.statuses = {int(status): count for status, count in state["statuses"].items()}
        self.hosts.restore(**state["hosts"])
        self.sources.restore(**state["sources"])

    def _count(self, crawl_log: Path, position: int) -> None:
        with crawl_log.open("rb") as file:
            file.seek(position)
            for line in file:
                outcome = parse_crawl_log_line(line.decode(errors="replace").rstrip("\n"))
                if outcome is not None:
                    self.saw(outcome)

    def biggest_types(self, count: int) -> list[dict[str, Any]]:
        """The media types with most addresses."""
        most = heapq.nlargest(count, self.mimes.items(), key=lambda pair: (pair[1][0], pair[0]))
        return [{"mime": mime, "objects": urls, "bytes": size} for mime, (urls, size) in most]

    def by_status(self) -> dict[str, int]:
        """How many addresses were answered with which code of HTTP; the most frequent first."""
        answered = ((status, count) for status, count in self.statuses.items() if status >= LEAST_STATUS)
        most = heapq.nlargest(MOST_STATUSES, answered, key=lambda pair: (pair[1], -pair[0]))
        return {str(status): count for status, count in most}

    def biggest_hosts(self, count: int) -> list[tuple[str, int, int]]:
        """Host, addresses and bytes of those with most addresses."""
        return [(host, row[URLS], row[BYTES]) for host, row in islice(self.hosts.by_count(), count)]
