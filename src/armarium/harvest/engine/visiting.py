"""The way of one address: name, robots.txt, fetch, links, record, outcome.

    resolve the host ── failed ──────────────▶ tried again later, then -1
      │ recorded when fresh
    robots.txt of the server ── unknown ─────▶ asked for first; the address is held back in its queue
      │                       ── forbids ────▶ -9998
    the server's pause ── not over ──────────▶ back into the queue, until it is
      │
    fetch ── may pass ───────────────────────▶ tried again later
      │
    links → scope → frontier;  capture → WARC;  outcome → frontier, log, statistics

Nothing is awaited between the links and the outcome: what is committed is always whole visits.
"""

import asyncio
import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial

from armarium.core.crawl_order import CrawlOrder, OverLimit
from armarium.formats.warc.new_record import Truncation
from armarium.harvest.engine.addresses import (
    host_of,
    is_inner,
    is_link_local,
    origin_of,
    resolved_location,
)
from armarium.harvest.engine.changes import Changes
from armarium.harvest.engine.discovery import Discovery, Outlink
from armarium.harvest.engine.ledger import NOTHING, Ending, Ledger, noted
from armarium.harvest.engine.robots import RobotsRegister, Rules, is_out_of_reach, robots_of
from armarium.harvest.extract import Found, extract
from armarium.harvest.fetch.exchange import Exchange, Resolution
from armarium.harvest.fetch.fetcher import Fetcher
from armarium.harvest.frontier import Frontier, Item
from armarium.harvest.frontier.servers import retry_after
from armarium.harvest.model import TRANSIENT, Candidate, Hop, Status
from armarium.harvest.record import CaptureFacts, Recorder
from armarium.harvest.reports.seeds import REDIRECTS
from armarium.harvest.scope import Scope
from armarium.harvest.traps import TrapSuspicion

TRIED_AGAIN = TRANSIENT | {429, 503}
WITHOUT_LINKS = ("image/", "video/", "audio/", "font/")
NOWHERE = -1  # the number of an item that is in no queue
SILENCE = 2.0  # seconds after which a robots.txt that has not come holds up its own port only
ROBOTS_PAUSE = 0.5  # seconds until an address asks again whether its robots.txt has come
ROBOTS_BYTES = 512 * 1024  # RFC 9309, 2.5: at least 500 kibibytes are read


@dataclass(slots=True)
class Parts:
    """What a visit needs."""

    order: CrawlOrder
    clock: Callable[[], float]
    frontier: Frontier
    fetcher: Fetcher
    scope: Scope
    discovery: Discovery
    robots: RobotsRegister
    recorder: Recorder
    ledger: Ledger
    changes: Changes
    writing: asyncio.Lock = field(default_factory=asyncio.Lock)  # the recorder is at work in another thread


