"""Names to addresses: asked of name servers directly, kept as long as the answer says."""

import asyncio
import ipaddress
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import NamedTuple

import dns.exception
import dns.rdatatype
import dns.resolver

from armarium.core import clock
from armarium.core.name_server import NameServer, name_server
from armarium.formats.url import fits_dns
from armarium.harvest.fetch.dns_query import Reply, ask
from armarium.harvest.fetch.resolution import DnsAnswer, Resolution
from armarium.harvest.fetch.target import is_address

LEAST_SECONDS, MOST_SECONDS = 60.0, 86_400.0  # of an answer, whatever its time to live says
LEAST_NEGATIVE, MOST_NEGATIVE = 30.0, 900.0  # of the answer that there is none
FAILED_SECONDS = 30.0  # of no answer at all
MOST_NAMES = 100_000
MOST_ADDRESSES = 16
MOST_ALIASES = 8
TYPES = {
    "4": (dns.rdatatype.A,),
    "6": (dns.rdatatype.AAAA,),
    "any": (dns.rdatatype.A, dns.rdatatype.AAAA),
}
HOSTS = Path("/etc/hosts")


class Entry(NamedTuple):
    resolution: Resolution
    until: float


class Resolver:
    """Asks once for a name that many want at the same time; only the one who asked first gets the record."""

    def __init__(
        self,
        servers: Sequence[NameServer],
        seconds: float,
        version: str = "any",
        hosts: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._servers = tuple(servers)
        self._seconds = seconds
        self._types = TYPES[version]
        self._version = version
        self._hosts = hosts or {}
        self._known: dict[str, Entry] = {}
        self._asking: dict[str, asyncio.Task[Resolution]] = {}

    async def resolve(self, host: str) -> Resolution:
        name = host.rstrip(".").lower()
        entry = self._known.get(name)
        if entry is not None and entry.until > time.monotonic():
            return entry.resolution
        given = self._without_asking(name)
        if given is not None:
            return given
        task = self._asking.get(name)
        if task is not None:
            return replace(await asyncio.shield(task), record=None)
        task = self._asking[name] = asyncio.ensure_future(self._ask(name))
        task.add_done_callback(lambda _: self._asking.pop(name, None))
        return await asyncio.shield(task)

    def close(self) -> None:
        """Stop asking; those who wait are cancelled."""
        for task in list(self._asking.values()):
            task.cancel()

    def _without_asking(self, name: str) -> Resolution | None:
        if is_address(name.strip("[]")):
            return Resolution(self._of_version((name.strip("[]"),)))
        if name == "localhost" or name.endswith(".localhost"):  # RFC 6761, 6.3: never asked of a server
            return Resolution(self._of_version(("127.0.0.1", "::1")))
        if name in self._hosts:
            return Resolution(self._of_version(self._hosts[name]))
        if not fits_dns(name):
            return Resolution(error=f"{name[:80]!r} is no name that the DNS can hold.", absent=True)
        if not self._servers:
            return Resolution(error="No name server is known; set fetching.dns_servers.")
        return None

    def _of_version(self, addresses: tuple[str, ...]) -> tuple[str, ...]:
        if self._version == "any":
            return addresses
        return tuple(each for each in addresses if str(ipaddress.ip_address(each).version) == self._version)

    async def _ask(self, name: str) -> Resolution:
        started, began = clock.now(), time.monotonic()
        queries = (self._chain(name, kind, began + self._seconds) for kind in self._types)
        replies = [reply for each in await asyncio.gather(*queries) for reply in each]
        resolution, seconds = concluded(name, replies)
        if resolution.addresses or any(reply.records() for reply in replies):
            record = DnsAnswer(
                name=name,
                server=next(reply.server for reply in replies if reply.message is not None),
                started=started,
                duration=time.monotonic() - began,
                text=record_text(started.astimezone(UTC).strftime("%Y%m%d%H%M%S"), replies),
            )
        else:
            record = None
        if len(self._known) >= MOST_NAMES:
            del self._known[next(iter(self._known))]  # the oldest
        self._known[name] = Entry(resolution, time.monotonic() + seconds)
        return replace(resolution, record=record)

    async def _chain(self, name: str, kind: dns.rdatatype.RdataType, until: float) -> list[Reply]:
        """The replies to a name and, where a server leaves that to us, to the names it is an alias of."""
        replies: list[Reply] = []
        for _ in range(MOST_ALIASES):
            reply = await ask(self._servers, name, kind, until)
            replies.append(reply)
            alias = reply.open_alias()
            if alias is None:
                break
            name = alias
        return replies


def concluded(name: str, replies: Sequence[Reply]) -> tuple[Resolution, float]:
    """What the replies say together, and for how long."""
    addresses: dict[str, None] = {}
    seconds = MOST_SECONDS
    for reply in replies:
        for rrset in reply.records():
            seconds = min(seconds, float(rrset.ttl))
            if rrset.rdtype in (dns.rdatatype.A, dns.rdatatype.AAAA):
                addresses.update(dict.fromkeys(rdata.address for rdata in rrset))
    if addresses:
        return Resolution(tuple(addresses)[:MOST_ADDRESSES]), max(seconds, LEAST_SECONDS)
    answered = [reply for reply in replies if reply.message is not None]
    if not answered:
        return Resolution(error=replies[0].error), FAILED_SECONDS
    negative = min(reply.negative_seconds() for reply in answered)
    nowhere = any(reply.is_nxdomain() for reply in answered)
    if nowhere:
        error = f"There is no name {name}: the name server {answered[0].server} says so (NXDOMAIN)."
    else:
        error = f"The name {name} has no address, says the name server {answered[0].server}."
    return Resolution(error=error, absent=nowhere or len(answered) == len(replies)), min(
        max(negative, LEAST_NEGATIVE), MOST_NEGATIVE
    )


def record_text(moment: str, replies: Sequence[Reply]) -> bytes:
    """Heritrix's form: the time, then each resource record on a line."""
    lines = dict.fromkeys(line for reply in replies for line in reply.lines())
    return ("\n".join((moment, *lines)) + "\n").encode()


def name_servers(texts: Sequence[str]) -> list[NameServer]:
    """Those of the order, or those of the system; raises ValueError for what is no address."""
    if not texts:
        try:
            system = dns.resolver.Resolver()
        except (dns.exception.DNSException, OSError):
            return []
        return [NameServer(str(server), 53) for server in system.nameservers]
    try:
        return [name_server(text) for text in texts]
    except ValueError as error:
        raise ValueError(f"fetching.dns_servers: {error}") from error


def known_hosts(path: Path = HOSTS) -> dict[str, tuple[str, ...]]:
    """The system's own table of names."""
    hosts: dict[str, tuple[str, ...]] = {}
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return hosts
    for line in lines:
        address, *names = line.partition("#")[0].split() or [""]
        if is_address(address):
            for name in names:
                hosts[name.lower()] = (*hosts.get(name.lower(), ()), address)
    return hosts
