"""`armarium access`: the readers' site, and archived pages on their own origin."""

import asyncio
import socket
from contextlib import ExitStack, suppress

import structlog
import uvloop

from armarium.access.settings import AccessSettings, wombat_folder
from armarium.server.assembly import House, opened
from armarium.server.connections import raise_file_limit
from armarium.server.listening import check_origins, listen
from armarium.server.memory import stay_small
from armarium.server.readers_site import ReadersSite
from armarium.server.runtime import Runtime, running
from armarium.server.serving import serve
from armarium.server.supervised import Supervised
from armarium.settings import Settings

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
