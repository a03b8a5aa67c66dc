"""`armarium replay`: W/ARC files in a browser, without house, database or accounts."""

import asyncio
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
import uvloop

from armarium.access.origins.readers import door, routes
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import (
    Everybody,
    NoFigures,
    NoLocks,
    OpenPolicy,
    PlainContentAddresses,
    Site,
)
from armarium.access.requests.threads import Threads
from armarium.access.settings import AccessSettings, wombat_folder
from armarium.core.errors import Refused
from armarium.core.late import imported
from armarium.core.message import message
from armarium.logs import configure_without_settings
from armarium.server.connections import raise_file_limit
from armarium.server.listening import listen
from armarium.server.memory import stay_small
from armarium.server.serving import serve
from armarium.terminal.output import complain, say
from armarium.workflow.loose import LooseFiles

FEW_THREADS = 1  # one reader, files on this machine: more would only get in each other's way
MOST_TOLD = 3  # problems of one file
ENDINGS = (
    ".warc",
    ".warc.gz",
    ".warc.zst",
    ".arc",
    ".arc.gz",
    ".wacz",
)  # of files that are taken from folders

Paths = Annotated[
    list[Path], typer.Argument(help="W/ARC and WACZ files, or folders in which there are some.")
]
Port = Annotated[int, typer.Option(help="Port on which to answer.", min=1, max=65535)]
ProxyPort = Annotated[
    int | None, typer.Option("--proxy", help="Answer as an HTTP proxy, too, on this port.", min=1, max=65535)
]


def replay(paths: Paths, port: Port = 8090, proxy: ProxyPort = None) -> None:
    """Serve WARC, ARC and WACZ files to a browser, without any server. Ctrl-C ends it."""
    files = list(_archives(paths))
    if not files:
        raise Refused(message("There are no W/ARC files in what you named."))
    configure_without_settings(process="replay")  # else a line would raise where nobody reads the output
    raise_file_limit()
    stay_small()
    if wombat_folder(AccessSettings()) is None:
        complain("wombat.js is not installed: scripts of archived pages will miss much. See `access.wombat`.")
    settings = AccessSettings(port=port, proxy_port=proxy or 0)
    with listen("127.0.0.1", port, setting="--port") as listening, tempfile.TemporaryDirectory() as folder:
        archive = LooseFiles(files, Path(folder), _tell)
        if not archive.lines:
            raise Refused(message("There is no capture in what you named: nothing to be seen."))
        site = Site(
            settings=settings,
            archive=archive,
            policy=OpenPolicy(),
            readers=Everybody(),
            uses=NoFigures(),
            locks=NoLocks(),
        )
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(site, archive, listening))


async def _serve(site: Site, archive: LooseFiles, listening: socket.socket) -> None:
    threads, answering = Threads(FEW_THREADS), Replay(site)
    table = routes(PlainContentAddresses(site.settings))

    def ready() -> None:
        say("")
        say(f"  {archive.lines} captures. Read them at {site.settings.reading}/")
        if site.settings.proxy_port:
            say(f"  As a proxy: 127.0.0.1 port {site.settings.proxy_port}; begin at http://armarium.invalid/")
        say("  Stop with Ctrl-C.")

    proxy = await _proxy(site, answering)
    try:
        await serve(
            door(site, table, threads, answering),
            listening,
            proxies=(),
            ready=ready,
            drain=lambda: None,
            swift=True,
        )
    finally:
        if proxy is not None:
            proxy.cancel()
        threads.close()


async def _proxy(site: Site, answering: Replay) -> "asyncio.Task[None] | None":
    if not site.settings.proxy_port:
        return None
    listening = listen("127.0.0.1", site.settings.proxy_port, setting="--proxy")
    # Certificates take memory that only a proxy needs.
    proxy, authority = (
        imported("armarium.access.proxy.server:Proxy"),
        imported("armarium.access.proxy.authority:Authority"),
    )
    return asyncio.create_task(proxy(site, answering, authority.fresh()).serve(listening))


def _archives(paths: list[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(
                file for file in path.rglob("*") if file.name.endswith(ENDINGS) and file.is_file()
            )
        elif path.is_file():
            yield path
        else:
            raise Refused(message("There is no %(path)s.", path=str(path)))


def _tell(file: Path, lines: int, problems: list[str]) -> None:
    say(f"{file}: {lines} captures")
    for problem in problems[:MOST_TOLD]:
        complain(f"{file}: {problem}")
