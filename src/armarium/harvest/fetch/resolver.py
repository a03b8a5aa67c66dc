"""Names to addresses: asked of name servers directly, kept as long as the answer says."""

import asyncio
import ipaddress
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from armarium.core.late import late
from armarium.core.name_server import NameServer, name_server
from armarium.formats.url import fits_dns
from armarium.harvest.fetch.exchange import Resolution
from armarium.harvest.fetch.request import is_address

if TYPE_CHECKING:
    from armarium.harvest.fetch.look_up import look_up, system_servers
else:  # what speaks to name servers, with the first name
    look_up = late("armarium.harvest.fetch.look_up:look_up")
    system_servers = late("armarium.harvest.fetch.look_up:system_servers")

MOST_NAMES = 100_000
HOSTS = Path("/etc/hosts")


class Entry(NamedTuple):
    resolution: Resolution
    until: float


class Resolver:
    """Asks once for a name that many want at the same time; only the one who asked first gets the record."""

    def __init__(
        self,
        servers: Sequence[NameServer] | None,
        seconds: float,
        version: str = "any",
        hosts: Mapping[str, tuple[str, ...]] | None = None,
    ) -> None:
        self._named = servers  # None: those of the system
        self._seconds = seconds
        self._version = version
        self._hosts = hosts or {}
        self._known: dict[str, Entry] = {}
        self._asking: dict[str, asyncio.Task[Resolution]] = {}

    @cached_property
    def _servers(self) -> Sequence[NameServer]:
        return system_servers() if self._named is None else self._named

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
        resolution, seconds = await look_up(name, self._servers, self._version, self._seconds)
        if len(self._known) >= MOST_NAMES:
            del self._known[next(iter(self._known))]  # the oldest
        self._known[name] = Entry(replace(resolution, record=None), time.monotonic() + seconds)
        return resolution


def name_servers(texts: Sequence[str]) -> list[NameServer]:
    """Those of the order; raises ValueError for what is no address."""
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
