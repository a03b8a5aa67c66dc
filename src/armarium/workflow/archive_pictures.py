"""Pictures of archived pages: a Chromium whose whole network is the archive, at the moment of one capture.

The proxy of the reading room answers it, in this process and on the loopback: no rule of the live web is
needed, for nothing of it can be reached.
"""

import asyncio
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace

from armarium.access.model import Archive, Seen
from armarium.access.pictures.model import Place, Taken, Wanted
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.server import Proxy
from armarium.access.replay.engine import Replay
from armarium.access.replay.model import ReplayRequest, Reply
from armarium.access.requests.site import Everybody, NoFigures, NoLocks, OpenPolicy, Site
from armarium.access.settings import AccessSettings
from armarium.access.view import View
from armarium.formats.cdx import CdxLine
from armarium.formats.warc.records import Record
from armarium.selection.settings import EntrySettings
from armarium.workflow.picturing import Photographer, browser_of, clear_away

SCALES = ("0.25",)  # of the window: 320 × 240; some browsers draw nothing smaller than half
#: The proxy's own certificates, which nobody else ever sees.
TRUSTING = ("--ignore-certificate-errors",)

Done = Callable[[Place, Taken | None], None]
Parts = dict[tuple[str, str], CdxLine]


@dataclass(frozen=True)
class Watched(View):
    """The captures of which the browser got the record are those that may be seen in the picture."""

    parts: Parts = field(default_factory=dict, compare=False)

    def record(self, seen: Seen) -> Record:
        line = seen.line
        told = {name: line.fields[name] for name in ("url", "filename") if name in line.fields}
        self.parts[line.key, line.timestamp] = CdxLine(line.key, line.timestamp, told)
        return super().record(seen)


class AtMoment:
    """Replay for a browser that says no date of its own: at the moment of the capture whose turn it is."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._timestamp = ""
        self.parts: Parts = {}

    def turn_to(self, timestamp: str) -> None:
        self._timestamp, self.parts = timestamp, {}

    def answer(self, request: ReplayRequest) -> Reply:
        known = {each.name: getattr(request.view, each.name) for each in fields(request.view)}
        view = Watched(**known, parts=self.parts)
        return self._replay.answer(replace(request, view=view, timestamp=self._timestamp))


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
                    # A page that takes the whole worker along must not be tried again and again.
                    await asyncio.to_thread(done, one.place, None)
                    replay.turn_to(one.place.timestamp)
                    picture = await photographer.take(one.url)
                    taken = Taken(picture, tuple(replay.parts.values())) if picture else None
                    await asyncio.to_thread(done, one.place, taken)
            finally:
                serving.cancel()
                with suppress(asyncio.CancelledError):
                    await serving

    def _photographer(self, port: int) -> Photographer:
        browser = browser_of(self.entry)
        assert browser is not None, "asked before"
        return Photographer(browser, self.entry.picture_seconds, OnPort(port), SCALES, TRUSTING)
