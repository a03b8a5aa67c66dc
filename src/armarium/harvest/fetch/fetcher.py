"""Fetches: what the rest of the harvester knows of the network."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from armarium.core import clock
from armarium.core.crawl_order import Fetching, Identity, Limits
from armarium.core.late import late
from armarium.harvest.fetch.addresses import AddressRules
from armarium.harvest.fetch.carrier import Carrier, Errand
from armarium.harvest.fetch.cookies import CookieJar
from armarium.harvest.fetch.credentials import Credentials
from armarium.harvest.fetch.exchange import Exchange, Resolution, Wire
from armarium.harvest.fetch.proxy import parse_proxy
from armarium.harvest.fetch.request import RequestWriter, Target, Unfetchable, is_address, target_of
from armarium.harvest.fetch.resolver import Resolver, known_hosts, name_servers
from armarium.harvest.model import Status

if TYPE_CHECKING:
    from armarium.harvest.fetch.logins import Logins
else:
    Logins = late("armarium.harvest.fetch.logins:Logins")

MOST_ADDRESSES = 4  # of one server that are tried
Headers = Sequence[tuple[str, str]]


class Fetcher:
    """One for a crawl. `start` it inside the event loop in which it is used."""

    def __init__(self, order: Fetching, limits: Limits, identity: Identity, *, folder: Path) -> None:
        """Raises ValueError for a proxy, a name server or a network that is none."""
        self._order = order
        self._limits = limits
        self._folder = folder
        self._rules = AddressRules(order.allowed_ranges, order.denied_ranges)
        self._writer = RequestWriter(order, identity)
        self._proxy = parse_proxy(order.proxy)
        self._proxy_resolves = order.proxy_resolves and self._proxy is not None
        hosts = {} if order.dns_servers else known_hosts()
        servers = name_servers(order.dns_servers) if order.dns_servers else None
        self._resolver = Resolver(servers, order.dns_seconds, order.ip_version, hosts)
        self._carrier: Carrier | None = None
        self._logins: Logins | None = None  # as soon as there is somebody to log in
        self.cookies = CookieJar()
        self.credentials = Credentials(order.credentials)

    async def start(self) -> None:
        """Raises OSError if a file that the order names cannot be read."""
        if self._order.cookie_file:
            self.cookies.load(Path(self._order.cookie_file))
        self._carrier = Carrier(self._order, self._limits, self._proxy)

    async def close(self) -> None:
        if self._logins is not None:
            self._logins.close()
        self._resolver.close()
        if self._carrier is not None:
            self._carrier.close()
            self._carrier = None
            await asyncio.sleep(0)  # connections close themselves in the next turn of the loop

    @property
    def idle_connections(self) -> int:
        return self._carrier.idle if self._carrier is not None else 0

    def permitted(self, address: str) -> bool:
        """Whether this address may be visited."""
        if self._proxy_resolves and not is_address(address):
            return True  # a name, of which only the proxy knows the address
        return self._rules.permitted(address)

    def open_range_of(self, address: str) -> None:
        """For seeds only: the denied range in which a seed lies is opened for this crawl."""
        self._rules.open_range_of(address)

    async def resolve(self, host: str) -> Resolution:
        """The addresses of a host. Where the proxy resolves names, the name stands for its address."""
        if self._proxy_resolves:
            return Resolution((host,))
        return await self._resolver.resolve(host)

    async def fetch(
        self,
        url: str,
        *,
        addresses: tuple[str, ...] = (),
        headers: Headers = (),
        method: str = "GET",
        body: bytes = b"",
        limit_bytes: int | None = None,
    ) -> Exchange:
        """Ask, and ask again if the server wants credentials that we have. Redirects are not followed.

        Never raises for what a server or the network does; OSError if our own disk is full. `addresses`: as
        `resolve` gave them; they are asked for if there are none. `limit_bytes`: of the body, where it is to
        be less than the order's.
        """
        exchange = Exchange(url, Status.UNTRIED, clock.now(), Wire(self._folder))
        exchange.decoded_limit = self._order.max_decoded_bytes
        began = time.monotonic()
        try:
            target = target_of(url)
        except Unfetchable as error:
            exchange.status, exchange.error = Status.UNFETCHABLE, str(error)
            return exchange
        allowed = await self._allowed(exchange, target, addresses)
        if allowed:
            form = self.credentials.form_for(target) if self.credentials.forms else None
            if form is not None:
                await self._logged_in().wait_for(form)
            errand = Errand(target, allowed, method, b"", limit_bytes)
            await self._converse(errand, exchange, headers, body)
        exchange.duration = time.monotonic() - began
        return exchange

    async def _converse(self, errand: Errand, exchange: Exchange, headers: Headers, body: bytes) -> None:
        """One request, or two if the first is answered with 401."""
        assert self._carrier is not None, "start() the fetcher first"
        method, target = errand.method, errand.target
        known = self.credentials.header(method, target)
        request = self._request(errand, headers, body, known)
        await self._carrier.carry(errand._replace(request=request), exchange)
        self._heed(exchange, target)
        if exchange.status != 401 or exchange.head is None:
            return
        wanted = self.credentials.answer(exchange.head, method, target, sent=bool(known))
        if not wanted:
            return
        exchange.response.clear()
        exchange.head, exchange.truncated, exchange.started = None, None, clock.now()
        request = self._request(errand, headers, body, wanted)
        await self._carrier.carry(errand._replace(request=request), exchange)
        self._heed(exchange, target)

    def _asks_proxy(self, target: Target) -> bool:
        """Whether the proxy is asked for the page itself."""
        proxy = self._proxy
        return proxy is not None and proxy.scheme == "http" and target.origin.scheme == "http"

    def _request(self, errand: Errand, headers: Headers, body: bytes, authorization: str) -> bytes:
        further = list(headers)
        if self._order.cookies and (cookie := self.cookies.header(errand.target)):
            further.append(("Cookie", cookie))
        if authorization:
            further.append(("Authorization", authorization))
        asks_proxy = self._proxy is not None and self._asks_proxy(errand.target)
        if self._proxy is not None and asks_proxy:
            further.extend(self._proxy.authorization)
        return self._writer.write(errand.method, errand.target, further, body, through_proxy=asks_proxy)

    def _heed(self, exchange: Exchange, target: Target) -> None:
        """Take the cookies; and what a proxy says for itself is no answer of the server."""
        head = exchange.head
        if exchange.status == 407 and self._asks_proxy(target):
            exchange.status, exchange.head = Status.CONNECT_FAILED, None
            exchange.error = "The proxy wants another user or password (407); correct fetching.proxy."
            return
        if head is not None and self._order.cookies and head.fields.get_bytes("set-cookie") is not None:
            self.cookies.take(target, head.fields.get_all("set-cookie"))

    async def _allowed(
        self, exchange: Exchange, target: Target, addresses: tuple[str, ...]
    ) -> tuple[str, ...]:
        """The addresses that may be visited; empty once the exchange says why there are none."""
        if target.origin.address:
            addresses = (target.origin.address,)
        elif not addresses:
            resolution = await self.resolve(target.origin.host)
            addresses = resolution.addresses
            if not addresses:
                exchange.status, exchange.error = Status.DNS_FAILED, resolution.error
                return ()
        allowed = tuple([address for address in addresses if self.permitted(address)])
        if not allowed:
            exchange.status, exchange.address = Status.BLOCKED, addresses[0]
            exchange.error = (
                f"{', '.join(addresses[:MOST_ADDRESSES])} may not be visited: it lies in a denied range. "
                "Add the network to fetching.allowed_ranges if it is meant."
            )
        return allowed[:MOST_ADDRESSES]

    def _logged_in(self) -> Logins:
        if self._logins is None:
            self._logins = Logins(self._log_in)
        return self._logins

    async def _log_in(self, url: str, method: str, headers: Headers, body: bytes) -> Exchange:
        return await self.fetch(url, headers=headers, method=method, body=body)
