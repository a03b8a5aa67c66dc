"""A look at one address: where it leads, what stands there, and what robots.txt says of it."""

import asyncio
import contextlib
import time
from dataclasses import dataclass, field, replace

from armarium.core.errors import Refused
from armarium.formats.media import HEAD_BYTES, identify
from armarium.formats.robots import Access, outcome, parse
from armarium.formats.url import InvalidUrl, resolve
from armarium.harvest.engine.addresses import host_of, origin_of
from armarium.harvest.engine.robots import redirected
from armarium.harvest.fetch import Exchange, Fetcher
from armarium.harvest.model import Status
from armarium.selection.entry.checker import Look, RobotsSays, Step, Trouble, Verdict, Way
from armarium.selection.records.rules import LONGEST_ADDRESS, place_of
from armarium.workflow.looking_page import HTML, PageFacts, cleaned, read_page

MOST_ROBOTS_BYTES = 512 * 1024
MOST_TOLD = 500  # characters of a failure
TROUBLES: dict[int, Trouble] = {
    Status.DNS_FAILED: Trouble.NO_NAME,
    Status.BLOCKED: Trouble.DENIED,
    Status.UNFETCHABLE: Trouble.NO_ADDRESS,
    Status.TIMEOUT: Trouble.TOO_SLOW,
}


@dataclass(frozen=True)
class Bounds:
    seconds: float
    max_bytes: int
    max_redirects: int


@dataclass
class Route:
    """What is known so far; it stays when the time is up."""

    asked: str
    at: str  # where we are
    way: Way = Way.ASKED  # how we came there
    steps: list[Step] = field(default_factory=list)
    look: Look | None = None  # once it is decided

    def arrive(self, exchange: Exchange, addresses: tuple[str, ...]) -> None:
        status = max(exchange.status, 0)
        # Of a network that is denied nobody is told more than that.
        told = "" if exchange.status == Status.BLOCKED else cleaned(exchange.error)[:MOST_TOLD]
        self.steps.append(Step(self.at, self.way, status, addresses, told))

    def fail(self, trouble: Trouble) -> None:
        self.look = Look(self.asked, Verdict.INVALID, trouble, tuple(self.steps))

    def end(self, facts: Look) -> None:
        verdict = Verdict.REDIRECTS if len(self.steps) > 1 else Verdict.FINE
        self.look = replace(facts, verdict=verdict, steps=tuple(self.steps))

    def out_of_time(self) -> Look:
        """Where we were when the time was up."""
        unfinished = Step(self.at, self.way)
        return Look(self.asked, Verdict.INVALID, Trouble.TOO_SLOW, (*self.steps, unfinished))


class Looker:
    """Looks at addresses with the crawler's own fetcher."""

    def __init__(self, fetcher: Fetcher, product: str, bounds: Bounds) -> None:
        self._fetcher = fetcher
        self._product = product
        self._bounds = bounds

    async def look(self, text: str) -> Look:
        """Never raises for what a site or the network does."""
        began = time.monotonic()
        try:
            url = place_of(text).address
        except Refused:
            return Look(text[:LONGEST_ADDRESS], Verdict.INVALID, Trouble.NO_ADDRESS)
        route = Route(url, url)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._bounds.seconds):
                await self._follow(route)
                if route.look is not None and route.look.verdict is not Verdict.INVALID:
                    says, rule = await self._robots(route.look.final)
                    route.look = replace(route.look, robots=says, robots_rule=rule)
        return replace(route.look or route.out_of_time(), seconds=time.monotonic() - began)

    async def _follow(self, route: Route) -> None:
        visits: dict[str, int] = {}
        while route.look is None:
            visits[route.at] = visits.get(route.at, 0) + 1
            # A page may send its readers to itself once, with a cookie; a third time is a circle.
            if len(route.steps) > self._bounds.max_redirects or visits[route.at] > 2:
                route.fail(Trouble.ASTRAY)
                return
            exchange = await self._ask(route.at, self._bounds.max_bytes, route)
            try:
                self._judge(route, exchange)
            finally:
                exchange.response.close()

    async def _ask(self, url: str, limit: int, route: Route | None = None) -> Exchange:
        """The fetcher looks at the address to which it really connects: a second answer changes nothing."""
        resolution = await self._fetcher.resolve(host_of(origin_of(url)).strip("[]"))
        exchange = await self._fetcher.fetch(url, addresses=resolution.addresses, limit_bytes=limit)
        if route is not None:
            route.arrive(exchange, tuple(filter(self._fetcher.permitted, resolution.addresses)))
        return exchange

    def _judge(self, route: Route, exchange: Exchange) -> None:
        """Decide, or go on to where the answer sends us."""
        head, status = exchange.head, exchange.status
        if head is None:
            route.fail(TROUBLES.get(status, Trouble.UNREACHABLE))
            return
        if 300 <= status < 400:
            self._go(route, head.fields.get("location") or "", Way.REDIRECT)
            return
        if not 200 <= status < 300:
            route.fail(Trouble.STATUS)
            return
        facts, page = self._facts(route.asked, route.at, exchange)
        if page.refresh:
            self._go(route, page.refresh, Way.REFRESH)
        else:
            route.end(facts)

    @staticmethod
    def _go(route: Route, location: str, way: Way) -> None:
        try:
            target = place_of(resolve(route.at, location.strip())).address if location.strip() else ""
        except (InvalidUrl, Refused):
            target = ""
        if target:
            route.at, route.way = target, way
        else:
            route.fail(Trouble.ASTRAY)

    def _facts(self, asked: str, url: str, exchange: Exchange) -> tuple[Look, PageFacts]:
        assert exchange.head is not None
        content = exchange.content(self._bounds.max_bytes)
        name = url.partition("?")[0].rpartition("/")[2]
        media = identify(
            content[:HEAD_BYTES], declared=exchange.head.content_type, name=name or None, pronom=False
        )
        # A stray control character makes a page binary to an archivist, and a page to its readers.
        kind = media.browser if content and media.browser in HTML else media.mime
        page = read_page(url, exchange.head, kind, content)
        facts = Look(
            asked,
            Verdict.FINE,
            title=page.title,
            language=page.language,
            media_type=kind,
            size=exchange.response.length - exchange.response.head_length,
            whole=exchange.truncated is None,
            tls_problem=exchange.tls.problem if exchange.tls is not None else "",
        )
        return facts, page

    async def _robots(self, url: str) -> tuple[RobotsSays, str]:
        """What the crawler would make of the server's robots.txt for this address."""
        place = f"{origin_of(url)}/robots.txt"
        redirects = 0
        while True:
            exchange = await self._ask(place, MOST_ROBOTS_BYTES)
            try:
                head, status = exchange.head, exchange.status
                result = outcome(status if status > 0 else None, redirects=redirects)
                location = (head.fields.get("location") or "") if head is not None else ""
                target = redirected(place, location) if result.access is Access.FOLLOW else None
                if target is None or target == place:
                    content = exchange.content(MOST_ROBOTS_BYTES)
                    return self._said(result.access, content, url)
                place, redirects = target, redirects + 1
            finally:
                exchange.response.close()

    def _said(self, access: Access, content: bytes, url: str) -> tuple[RobotsSays, str]:
        if access is Access.DISALLOW_ALL:
            return RobotsSays.OUT_OF_REACH, ""
        if access is not Access.RULES:
            return RobotsSays.ABSENT, ""
        decision = parse(content).allowed(self._product, url)
        if decision.allowed:
            return RobotsSays.ALLOWED, ""
        return RobotsSays.FORBIDDEN, f"{decision.line}: {cleaned(decision.rule or '')}"
