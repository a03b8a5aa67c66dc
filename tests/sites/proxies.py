"""Real proxies on the loopback: SOCKS5 and HTTP; they remember where they were asked to lead."""

import asyncio
import base64
import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tests.sites.serving import Site, Visit, serving


@dataclass
class Proxy:
    site: Site
    led_to: list[str] = field(default_factory=list)  # "127.0.0.1:80", or a name


async def _pass_on(visit: Visit, host: str, port: int, first: bytes = b"") -> None:
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(first)

    async def copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
        sink.close()

    await asyncio.gather(copy(visit.reader, writer), copy(reader, visit.writer))


@contextmanager
def socks_proxy(user: str = "", password: str = "", names: dict[str, str] | None = None) -> Iterator[Proxy]:
    """With a user it wants a password. `names`: what it resolves."""

    async def behaviour(visit: Visit) -> None:
        reader = visit.reader
        _, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        if user:
            await visit.send(b"\x05\x02" if 2 in methods else b"\x05\xff")
            given_user = await reader.readexactly((await reader.readexactly(2))[1])
            given_password = await reader.readexactly((await reader.readexactly(1))[0])
            right = (given_user.decode(), given_password.decode()) == (user, password)
            await visit.send(b"\x01\x00" if right else b"\x01\x01")
            if not right:
                return
        else:
            await visit.send(b"\x05\x00")
        _, _, _, kind = await reader.readexactly(4)
        if kind == 3:
            host = (await reader.readexactly((await reader.readexactly(1))[0])).decode()
        else:
            host = str(ipaddress.ip_address(await reader.readexactly(4 if kind == 1 else 16)))
        port = int.from_bytes(await reader.readexactly(2), "big")
        proxy.led_to.append(f"{host}:{port}")
        if host == "127.66.66.66":
            await visit.send(b"\x05\x05\x00\x01\0\0\0\0\0\0")
            return
        await visit.send(b"\x05\x00\x00\x01\0\0\0\0\0\0")
        await _pass_on(visit, (names or {}).get(host, host), port)

    with serving(behaviour) as site:
        proxy = Proxy(site)
        yield proxy


@contextmanager
def http_proxy(user: str = "", password: str = "", names: dict[str, str] | None = None) -> Iterator[Proxy]:
    """CONNECT, and whole addresses for plain http."""
    token = base64.b64encode(f"{user}:{password}".encode())

    async def behaviour(visit: Visit) -> None:
        head = await visit.request()
        if user and b"Proxy-Authorization: Basic " + token not in head:
            await visit.send(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            return
        method, place, _ = head.split(b"\r\n", 1)[0].decode().split(" ")
        if method == "CONNECT":
            host, _, port = place.rpartition(":")
            proxy.led_to.append(place)
            await visit.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await _pass_on(visit, host.strip("[]"), int(port))
            return
        parts = urlsplit(place)
        proxy.led_to.append(parts.netloc)
        host = parts.hostname or ""
        request = head.replace(place.encode(), (parts.path or "/").encode(), 1)
        await _pass_on(visit, (names or {}).get(host, host), parts.port or 80, request)

    with serving(behaviour) as site:
        proxy = Proxy(site)
        yield proxy
