"""The name server of the small web: it knows its sites, at the loopback, and denies every other name."""

import asyncio
import contextlib
from typing import cast

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.rrset

from armarium.demo.web.model import TOP

ADDRESS = "127.0.0.1"
SECONDS_TO_LIVE = 300
_ZONES = (dns.name.from_text(f"{TOP}."), dns.name.from_text("example."))


def answer(wire: bytes) -> bytes | None:
    """The response to a query; None: it is none, and nothing is said."""
    try:
        query = dns.message.from_wire(wire)
    except dns.exception.DNSException:
        return None
    if query.flags & dns.flags.QR or len(query.question) != 1:
        return None
    question = query.question[0]
    response = dns.message.make_response(query, recursion_available=True)
    if not any(question.name.is_subdomain(zone) for zone in _ZONES):
        response.set_rcode(dns.rcode.NXDOMAIN)
    elif question.rdtype == dns.rdatatype.A:
        response.answer.append(dns.rrset.from_text(question.name, SECONDS_TO_LIVE, "IN", "A", ADDRESS))
    return response.to_wire()


class _Datagrams(asyncio.DatagramProtocol):
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        response = answer(data)
        if response is not None:
            self._transport.sendto(response, addr)


async def _over_tcp(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, OSError, TimeoutError):
        async with asyncio.timeout(10):
            length = int.from_bytes(await reader.readexactly(2), "big")
            response = answer(await reader.readexactly(length))
            if response is not None:
                writer.write(len(response).to_bytes(2, "big") + response)
                await writer.drain()
    writer.close()


class NameServer:
    """`address` is 127.0.0.1:port, as `fetching.dns_servers` wants it."""

    address: str

    async def start(self, wanted: int = 0) -> None:
        """On the port that is wanted; 0: on any free one."""
        self._listening = await asyncio.start_server(_over_tcp, ADDRESS, wanted)
        port = self._listening.sockets[0].getsockname()[1]
        loop = asyncio.get_running_loop()
        self._datagrams, _ = await loop.create_datagram_endpoint(_Datagrams, local_addr=(ADDRESS, port))
        self.address = f"{ADDRESS}:{port}"

    async def end(self) -> None:
        self._datagrams.close()
        self._listening.close()