class Visitor:
    """Takes items of the frontier through their way, many at the same time."""

    def __init__(
        self, parts: Parts, *, contain: Callable[[TrapSuspicion], None], commit: Callable[[], None]
    ) -> None:
        self._parts = parts
        self._contain = contain
        self._commit = commit
        self._judged_seeds: set[str] = set()
        self._public_seed = False
        self._order = parts.order

    async def visit(self, item: Item) -> None:
        parts = self._parts
        origin = origin_of(item.url)
        host = host_of(origin)
        if not host:
            self._end(item, Ending(Status.UNFETCHABLE))
            return
        addresses = await self._addresses(item, host)
        if not addresses:
            return
        if parts.robots.awaited(origin) and not parts.robots.is_awaited(item.url):
            # Its robots.txt is on its way, and other addresses of the queue may lead to other servers.
            if not parts.frontier.hold_back(item, origin, parts.clock()):
                await asyncio.sleep(ROBOTS_PAUSE)
                parts.frontier.put_back(item, parts.clock())
            return
        rules = self._rules(item, origin)
        if rules is None or not parts.frontier.server(item, addresses[0], parts.clock()):
            return
        with self._stepping_aside(item) if parts.robots.is_awaited(item.url) else nullcontext():
            exchange = await parts.fetcher.fetch(
                item.url, addresses=addresses, headers=self._headers(item), limit_bytes=None
            )
            try:
                await self._arrived(item, exchange, rules)
            finally:
                exchange.response.close()

    @contextmanager
    def _stepping_aside(self, item: Item) -> Iterator[None]:
        """A robots.txt is asked for: while that takes long, the other ports of its host need not wait."""
        timer = asyncio.get_running_loop().call_later(SILENCE, self._parts.frontier.step_aside, item)
        try:
            yield
        finally:
            timer.cancel()

    # Before the fetch -----------------------------------------------------------------------------------

    async def _addresses(self, item: Item, host: str) -> tuple[str, ...]:
        """The addresses of the server that may be visited; none if the visit is over."""
        parts = self._parts
        resolution = await parts.fetcher.resolve(host)
        if resolution.addresses and parts.frontier.hand_over(item, resolution.addresses[0], parts.clock()):
            return ()
        if resolution.record is not None:
            await self._record_name(item, resolution)
        if not resolution.addresses:
            ending = Ending(Status.DNS_FAILED, error=resolution.error)
            self._again_or_end(item, ending, absent=resolution.absent)
            return ()
        if not item.hops and self._order.fetching.seeds_open_ranges:
            await self._open_range(item, host, resolution.addresses)
        permitted = tuple(one for one in resolution.addresses if parts.fetcher.permitted(one))
        if not permitted:
            error = f"{host} has the address {resolution.addresses[0]}, which is denied"
            self._end(item, Ending(Status.BLOCKED, error=error, annotations=("deniedAddress",)))
        return permitted

    async def _open_range(self, item: Item, host: str, addresses: tuple[str, ...]) -> None:
        """A seed may lie in a range that is denied: whoever gave the seed wants it visited.

        A name says where it leads, and may lie. So it is asked once, at its first visit; all its addresses
        must be denied ones, link-local ones never count, and once a seed has turned out to be public, this is
        no harvest of an inner network, and names open nothing any more.
        """
        parts, changes = self._parts, self._parts.changes
        if host in self._judged_seeds:
            return
        self._judged_seeds.add(host)
        denied = [one for one in addresses if not parts.fetcher.permitted(one)]
        if len(denied) < len(addresses):
            self._public_seed = self._public_seed or not all(map(is_inner, addresses))
            return
        if self._public_seed or any(map(is_link_local, addresses)):
            return
        for address in denied:
            parts.fetcher.open_range_of(address)
            changes.opened(address, item.url)
        async with parts.writing:
            self._commit()  # a resumed crawl may never come by this seed again

    def _rules(self, item: Item, origin: str) -> Rules | None:
        """The rules of the server, if they let this address be fetched; None if the visit is over."""
        parts = self._parts
        robots = parts.robots
        if robots.is_awaited(item.url):
            return Rules()
        rules = robots.known(origin, parts.clock(), item.hops, item.url)
        if rules is None:
            return self._ask_robots(item, origin)
        if robots.allows(rules, item.url, item.hops):
            return rules
        if not rules.reachable:
            # Before the file is asked for again, another attempt would only be spent.
            wait = rules.until - parts.clock()
            self._again_or_end(item, Ending(Status.ROBOTS_PREREQUISITE_FAILED), wait=wait)
        else:
            self._end(item, Ending(Status.ROBOTS_PRECLUDED))
        return None

    def _ask_robots(self, item: Item, origin: str) -> Rules | None:
        """The rules are not known: robots.txt comes first, and this address after it."""
        parts = self._parts
        address = robots_of(origin)
        if item.url == address:
            parts.robots.expect(origin, address)
            return Rules()
        parts.robots.expect(origin, address, asker=item.url)
        wanted = Candidate(address, item.hops + Hop.PREREQUISITE, item.url, item.source)
        parts.frontier.add(wanted, rule="prerequisite", force=True)
        parts.frontier.put_back(item, parts.clock())
        return None

    def _headers(self, item: Item) -> list[tuple[str, str]]:
        headers = self._parts.recorder.validators(item.url)
        via = item.via
        if not via or not self._order.fetching.send_referer or item.hops.endswith(Hop.PREREQUISITE):
            return headers
        # RFC 9110, 10.1.3: not from a secured page to one that is not, and without user and password.
        if (via.startswith("https:") and item.url.startswith("http:")) or "@" in via:
            return headers
        return [("Referer", via), *headers]

    # After the fetch ------------------------------------------------------------------------------------

    async def _arrived(self, item: Item, exchange: Exchange, rules: Rules) -> None:
        status = exchange.status
        parts = self._parts
        awaited = parts.robots.is_awaited(item.url)
        if awaited:
            await self._robots_arrived(item, exchange)
            rules = Rules(reachable=not is_out_of_reach(status))
        elif status in TRIED_AGAIN and self._again(item, exchange):
            return
        if parts.writing.locked() or exchange.response.data is None:
            async with parts.writing:
                await self._keep(item, exchange, rules, large=exchange.response.data is None)
        else:
            self._take(item, exchange, rules)

    async def _keep(self, item: Item, exchange: Exchange, rules: Rules, *, large: bool) -> None:
        """Write while no other capture is being written; a large one outside of the loop."""
        if not large:
            self._take(item, exchange, rules)
            return
        found, outlinks = self._links(item, exchange)
        loop = asyncio.get_running_loop()
        recorded = None
        if self._is_kept(exchange):
            facts = self._facts(item, found, outlinks)
            write = partial(self._parts.recorder.record, exchange, item_facts=facts)
            thread = loop.run_in_executor(None, write)
            try:
                recorded = await asyncio.shield(thread)
            except asyncio.CancelledError:
                recorded = await thread  # half a record must not be left, nor a whole one that nobody knows
        self._end(item, Ending(exchange.status, exchange, recorded, found), rules)

    def _take(self, item: Item, exchange: Exchange, rules: Rules) -> None:
        found, outlinks = self._links(item, exchange)
        recorded = None
        if self._is_kept(exchange):
            recorded = self._parts.recorder.record(exchange, item_facts=self._facts(item, found, outlinks))
        self._end(item, Ending(exchange.status, exchange, recorded, found), rules)

    def _links(self, item: Item, exchange: Exchange) -> tuple[Found, list[Outlink]]:
        head = exchange.head
        if head is None or exchange.status <= 0:
            return NOTHING, []
        if exchange.status in REDIRECTS and item.hops.endswith(Hop.PREREQUISITE):
            return NOTHING, []  # a robots.txt that moved: it was gone after already
        if exchange.status in REDIRECTS and not item.hops.strip(Hop.REDIRECT):
            self._widen(item, head.location or "")
        mime = head.media_type or ""
        silent = mime.startswith(WITHOUT_LINKS) and mime != "image/svg+xml"
        most = self._order.fetching.max_decoded_bytes
        body = b"" if silent else exchange.content(most)
        found = extract(item.url, head, mime, body, item.hops, self._order.extraction, via=item.via)
        if body and len(body) >= most:
            found = found._replace(annotations=(*found.annotations, "decodedTrunc"))
        if item.hops.endswith(Hop.REDIRECT * self._order.fetching.max_redirects):
            found = found.without(Hop.REDIRECT, "max-redirects")
        return found, self._parts.discovery.take(item.url, item.hops, item.source, found)

    def _widen(self, item: Item, location: str) -> None:
        """A seed has moved: its new host is in scope, and nothing else of its domain."""
        target = resolved_location(item.url, location)
        if target and self._parts.scope.widen(target, item.hops + Hop.REDIRECT):
            self._parts.changes.widened(target, item.hops + Hop.REDIRECT)

    def _is_kept(self, exchange: Exchange) -> bool:
        if exchange.status <= 0:
            return False
        # What the server itself broke off is all there is of it.
        over = exchange.truncated in (Truncation.LENGTH, Truncation.TIME)
        return not over or self._order.limits.over_limit is OverLimit.TRUNCATE

    def _facts(self, item: Item, found: Found, outlinks: list[Outlink]) -> CaptureFacts:
        left_out = noted(found)
        return CaptureFacts(
            item.hops, item.via, item.source, not item.hops, found.encoding, outlinks, left_out
        )

    async def _robots_arrived(self, item: Item, exchange: Exchange) -> None:
        """Learn the rules; where the file has moved, go after it at once: whole queues wait for it."""
        target = self._learn_rules(item.url, exchange)
        via, hops = item.url, item.hops
        while target:
            hops += Hop.REDIRECT
            moved = replace(item, id=NOWHERE, url=target, hops=hops, via=via, attempts=0)
            further = await self._parts.fetcher.fetch(target)
            try:
                await self._record_rules(moved, further)
                via = target
                target = self._learn_rules(via, further)
            finally:
                further.response.close()

    def _learn_rules(self, url: str, exchange: Exchange) -> str | None:
        """The address where robots.txt must be asked for instead, if any."""
        head, robots = exchange.head, self._parts.robots
        content = exchange.content(ROBOTS_BYTES) if head is not None else b""
        location = head.location or "" if head is not None else ""
        asked = min(retry_after(head, exchange.started) or 0.0, self._order.politeness.max_retry_after)
        return robots.arrived(url, exchange.status, location, content, self._parts.clock(), asked)

    async def _record_rules(self, item: Item, exchange: Exchange) -> None:
        parts = self._parts
        recorded = None
        if exchange.status > 0:
            async with parts.writing:
                recorded = parts.recorder.record(exchange, item_facts=self._facts(item, NOTHING, []))
        parts.ledger.ended(
            item, Ending(exchange.status, exchange, recorded, error=exchange.error), parts.clock()
        )

    async def _record_name(self, item: Item, resolution: Resolution) -> None:
        parts = self._parts
        record = resolution.record
        if record is not None and self._order.fetching.dns_records:
            async with parts.writing:
                recorded = parts.recorder.record_names(record)
                parts.ledger.name_resolved(item, record, recorded)

    def failed(self, item: Item, fault: BaseException) -> None:
        """A visit ended by a fault of ours."""
        self._parts.ledger.crashed(item, "".join(traceback.format_exception(fault)))
        self._end(item, Ending(Status.RUNTIME_ERROR, error=f"{type(fault).__name__}: {fault}"))

    # The outcome ----------------------------------------------------------------------------------------

    def _again(self, item: Item, exchange: Exchange) -> bool:
        parts = self._parts
        now = parts.clock()
        wait = retry_after(exchange.head, exchange.started)
        if not parts.frontier.retry(item, exchange.status, now, retry_after=wait):
            return False
        parts.ledger.tried(item, exchange.status, exchange.error)
        return True

    def _again_or_end(
        self, item: Item, ending: Ending, *, wait: float | None = None, absent: bool = False
    ) -> None:
        parts = self._parts
        if parts.frontier.retry(item, ending.status, parts.clock(), wait=wait or 0.0, absent=absent):
            parts.ledger.tried(item, ending.status, ending.error)
        else:
            self._end(item, ending)

    def _end(self, item: Item, ending: Ending, rules: Rules | None = None) -> None:
        parts = self._parts
        exchange, recorded = ending.exchange, ending.recorded
        now = parts.clock()
        if parts.robots.is_awaited(item.url):  # it was never asked for: those who wait must not wait forever
            parts.robots.arrived(item.url, ending.status, "", b"", now)
        parts.frontier.finish(
            item,
            ending.status,
            ending.size,
            duration=exchange.duration if exchange else 0.0,
            now=now,
            retry_after=retry_after(exchange.head, exchange.started) if exchange else None,
            crawl_delay=rules.crawl_delay if rules else None,
            digest=recorded.payload_digest or "" if recorded else "",
            aside=rules is not None and not rules.reachable,
        )
        suspicion = parts.ledger.ended(item, ending, now)
        if suspicion is not None and suspicion.filter and self._order.scope.contain_traps:
            self._contain(suspicion)


def commit(parts: Parts, elapsed: float | None = None) -> None:
    """Everything since the last time, at once: a killed crawl is found as it was here."""
    parts.recorder.flush()
    parts.ledger.flush(parts.clock())
    frontier = parts.frontier
    frontier.remember("warcs", json.dumps(parts.recorder.positions()))
    for name, value in parts.ledger.facts():
        frontier.remember(name, value)
    if elapsed is not None:
        frontier.remember("elapsed", f"{elapsed:.3f}")
    frontier.commit()
    parts.recorder.committed()
