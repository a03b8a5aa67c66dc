"""The readers' site over files without a house, on a port of the loopback: both origins, all areas."""

import asyncio
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from armarium.access.model import Policy
from armarium.access.origins.readers import door, routes
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import PlainContentAddresses, Site
from armarium.access.requests.threads import Threads
from armarium.server.serving import configuration
from tests.integration.access.world import Page, world_of
from tests.site import PATIENCE, wait_until


@contextmanager
def readers_site(
    folder: Path, pages: Iterable[Page], policy: Policy | None = None, files: Iterable[Path] = ()
) -> Iterator[Site]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        site = world_of(folder, pages, files=files, port=port, policy=policy).site
        threads = Threads(4)
        app = door(site, routes(PlainContentAddresses(site.settings)), threads, Replay(site))
        server = uvicorn.Server(configuration(app, ()))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        try:
            yield site
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            threads.close()
