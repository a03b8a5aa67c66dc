"""A resolver for the names of a web."""

import asyncio
import socket
import struct
from typing import Any

from bench.testweb.web import Web


class Names(asyncio.DatagramProtocol):
    """Resolves the web's own names, and no other."""

    def __init__(self, web: Web) -> None:
        hosts = range(web.requisites + 1)
        self.names = {web.name(host): socket.inet_aton(web.address(host)) for host in hosts}
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def datagram_received(self, data: bytes, addr: tuple[Any, ...]) -> None:
        labels, at = [], 12
        try:
            while data[at]:
                labels.append(data[at + 1 : at + 1 + data[at]].decode())
                at += 1 + data[at]
            (kind,) = struct.unpack(">H", data[at + 1 : at + 3])
        except (IndexError, struct.error, UnicodeDecodeError):
            return
        address = self.names.get(".".join(labels).lower())
        answers = address is not None and kind == 1
        said = data[:2] + struct.pack(">HHHHH", 0x8180 if address else 0x8183, 1, int(answers), 0, 0)
        said += data[12 : at + 5]
        if address is not None and answers:
            said += struct.pack(">HHHIH", 0xC00C, 1, 1, 300, 4) + address
        self.transport.sendto(said, addr)
