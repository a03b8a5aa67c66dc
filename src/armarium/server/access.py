"""`armarium access`: the readers' site, and archived pages on their own origin."""

import asyncio
import socket
from contextlib import ExitStack, suppress

import structlog
import uvloop

from armarium.access.origins.readers import Door, door, routes
from armarium.access.pictures.reading import ReaderPictures
from armarium.access.proxy import authority
from armarium.access.proxy.answering import own_hosts
from armarium.access.proxy.authority import Authority
from armarium.access.proxy.identity import HouseWords
from armarium.access.proxy.server import Proxy
from armarium.access.readers.services import ReaderServices
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import Site
from armarium.access.requests.threads import Threads
from armarium.access.search import shell
from armarium.access.settings import AccessSettings, wombat_folder
from armarium.access.viewings.proxy_access import Recordings, ViewingWords
from armarium.server.assembly import House, opened
from armarium.server.connections import raise_file_limit
from armarium.server.listening import check_origins, listen
from armarium.server.memory import stay_small
from armarium.server.runtime import Runtime, running
from armarium.server.services.access import AccessServices
from armarium.server.serving import serve
from armarium.server.supervised import Supervised
from armarium.settings import Settings
from armarium.web.addresses import site_address
from armarium.web.settings import WebSettings


class ReadersSite:
    """The readers' process: its door, and its proxy if there is one."""

    def __init__(self, room: AccessServices) -> None:
        chosen = room.chosen
        web = room.settings[WebSettings]
        self._room = room
        self.services = ReaderServices(
            chosen, room.sessions, room.seals, room.networks, room.zone, shell.page
        )
        self.site = Site(
            settings=chosen,
            archive=room.archive,
            policy=room.policy,
            readers=self.services.readers,
            uses=self.services.uses,
            locks=self.services.locks,
            viewings=room.viewings,
            pictures=room.pictures,
            library=web.library,
            contact=web.contact,
            time_zone=web.time_zone,
            staff_url=site_address(web),
        )
        self.replay = Replay(self.site)
        self.threads = Threads(chosen.threads)

    def door(self) -> Door:
        pages = self.services.pages
        own = {**pages.pages, **ReaderPictures(self._room.pictures, shell.page).pages}
        table = routes(self.services.tickets, pages.gated, own, pages.methods)
        return door(self.site, table, self.threads, self.replay, self.services.ticket_pages)

    def proxy(self) -> Proxy:
        room, services = self._room, self.services
        kept = Authority.kept(room.settings.home / authority.FILE, excluded=sorted(own_hosts(self.site)))
        words = HouseWords(
            ViewingWords(room.viewings), room.tokens, room.networks, services.terms, services.sessions.today
        )
        return Proxy(self.site, self.replay, kept, words=words, recordings=Recordings(room.viewings))

    def close(self) -> None:
        self.services.uses.close()
        self.threads.close()


log = structlog.get_logger(__name__)


def run_access(settings: Settings, supervised: Supervised) -> None:
    raise_file_limit()
    stay_small()
    check_origins(settings)
    chosen = settings[AccessSettings]
    with ExitStack() as stack:
        listening = stack.enter_context(listen(chosen.host, chosen.port, setting="access.port"))
        proxied = None
        if chosen.proxy_port:
            taken = listen(chosen.proxy_host, chosen.proxy_port, setting="access.proxy_port")
            proxied = stack.enter_context(taken)
        runtime = stack.enter_context(running(opened, settings, supervised, "access"))
        if wombat_folder(chosen) is None:
            log.warning(
                "wombat.js is not there: scripts of archived pages are not kept inside", see="access.wombat"
            )
        site = ReadersSite(runtime.house.access)
        stack.callback(site.close)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(site, runtime, chosen, listening, proxied))


async def _serve(
    site: ReadersSite,
    runtime: Runtime[House],
    chosen: AccessSettings,
    listening: socket.socket,
    proxied: socket.socket | None,
) -> None:
    proxy = asyncio.create_task(site.proxy().serve(proxied)) if proxied else None
    site.services.uses.start()

    def ready() -> None:
        runtime.heartbeat.running()
        runtime.supervised.ready(chosen.reading)
        log.info("listening", address=chosen.reading, content=chosen.content)

    await serve(
        site.door(),
        listening,
        proxies=chosen.trusted_proxies,
        ready=ready,
        drain=runtime.heartbeat.draining,
        swift=True,
    )
    if proxy is not None:
        proxy.cancel()
        with suppress(asyncio.CancelledError):
            await proxy
