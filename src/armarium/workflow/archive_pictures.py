"""Pictures of archived pages: a Chromium whose whole network is the archive, at the moment of one capture.

The proxy of the reading room answers it, in this process and on the loopback: no rule of the live web is
needed, for nothing of it can be reached.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from armarium.access.model import Archive
from armarium.access.pictures.model import Place, Wanted
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.server import Proxy
from armarium.access.replay.engine import Replay
from armarium.access.replay.model import ReplayRequest, Reply
from armarium.access.requests.site import Everybody, NoFigures, NoLocks, OpenPolicy, Site
from armarium.access.settings import AccessSettings
from armarium.selection.settings import EntrySettings
from armarium.workflow.picturing import Photographer, browser_of, clear_away

SCALES = ("0.25",)  # of the window: 320 × 240
#: The proxy's own certificates, which nobody else ever sees.
TRUSTING = ("--ignore-certificate-errors",)

Done = Callable[[Place, bytes | None], None]


class AtMoment:
    """Replay for a browser that says no date of its own: at the moment of the capture whose turn it is."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self.timestamp = ""

    def answer(self, request: ReplayRequest) -> Reply:
        return self._replay.answer(replace(request, timestamp=self.timestamp))


@dataclass(frozen=True)
class OnPort:
    port: int


@dataclass(frozen=True)
class ArchivePhotographer:
    entry: EntrySettings
    access: AccessSettings
    archive: Archive

    @property
    def is_there(self) -> bool:
        return browser_of(self.entry) is not None

    def take(self, wanted: Sequence[Wanted], *, done: Done, stopping: Callable[[], bool]) -> None:
        clear_away()
        asyncio.run(self._take(wanted, done, stopping))

    async def _take(self, wanted: Sequence[Wanted], done: Done, stopping: Callable[[], bool]) -> None:
        site = Site(self.access, self.archive, OpenPolicy(), Everybody(), NoFigures(), NoLocks())
        replay = AtMoment(Replay(site))
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.setblocking(False)
            proxy = Proxy(site, replay, Authority.fresh(), banner=False)
            serving = asyncio.create_task(proxy.serve(listening))
            photographer = self._photographer(listening.getsockname()[1])
            try:
                for one in wanted:
                    if stopping():
                        return
                    replay.timestamp = one.place.timestamp
                    picture = await photographer.take(one.url)
                    await asyncio.to_thread(done, one.place, picture)
            finally:
                serving.cancel()
                with suppress(asyncio.CancelledError):
                    await serving

    def _photographer(self, port: int) -> Photographer:
        browser = browser_of(self.entry)
        assert browser is not None, "asked before"
        return Photographer(browser, self.entry.picture_seconds, OnPort(port), SCALES, TRUSTING)
