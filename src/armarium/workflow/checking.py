"""The live check: addresses that librarians enter are looked at as the crawler would see them."""

import asyncio
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from ipaddress import ip_address, ip_network
from pathlib import Path

import psutil

from armarium.core.crawl_order import Fetching, Identity, Limits
from armarium.core.errors import Refused
from armarium.harvest.fetch import Fetcher
from armarium.planning.settings import PlanningSettings
from armarium.selection.entry.checker import Begun, Done, Look, PictureState, Verdict
from armarium.selection.records.rules import place_of
from armarium.selection.settings import EntrySettings
from armarium.workflow.looking import Bounds, Looker
from armarium.workflow.looking_page import HTML
from armarium.workflow.outward_proxy import OutwardProxy
from armarium.workflow.picturing import Photographer

CONNECT_SECONDS = 10.0
DNS_SECONDS = 5.0
MOST_HEAD = 128 * 1024
PICTURES_AT_ONCE = 2  # a browser takes much memory
LOOKS_ABOUT = 0.2  # seconds between two questions whether to stop


@dataclass(frozen=True)
class LiveChecker:
    """What selection asks of the harvester. Each `check` has a fetcher of its own, as a crawl has."""

    entry: EntrySettings
    planning: PlanningSettings

    def check(
        self, wanted: Sequence[tuple[int, str]], *, begun: Begun, done: Done, stopping: Callable[[], bool]
    ) -> None:
        if wanted:
            asyncio.run(self._check(wanted, begun, done, stopping))

    async def _check(
        self, wanted: Sequence[tuple[int, str]], begun: Begun, done: Done, stopping: Callable[[], bool]
    ) -> None:
        async with self._session() as session:
            rest = [*reversed(wanted)]

            async def work() -> None:
                while rest and not stopping():
                    number, text = rest.pop()
                    await asyncio.to_thread(begun, number)
                    look = await session.look(text)
                    await asyncio.to_thread(done, number, look)

            workers = [asyncio.create_task(work()) for _ in range(min(self.entry.at_once, len(wanted)))]
            await _together(workers, stopping)

    @asynccontextmanager
    async def _session(self) -> AsyncIterator["Session"]:
        with tempfile.TemporaryDirectory(prefix="armarium-check-") as folder:
            fetcher = Fetcher(self._fetching(), self._limits(), self._identity(), folder=Path(folder))
            await fetcher.start()
            try:
                async with OutwardProxy(fetcher) as proxy:
                    yield Session(self.entry, fetcher, self._identity(), proxy)
            finally:
                await fetcher.close()

    def _fetching(self) -> Fetching:
        chosen = self.entry
        return Fetching(
            connections=chosen.at_once,
            connect_seconds=min(CONNECT_SECONDS, chosen.seconds),
            silence_seconds=min(CONNECT_SECONDS, chosen.seconds),
            max_head_bytes=MOST_HEAD,
            max_decoded_bytes=chosen.max_bytes,
            dns_servers=chosen.dns_servers,
            dns_seconds=min(DNS_SECONDS, chosen.seconds),
            proxy=chosen.proxy.get_secret_value() if chosen.proxy else "",
            allowed_ranges=chosen.allowed_ranges,
            denied_ranges=(*chosen.denied_ranges, *own_addresses(chosen.allowed_ranges)),
            seeds_open_ranges=False,
        )

    def _limits(self) -> Limits:
        return Limits(max_download_bytes=self.entry.max_bytes, max_download_seconds=self.entry.seconds)

    def _identity(self) -> Identity:
        return Identity(contact=self.planning.contact, mail=self.planning.mail)


def own_addresses(allowed: Sequence[str]) -> tuple[str, ...]:
    """Of this machine, but for those that were opened. A public one is not denied as such; yet what calls it
    from here comes by the loopback, which firewalls let pass, and finds what is closed to the world."""
    opened = [ip_network(one, strict=False) for one in allowed]
    found = [
        each.address.partition("%")[0]
        for several in psutil.net_if_addrs().values()
        for each in several
        if each.family in {socket.AF_INET, socket.AF_INET6}
    ]
    return tuple(one for one in found if not any(ip_address(one) in network for network in opened))


class Session:
    """The looks of one check: several at a time, but one after the other at each host, with a pause."""

    def __init__(
        self, chosen: EntrySettings, fetcher: Fetcher, identity: Identity, proxy: OutwardProxy
    ) -> None:
        bounds = Bounds(chosen.seconds, chosen.max_bytes, chosen.max_redirects)
        self._looker = Looker(fetcher, identity.product, bounds)
        self._pause = chosen.pause
        self._hosts: dict[str, asyncio.Lock] = {}
        self._free: dict[str, float] = {}  # when a host may be asked again
        self._photographer = Photographer.of(chosen, proxy)
        self._cameras = asyncio.Semaphore(PICTURES_AT_ONCE)

    async def look(self, text: str) -> Look:
        host = _host(text)
        loop = asyncio.get_running_loop()
        async with self._hosts.setdefault(host, asyncio.Lock()):
            await asyncio.sleep(max(0.0, self._free.get(host, 0.0) - loop.time()))
            look = await self._looker.look(text)
            self._free[host] = loop.time() + self._pause
        if look.verdict is Verdict.INVALID or look.media_type not in HTML:
            return look
        if isinstance(self._photographer, PictureState):
            return replace(look, picture_state=self._photographer)
        async with self._cameras:
            picture = await self._photographer.take(look.final)
        return replace(look, picture=picture or b"", picture_state=_state(picture))


def _state(picture: bytes | None) -> PictureState:
    return PictureState.TAKEN if picture else PictureState.FAILED


def _host(text: str) -> str:
    try:
        return place_of(text).host
    except Refused:
        return ""


async def _together(workers: Sequence[asyncio.Task[None]], stopping: Callable[[], bool]) -> None:
    """Until all are done; cancelled when the task must stop, or one of them fails."""
    waiting = set(workers)
    try:
        while waiting and not stopping():
            ended, waiting = await asyncio.wait(
                waiting, timeout=LOOKS_ABOUT, return_when=asyncio.FIRST_EXCEPTION
            )
            for worker in ended:
                worker.result()
    finally:
        for worker in waiting:
            worker.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
