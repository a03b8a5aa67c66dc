"""Both sites of a house: the staff's, and the readers' with its two origins."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from armarium.server.access import ReadersSite
from armarium.server.serving import configuration
from tests.integration.access.viewings.world import ViewerWorld
from tests.site import PATIENCE, RunningSite, running_site, wait_until


@contextmanager
def both_sites(world: ViewerWorld) -> Iterator[RunningSite]:
    """In one process; each with its own threads and port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = str(listening.getsockname()[1])
        with running_site(world.database, world.home, ARMARIUM_ACCESS_PORT=port) as staff:
            reception = ReadersSite(staff.house.access)
            with _served(reception, listening):
                yield staff
            reception.close()
            staff.house.close()


@contextmanager
def _served(reception: ReadersSite, listening: socket.socket) -> Iterator[None]:
    server = uvicorn.Server(configuration(reception.door(), ()))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
