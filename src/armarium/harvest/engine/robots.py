"""What the robots.txt of each server allows, and who still waits for one."""

import base64
import binascii
import zlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

from armarium.core.crawl_order import Retries, RobotsPolicy
from armarium.formats.robots import Access, Robots, outcome, parse
from armarium.formats.robots.rules import MAX_REDIRECTS
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.engine.addresses import origin_of
from armarium.harvest.model import Hop

# --- Robots.txt files that were read, kept so that a resumed crawl need not ask for them again.
#
# A line for each: origin, until when it holds, the status of the answer, and the text, packed. A line that a
# killed process left half written does not count.


LONGEST = 512 * 1024  # bytes: as much as is read of one


class Kept(NamedTuple):
    origin: str
    until: float
    status: int
    content: bytes


class RobotsStore:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = path.open("a", encoding="ascii")
        if self._file.tell():
            self._file.write("\n")  # the last line may have been cut off

    def keep(self, origin: str, until: float, status: int, content: bytes) -> None:
        if len(content) <= LONGEST and origin.isascii():
            packed = base64.b64encode(zlib.compress(content)).decode()
            self._file.write(f"{origin} {until:.0f} {status} {packed} .\n")
            with suppress(OSError):  # the disk is full: it is written with the next one, or asked for again
                self._file.flush()  # before its capture is: whoever takes that over needs the rules, too

    def kept(self, now: float) -> Iterator[Kept]:
        """Those that still hold, the latest last."""
        with self._path.open(encoding="ascii", errors="replace") as file:
            for line in file:
                found = _read(line)
                if found is not None and found.until > now:
                    yield found

    def close(self) -> None:
        self._file.close()


def _read(line: str) -> Kept | None:
    fields = line.split(" ")
    if len(fields) != 5 or fields[4] != ".\n":
        return None
    origin, until, status, packed, _ = fields
    try:
        return Kept(
            origin, float(until), int(status), zlib.decompress(base64.b64decode(packed), bufsize=LONGEST)
        )
    except (ValueError, binascii.Error, zlib.error):
        return None


# --- What the robots.txt of each server allows, and who still waits for one.


VALID = timedelta(days=1).total_seconds()  # RFC 9309, 2.4: a copy should not be used for longer
USUAL_PATIENCE = 60.0
MOST_BYTES = 8_000_000  # of their files: rules take up to fifteen times as much memory
MOST_SERVERS = 50_000  # whose rules are kept at hand; the others are asked again
EMBEDS = (Hop.EMBED, Hop.SPECULATIVE, Hop.INFERRED)


class Rules(NamedTuple):
    """The rules of one server, for one crawler."""

    robots: Robots | None = None  # None: there are no rules
    reachable: bool = True  # RFC 9309, 2.3.1.4: while the file is out of reach, nothing may be fetched
    crawl_delay: float | None = None
    until: float = float("inf")
    weight: int = 0  # bytes of the file


class Awaited(NamedTuple):
    """A robots.txt that was asked for."""

    origins: frozenset[str]
    redirects: int


