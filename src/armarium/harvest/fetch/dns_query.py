"""One question to name servers: over UDP, over TCP where the answer is cut, to the next one where one fails.

dnspython reads and writes the messages; the sockets are ours, so that every question has a port of its own,
and we know which server answered.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

from armarium.core.name_server import NameServer

ROUNDS = 2  # how often each server is asked
LONGEST_TRY = 4.0
EDNS_PAYLOAD = 1232  # what passes everywhere in one piece (DNS flag day 2020)


@dataclass(frozen=True)
class Reply:
    """What a server answered; no message: none did, and `error` says why."""

    name: str
    kind: dns.rdatatype.RdataType
    server: str = ""
    message: dns.message.Message | None = None
    error: str = ""

    def is_nxdomain(self) -> bool:
        return self.message is not None and self.message.rcode() == dns.rcode.NXDOMAIN

    def records(self) -> list[dns.rrset.RRset]:
        """The part of the answer that belongs to the question: its aliases and addresses, in their order."""
        if self.message is None:
            return []
        found: list[dns.rrset.RRset] = []
        wanted = dns.name.from_text(self.name)
        for _ in range(len(self.message.answer)):
            rrset = self._of(wanted, self.kind) or self._of(wanted, dns.rdatatype.CNAME)
            if rrset is None or rrset in found:
                break
            found.append(rrset)
            if rrset.rdtype != dns.rdatatype.CNAME:
                break
            wanted = rrset[0].target
        return found

    def _of(self, name: dns.name.Name, kind: dns.rdatatype.RdataType) -> dns.rrset.RRset | None:
        assert self.message is not None
        return next((each for each in self.message.answer if each.name == name and each.rdtype == kind), None)

    def open_alias(self) -> str | None:
        """The name that is still to be asked for: the server gave an alias and no address behind it."""
        records = self.records()
        if not records or records[-1].rdtype != dns.rdatatype.CNAME or self.is_nxdomain():
            return None
        return str(records[-1][0].target)

    def negative_seconds(self) -> float:
        """RFC 2308, 5: how long it may be believed that there is nothing."""
        for rrset in self.message.authority if self.message is not None else ():
            if rrset.rdtype == dns.rdatatype.SOA:
                return float(min(rrset.ttl, rrset[0].minimum))
        return 0.0

    def lines(self) -> Iterator[str]:
        for rrset in self.records():
            kind = dns.rdatatype.to_text(rrset.rdtype)
            for rdata in rrset:
                yield f"{rrset.name}\t{rrset.ttl}\tIN\t{kind}\t{rdata.to_text()}"


async def ask(servers: Sequence[NameServer], name: str, kind: dns.rdatatype.RdataType, until: float) -> Reply:
    """The first usable answer before `until` (monotonic time); never raises for what a server does."""
    try:
        query = dns.message.make_query(name, kind, use_edns=0, payload=EDNS_PAYLOAD)
    except (dns.exception.DNSException, UnicodeError) as error:
        return Reply(name, kind, error=f"{name!r} is no name that the DNS can hold: {error}")
    trouble = "no name server answered in time"
    for server in [*servers] * ROUNDS:
        left = until - time.monotonic()
        if left <= 0:
            break
        try:
            message = await _ask_one(server, query, min(left, LONGEST_TRY))
        except TimeoutError:
            trouble = f"the name server {server.address} did not answer in time"
        except (OSError, dns.exception.DNSException) as error:
            trouble = f"the name server {server.address} cannot be asked: {error}"
        else:
            if message.rcode() in (dns.rcode.NOERROR, dns.rcode.NXDOMAIN):
                return Reply(name, kind, server.address, message)
            trouble = f"the name server {server.address} says {dns.rcode.to_text(message.rcode())}"
    return Reply(name, kind, error=f"{name} was not resolved: {trouble}.")


async def _ask_one(server: NameServer, query: dns.message.Message, seconds: float) -> dns.message.Message:
    async with asyncio.timeout(seconds):
        message = await _over_udp(server, query)
        if message.flags & dns.flags.TC:
            message = await _over_tcp(server, query)
    return message


class Question(asyncio.DatagramProtocol):
    """Waits for the answer to one query; what answers something else is passed over."""

    def __init__(self, query: dns.message.Message) -> None:
        self._query = query
        self.answer: asyncio.Future[dns.message.Message] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast(asyncio.DatagramTransport, transport).sendto(self._query.to_wire())

    def datagram_received(self, data: bytes, addr: tuple[str | object, int]) -> None:  # noqa: ARG002
        message = _understood(data, self._query)
        if message is not None and not self.answer.done():
            self.answer.set_result(message)

    def error_received(self, exc: Exception) -> None:
        if not self.answer.done():
            self.answer.set_exception(exc)


def _understood(data: bytes, query: dns.message.Message) -> dns.message.Message | None:
    try:
        message = dns.message.from_wire(data, ignore_trailing=True, raise_on_truncation=False)
    except (dns.exception.DNSException, ValueError):
        return None
    return message if query.is_response(message) else None


async def _over_udp(server: NameServer, query: dns.message.Message) -> dns.message.Message:
    loop = asyncio.get_running_loop()
    # Connected: the system itself drops what comes from anywhere else.
    transport, question = await loop.create_datagram_endpoint(
        lambda: Question(query), remote_addr=(server.address, server.port)
    )
    try:
        return await question.answer
    finally:
        transport.close()


async def _over_tcp(server: NameServer, query: dns.message.Message) -> dns.message.Message:
    reader, writer = await asyncio.open_connection(server.address, server.port)
    try:
        wire = query.to_wire()
        writer.write(len(wire).to_bytes(2, "big") + wire)
        length = int.from_bytes(await reader.readexactly(2), "big")
        message = _understood(await reader.readexactly(length), query)
    except asyncio.IncompleteReadError as error:
        raise ConnectionResetError("it closed the connection inside its answer") from error
    finally:
        writer.close()
    if message is None:
        raise ConnectionResetError("its answer makes no sense")
    return message
