"""What became of the seeds, where their redirects end, and whether there was anything to collect."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from armarium.core.collecting import SeedVerdict
from armarium.formats.url import registered_domain
from armarium.formats.warc.digest import ALGORITHMS, digest_of
from armarium.harvest.frontier.queue_names import host_of
from armarium.harvest.model import Status

REDIRECTS = frozenset({301, 302, 303, 307, 308})
NOT_MODIFIED = 304
MOST_REDIRECTS = 50
TOO_MANY = "max-redirects"  # the rule by which the crawler follows no further
KEPT_OUT = frozenset(
    {401, 402, 403, 407, 429, 451, 503}
    | {Status.ROBOTS_PRECLUDED, Status.BLOCKED, Status.OUT_OF_SCOPE, Status.DELETED}
)
EMPTY_PAYLOADS = frozenset(digest_of(algorithm, b"") for algorithm in ALGORITHMS)
NOT_ASKED_FOR = frozenset({Status.UNTRIED, Status.QUOTA, Status.RUNTIME_LIMIT})


@dataclass(slots=True)
class SeedResult:
    """Of a seed, or of an address to which only redirects of a seed lead."""

    status: int = 0
    redirect: str = ""  # where it redirects to
    size: int = 0  # of the body


class Elsewhere(NamedTuple):
    """An address that redirects lead to, as the frontier knows it."""

    address: str  # in the spelling in which it was found
    status: int = 0  # 0: its turn never came
    size: int = 0
    rejected: str = ""  # the rule by which it was


def page_size(size: int | None, digest: str) -> int:
    """Of a body whose size on the wire is given: the chunk that ends it is no page."""
    return 0 if digest in EMPTY_PAYLOADS else size or 0


class SeedEnd(NamedTuple):
    """How it ended with a seed."""

    verdict: SeedVerdict
    status: int  # at the end of its redirects
    address: str  # where they end


class SeedBook:
    """Judges seeds. `look_up` knows addresses that were found in other ways; None: nobody ever saw it."""

    def __init__(
        self,
        results: Mapping[str, SeedResult],
        look_up: Callable[[str], Elsewhere | None],
        registries: tuple[str, ...] = (),
    ) -> None:
        self._results = results
        self._look_up = look_up
        self._registries = registries

    def end_of(self, seed: str) -> SeedEnd:
        result = self._results.get(seed, SeedResult())
        address, passed = seed, {seed}
        while result.status in REDIRECTS and result.redirect and len(passed) <= MOST_REDIRECTS:
            address = result.redirect
            if address in passed:
                return SeedEnd(SeedVerdict.DEAD, result.status, address)  # in circles
            known = self._results.get(address)
            if known is None or not known.status:
                return self._elsewhere(seed, address, result.status, passed)
            passed.add(address)
            result = known
        if result.status in REDIRECTS:
            # Logs of earlier versions do not tell where it led.
            return SeedEnd(SeedVerdict.FINE, result.status, address)
        return SeedEnd(self._judged(seed, address, result.status, result.size), result.status, address)

    def _elsewhere(self, seed: str, address: str, before: int, passed: Collection[str]) -> SeedEnd:
        found = self._look_up(address)
        if found is None or found.address in passed:
            return SeedEnd(SeedVerdict.DEAD, before, address)  # one redirect too many, or in circles
        if found.rejected and self._site(seed) == self._site(address):
            endless = found.rejected == TOO_MANY
            return SeedEnd(SeedVerdict.DEAD if endless else SeedVerdict.BLOCKED, before, address)
        if found.rejected:
            return SeedEnd(SeedVerdict.MOVED, before, address)
        return SeedEnd(self._judged(seed, address, found.status, found.size), found.status, address)

    def _judged(self, seed: str, address: str, status: int, size: int) -> SeedVerdict:
        if status in NOT_ASKED_FOR:
            return SeedVerdict.UNTRIED
        if status in KEPT_OUT:
            return SeedVerdict.BLOCKED
        if status < 0:
            return SeedVerdict.UNREACHABLE
        if status >= 400:
            return SeedVerdict.DEAD
        if not size and status != NOT_MODIFIED and status not in REDIRECTS:
            return SeedVerdict.EMPTY
        return SeedVerdict.FINE if self._site(seed) == self._site(address) else SeedVerdict.MOVED

    def _site(self, url: str) -> str:
        host = host_of(url)
        return registered_domain(host, self._registries) or host