class RobotsRegister:
    """The rules by origin (scheme, host, port)."""

    def __init__(
        self, policy: RobotsPolicy, product: str, store: RobotsStore, *, wanted: bool, patience: float,
        settled: Callable[[str], None] = lambda _: None,
    ) -> None:  # fmt: skip
        self._policy = policy
        self._patience = patience  # seconds until a file that was out of reach is asked for again
        self._product = product
        self._settled = settled  # told of each origin that is awaited no longer
        self._wanted = wanted  # even if nothing is forbidden: it names sitemaps
        self._rules: OrderedDict[str, Rules] = OrderedDict()
        self._store = store
        self._weight = 0  # of all rules that are kept
        self._awaited: dict[str, Awaited] = {}
        self._origins: dict[str, str] = {}  # origin → the address that is awaited for it
        self._askers: dict[str, str] = {}  # origin → the address for whose sake it was asked for last

    def known(self, origin: str, now: float, hops: str = "", url: str = "") -> Rules | None:
        """The rules of a server, for an address found that way; None if its robots.txt must be read first."""
        rules = self._rules.get(origin)
        # Whoever asked takes the answer, late as it may be: else it would ask again each time its turn comes
        # later than the patience ends, and never spend an attempt.
        asked = self._askers.get(origin) == url and bool(url)
        if asked:
            del self._askers[origin]
        if rules is not None and (rules.until > now or asked):
            return rules
        # Where it forbids nothing, it is read for the sitemaps it names: of no use for parts of pages.
        unasked = self.is_ignored(hops) and (is_embed(hops) or not self._wanted)
        return ANYTHING if unasked else None

    def awaited(self, origin: str) -> bool:
        return origin in self._origins

    def expect(self, origin: str, url: str, redirects: int = 0, asker: str = "") -> None:
        """The rules of an origin will come from this address."""
        if asker:
            self._askers[origin] = asker
        before = self._awaited.get(url)
        origins = before.origins | {origin} if before else frozenset({origin})
        self._awaited[url] = Awaited(origins, max(redirects, before.redirects if before else 0))
        self._origins[origin] = url

    def is_awaited(self, url: str) -> bool:
        return url in self._awaited

    def arrived(
        self, url: str, status: int, location: str, content: bytes, now: float, retry_after: float = 0.0
    ) -> str | None:
        """The request for a robots.txt has ended; the address where it must be asked for instead, if any."""
        awaited = self._awaited.pop(url, None)
        if awaited is None:
            return None
        result = outcome(status if status > 0 else None, redirects=awaited.redirects)
        target = redirected(url, location) if result.access is Access.FOLLOW else None
        if target and target != url:  # others may be waiting for the same file
            for origin in awaited.origins:
                self.expect(origin, target, awaited.redirects + 1)
            return target
        rules = self._judged(result.access, content, now, retry_after)
        for origin in awaited.origins:
            self._origins.pop(origin, None)
            self._learn(origin, rules)
            if rules.reachable:
                self._askers.pop(origin, None)
                self._store.keep(origin, rules.until, status, content)
            self._settled(origin)
        return None

    def resume(self, now: float, is_captured: Callable[[str], bool]) -> None:
        """Take up what was read before the crawl was interrupted, unless its capture was lost then: it is
        asked for again, and captured.
        """
        for kept in self._store.kept(now):
            if not is_captured(robots_of(kept.origin)):
                continue
            rules = self._judged(outcome(kept.status, redirects=MAX_REDIRECTS).access, kept.content, now)
            self._learn(kept.origin, rules._replace(until=kept.until))

    def _learn(self, origin: str, rules: Rules) -> None:
        before = self._rules.pop(origin, None)
        self._weight += rules.weight - (before.weight if before else 0)
        self._rules[origin] = rules
        while len(self._rules) > MOST_SERVERS or self._weight > MOST_BYTES:
            self._weight -= self._rules.popitem(last=False)[1].weight

    def allows(self, rules: Rules, url: str, hops: str) -> bool:
        """Whether the policy of this crawl lets an address be fetched."""
        return self.is_ignored(hops) or self.forbidden_by(rules, url) is None

    def is_ignored(self, hops: str) -> bool:
        """Whether the policy does not ask what robots.txt says."""
        if self._policy is RobotsPolicy.IGNORE_FOR_EMBEDS:
            return is_embed(hops)
        return self._policy is RobotsPolicy.IGNORE

    def forbidden_by(self, rules: Rules, url: str) -> str | None:
        """The line that forbids an address, whatever the policy; None if it is allowed."""
        if rules.robots is None:
            return None if rules.reachable else "robots.txt is out of reach"
        decision = rules.robots.allowed(self._product, url)
        return None if decision.allowed else f"line {decision.line}: {decision.rule}"

    def _judged(self, access: Access, content: bytes, now: float, retry_after: float = 0.0) -> Rules:
        if access is Access.DISALLOW_ALL:
            return Rules(reachable=False, until=now + max(self._patience, retry_after))
        if access is not Access.RULES:
            return Rules(until=now + VALID)
        robots = parse(content)
        delay = robots.crawl_delay(self._product)
        return Rules(robots, crawl_delay=delay, until=now + VALID, weight=len(content))


ANYTHING = Rules()


def patience(retries: Retries) -> float:
    """Seconds until a robots.txt that was out of reach is asked for again."""
    return max(retries.delay, USUAL_PATIENCE) if retries.robots_delay is None else retries.robots_delay


def is_out_of_reach(status: int) -> bool:
    """Whether a request for a robots.txt that ended so says nothing of its rules."""
    return outcome(status if status > 0 else None).access is Access.DISALLOW_ALL


def robots_of(origin: str) -> str:
    """Where the rules of a server are."""
    return f"{origin}/robots.txt"


def is_embed(hops: str) -> bool:
    """Whether an address was found as a part of a page, redirects aside."""
    return hops.rstrip(Hop.REDIRECT)[-1:] in EMBEDS


def redirected(url: str, location: str) -> str | None:
    """Where a robots.txt is to be found instead.

    RFC 9309, 2.3.1.2, lets redirects lead to other servers. There we follow to a robots.txt only: a site must
    not send us to any address of another that it likes.
    """
    if not location:
        return None
    try:
        target = resolve(url, location).partition("#")[0]
    except InvalidUrl:
        return None
    if not target.startswith(("http://", "https://")):
        return None
    here, there = origin_of(url), origin_of(target)
    return target if here == there or target == robots_of(there) else None
