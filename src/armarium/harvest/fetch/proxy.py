"""Proxies: what is said to them before the server can be spoken to.

SOCKS5 and CONNECT are given the address that we resolved and checked, so the rules for addresses hold. For
plain http an HTTP proxy is asked for the page itself, by name: it resolves that name again, and what it
finds is beyond our rules. (CONNECT to port 80 would avoid that, but most proxies refuse it.) With
`proxy_resolves` names go to the proxy in all cases, and the rules for addresses are its own.
"""

import asyncio
import base64
import ipaddress
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import unquote, urlsplit

from armarium.formats.http import parse_response

MAX_REPLY = 64 * 1024
SOCKS_ERRORS = {
    1: "general failure",
    2: "not allowed by its rules",
    3: "network unreachable",
    4: "host unreachable",
    5: "connection refused",
    6: "time to live expired",
    7: "command not supported",
    8: "address type not supported",
}


class ProxyRefused(OSError):  # noqa: N818  (reads as what happened)
    """The proxy did not connect us."""


@dataclass(frozen=True)
class Proxy:
    scheme: str  # http, socks5
    host: str
    port: int
    user: str = ""
    password: str = field(default="", repr=False)

    @property
    def authorization(self) -> tuple[tuple[str, str], ...]:
        """The header that an HTTP proxy wants."""
        if not self.user:
            return ()
        token = base64.b64encode(f"{self.user}:{self.password}".encode()).decode()
        return (("Proxy-Authorization", f"Basic {token}"),)


def parse_proxy(text: str) -> Proxy | None:
    """None for none; raises ValueError for what is no proxy."""
    if not text:
        return None
    parts = urlsplit(text)
    scheme = {"socks5h": "socks5", "socks": "socks5"}.get(parts.scheme, parts.scheme)
    if scheme not in ("http", "socks5") or not parts.hostname:
        raise ValueError(
            f"fetching.proxy is {parts.scheme}://{parts.hostname or ''}…, which is no proxy that we can use; "
            "give http://host:port or socks5://host:port."
        )
    port = parts.port or (1080 if scheme == "socks5" else 8080)
    return Proxy(scheme, parts.hostname, port, unquote(parts.username or ""), unquote(parts.password or ""))


class Tunnel(asyncio.Protocol):
    """A connection to a proxy while it is told where to lead; it reads exactly what is asked for."""

    def __init__(self) -> None:
        self._buffer = b""
        self._closed = False
        self._news = asyncio.Event()
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._news.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  (the signature is asyncio's)
        self._closed = True
        self._news.set()

    def write(self, data: bytes) -> None:
        assert self.transport is not None
        self.transport.write(data)

    async def read(self, count: int) -> bytes:
        while len(self._buffer) < count:
            await self._more()
        taken, self._buffer = self._buffer[:count], self._buffer[count:]
        return taken

    async def read_head(self) -> bytes:
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > MAX_REPLY:
                raise ProxyRefused("The proxy's answer has no end.")
            await self._more()
        return await self.read(end + 4)

    async def _more(self) -> None:
        if self._closed:
            raise ProxyRefused("The proxy closed the connection instead of leading on.")
        self._news.clear()
        await self._news.wait()


async def lead(proxy: Proxy, tunnel: Tunnel, host: str, port: int) -> None:
    """Have the proxy connect to an address (or a name); raises `ProxyRefused`."""
    if proxy.scheme == "socks5":
        await _lead_socks(proxy, tunnel, host, port)
    else:
        await _lead_http(proxy, tunnel, host, port)


async def _lead_http(proxy: Proxy, tunnel: Tunnel, host: str, port: int) -> None:
    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}"]
    lines += [f"{name}: {value}" for name, value in proxy.authorization]
    tunnel.write(("\r\n".join(lines) + "\r\n\r\n").encode())
    head = parse_response(await tunnel.read_head())
    if head.status is None or not 200 <= head.status < 300:
        raise ProxyRefused(f"The proxy answered {head.status} {head.reason} to CONNECT {place}.")


async def _lead_socks(proxy: Proxy, tunnel: Tunnel, host: str, port: int) -> None:
    """RFC 1928; user and password by RFC 1929."""
    tunnel.write(b"\x05\x02\x00\x02" if proxy.user else b"\x05\x01\x00")
    version, method = await tunnel.read(2)
    if version != 5 or method not in (0, 2):
        raise ProxyRefused("The SOCKS proxy takes none of our ways to sign in.")
    if method == 2:
        user, password = proxy.user.encode()[:255], proxy.password.encode()[:255]
        tunnel.write(b"\x01%c%b%c%b" % (len(user), user, len(password), password))
        if (await tunnel.read(2))[1] != 0:
            raise ProxyRefused("The SOCKS proxy does not accept the user or the password.")
    tunnel.write(b"\x05\x01\x00" + _socks_address(host) + port.to_bytes(2, "big"))
    _, outcome, _, kind = await tunnel.read(4)
    if outcome != 0:
        raise ProxyRefused(f"The SOCKS proxy says: {SOCKS_ERRORS.get(outcome, f'error {outcome}')}.")
    length = {1: 4, 4: 16}.get(kind)
    if length is None:
        length = (await tunnel.read(1))[0]
    await tunnel.read(length + 2)  # where the proxy connected from: of no use to us


def _socks_address(host: str) -> bytes:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        name = host.encode("ascii", "replace")[:255]
        return b"\x03%c%b" % (len(name), name)
    return (b"\x01" if address.version == 4 else b"\x04") + address.packed
