"""A real name server, over UDP and TCP, for a zone that a test writes down."""

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

from tests.sites.serving import loop_in_a_thread

SOA = ("example.", 300, "IN", "SOA", "ns.example. mail.example. 1 3600 600 86400 120")


@dataclass
class NameServer:
    """`zone`: lines such as "www.example. 300 IN A 192.0.2.1". What the other fields hold, it does wrong."""

    zone: Sequence[str]
    silent: bool = False  # says nothing
    fails: bool = False  # says SERVFAIL
    cuts: bool = False  # over UDP it says that the answer does not fit
    lies: bool = False  # before each answer it sends one with another id
    chases: bool = True  # gives what an alias leads to
    address: str = ""
    asked: list[str] = field(default_factory=list)  # "A www.example."

    def respond(self, wire: bytes, *, over_tcp: bool) -> bytes:
        query = dns.message.from_wire(wire)
        question = query.question[0]
        self.asked.append(f"{dns.rdatatype.to_text(question.rdtype)} {question.name}")
        response = dns.message.make_response(query, recursion_available=True)
        if self.fails:
            response.set_rcode(dns.rcode.SERVFAIL)
            return response.to_wire()
        if self.cuts and not over_tcp:
            response.flags |= dns.flags.TC
            return response.to_wire()
        self._answer(response, question.name, question.rdtype)
        return response.to_wire(max_size=65535)

    def _answer(
        self, response: dns.message.Message, name: dns.name.Name, kind: dns.rdatatype.RdataType
    ) -> None:
        known = False
        for _ in range(10):
            alias = None
            for rrset in self._sets(name):
                known = True
                if rrset.rdtype in (kind, dns.rdatatype.CNAME):
                    response.answer.append(rrset)
                if rrset.rdtype == dns.rdatatype.CNAME:
                    alias = rrset[0].target
            if alias is None or not self.chases:
                break
            name = alias
        if not response.answer:
            response.authority.append(dns.rrset.from_text(*SOA))
            if not known:
                response.set_rcode(dns.rcode.NXDOMAIN)

    def _sets(self, name: dns.name.Name) -> list[dns.rrset.RRset]:
        lines = [line.split(maxsplit=4) for line in self.zone]
        found: dict[tuple[str, str], list[list[str]]] = {}
        for owner, ttl, _, kind, data in lines:
            if dns.name.from_text(owner) == name:
                found.setdefault((ttl, kind), []).append([data])
        return [
            dns.rrset.from_text(name, int(ttl), "IN", kind, *[data for (data,) in datas])
            for (ttl, kind), datas in found.items()
        ]


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, server: NameServer) -> None:
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        response = self._server.respond(data, over_tcp=False)
        if self._server.silent:
            return
        if self._server.lies:
            self._transport.sendto(bytes([response[0] ^ 1]) + response[1:], addr)
            self._transport.sendto(b"\0garbage", addr)
        self._transport.sendto(response, addr)


@contextmanager
def name_server(server: NameServer) -> Iterator[NameServer]:
    """It listens at `server.address`, as the order wants it: 127.0.0.1:port."""

    async def over_tcp(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            length = int.from_bytes(await reader.readexactly(2), "big")
            response = server.respond(await reader.readexactly(length), over_tcp=True)
            writer.write(len(response).to_bytes(2, "big") + response)
            await writer.drain()
        writer.close()

    async def start() -> asyncio.DatagramTransport:
        listening = await asyncio.start_server(over_tcp, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        loop = asyncio.get_running_loop()
        transport, _ = await loop.create_datagram_endpoint(
            lambda: _Datagrams(server), local_addr=("127.0.0.1", port)
        )
        server.address = f"127.0.0.1:{port}"
        kept.append(listening)
        return transport

    async def end(transport: asyncio.DatagramTransport) -> None:
        transport.close()
        kept[0].close()

    kept: list[asyncio.Server] = []
    with loop_in_a_thread() as run:
        transport = run(start())
        yield server
        run(end(transport))
