"""One name asked of name servers: its addresses, through aliases, and what the replies say together."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC

import dns.exception
import dns.rdatatype
import dns.resolver

from armarium.core import clock
from armarium.core.name_server import NameServer
from armarium.harvest.fetch.dns_query import Reply, ask
from armarium.harvest.fetch.exchange import DnsAnswer, Resolution

LEAST_SECONDS, MOST_SECONDS = 60.0, 86_400.0  # of an answer, whatever its time to live says
LEAST_NEGATIVE, MOST_NEGATIVE = 30.0, 900.0  # of the answer that there is none
FAILED_SECONDS = 30.0  # of no answer at all
MOST_ADDRESSES = 16
MOST_ALIASES = 8
TYPES = {
    "4": (dns.rdatatype.A,),
    "6": (dns.rdatatype.AAAA,),
    "any": (dns.rdatatype.A, dns.rdatatype.AAAA),
}


async def look_up(
    name: str, servers: Sequence[NameServer], version: str, limit: float
) -> tuple[Resolution, float]:
    """The answer, and for how many seconds it holds. `version` of addresses: 4, 6 or any."""
    started, began = clock.now(), time.monotonic()
    queries = (_chain(servers, name, kind, began + limit) for kind in TYPES[version])
    replies = [reply for each in await asyncio.gather(*queries) for reply in each]
    resolution, seconds = concluded(name, replies)
    if not (resolution.addresses or any(reply.records() for reply in replies)):
        return resolution, seconds
    record = DnsAnswer(
        name=name,
        server=next(reply.server for reply in replies if reply.message is not None),
        started=started,
        duration=time.monotonic() - began,
        text=record_text(started.astimezone(UTC).strftime("%Y%m%d%H%M%S"), replies),
    )
    return replace(resolution, record=record), seconds


async def _chain(
    servers: Sequence[NameServer], name: str, kind: dns.rdatatype.RdataType, until: float
) -> list[Reply]:
    """The replies to a name and, where a server leaves that to us, to the names it is an alias of."""
    replies: list[Reply] = []
    for _ in range(MOST_ALIASES):
        reply = await ask(servers, name, kind, until)
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


def system_servers() -> list[NameServer]:
    """Those that this machine asks; none if it knows none."""
    try:
        system = dns.resolver.Resolver()
    except (dns.exception.DNSException, OSError):
        return []
    return [NameServer(str(server)) for server in system.nameservers]
