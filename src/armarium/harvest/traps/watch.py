"""The watch: shows each page that was fetched to every detector of traps."""

from collections import deque
from typing import Protocol

from armarium.formats.url.measures import path_segments
from armarium.harvest.scope.filters import FilterSet
from armarium.harvest.scope.reach import host_of, path_of
from armarium.harvest.traps.calendars import Calendars
from armarium.harvest.traps.loops import Loops
from armarium.harvest.traps.memory import HostSamples, Table
from armarium.harvest.traps.queries import Queries, Sessions
from armarium.harvest.traps.suspicion import Seen, Suspected, TrapSuspicion, first_that_fits


class Detector(Protocol):
    def saw(self, seen: Seen) -> Suspected | None: ...


# In this order: what has a session id or a date is better explained by it than by its query.
DETECTORS: tuple[type[Detector], ...] = (Sessions, Calendars, Loops, Queries)
_MOST_HOSTS = 2000
_MOST_TOLD = 10  # of one host
_YEAR = 31_556_952  # seconds: 365.2425 days


class TrapWatch:
    """One for each crawl. Each trap is told once; what it keeps is bounded, whatever it is shown."""

    def __init__(self) -> None:
        self._detectors = [detector() for detector in DETECTORS]
        self._hosts: Table[str, HostSamples] = Table(_MOST_HOSTS, HostSamples)
        self._told: Table[str, deque[str]] = Table(_MOST_HOSTS, lambda: deque(maxlen=_MOST_TOLD))

    def saw(self, url: str, digest: str, hops: str, size: int, now: float) -> TrapSuspicion | None:
        """A page that was fetched with success, at `now` in seconds since 1970.

        What is empty, has no digest or was only a prerequisite says nothing about a site.
        """
        if not size or not digest or hops.endswith("P"):
            return None
        seen = _seen(url, digest, size, now)
        samples = self._hosts[seen.host]
        suspicion = None
        for detector in self._detectors:
            if (suspected := detector.saw(seen)) and not self._is_told(seen.host, suspected):
                suspicion = _suspicion(seen.host, suspected, samples)
                self._told[seen.host].append(suspicion.filter)
                break
        samples.add(url)
        return suspicion

    def _is_told(self, host: str, suspected: Suspected) -> bool:
        """Whether a filter that was proposed before finds all of this too."""
        filters = FilterSet(filter(None, self._told[host]))
        return all(map(filters.find, suspected.samples))


def _seen(url: str, digest: str, size: int, now: float) -> Seen:
    return Seen(
        url=url,
        host=host_of(url),
        path=path_of(url),
        query=url.partition("#")[0].partition("?")[2],
        segments=path_segments(url),
        digest=hash(digest) % (1 << 64),
        size=size,
        year=1970 + int(now // _YEAR),
    )


def _suspicion(host: str, suspected: Suspected, samples: HostSamples) -> TrapSuspicion:
    return TrapSuspicion(
        kind=suspected.kind,
        host=host,
        sentence=suspected.sentence,
        counts=suspected.counts,
        samples=suspected.samples,
        filter=first_that_fits(suspected, samples.urls()),
    )
