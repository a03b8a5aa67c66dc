"""Serves the small web and its names on the loopback, in one event loop."""

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from armarium.demo.web.answering import respond
from armarium.demo.web.front import ADDRESS, NameServer
from armarium.demo.web.requests import MOST_HEAD, SECONDS, MalformedError, Request, Response, read_request

READY_FILE = "web.json"  # in the folder: where the web is, once it answers


@dataclass(frozen=True)
class Web:
    """A running web: `name_server` is 127.0.0.1:port."""

    port: int
    name_server: str

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}/"


@contextmanager
def running(port: int, folder: Path, names: int = 0) -> Iterator[Web]:
    """The web, in a thread, as long as the `with`; port 0: any free one. `folder` holds the edition.

    `names`: the port of its name server; 0: any free one.
    """
    started = threading.Event()
    found: list[Web | OSError] = []
    loop = asyncio.new_event_loop()
    ending = asyncio.Event()

    async def live() -> None:
        try:
            async with _listening(port, folder, names) as web:
                found.append(web)
                started.set()
                await ending.wait()
        except OSError as error:
            found.append(error)
            started.set()

    thread = threading.Thread(target=loop.run_until_complete, args=(live(),), name="small web", daemon=True)
    thread.start()
    started.wait()
    try:
        if isinstance(found[0], OSError):
            raise found[0]
        yield found[0]
    finally:
        loop.call_soon_threadsafe(ending.set)
        thread.join()
        loop.close()


async def serve(port: int, folder: Path, ending: asyncio.Event) -> None:
    """Serve until `ending`; what stands in `web.json` by then says where."""
    async with _listening(port, folder) as web:
        _announce(web, folder)
        await ending.wait()


def _announce(web: Web, folder: Path) -> None:
    beside = folder / f"{READY_FILE}.new"
    beside.write_text(json.dumps(asdict(web)), "utf-8")
    beside.replace(folder / READY_FILE)


@contextlib.asynccontextmanager
async def _listening(port: int, folder: Path, names_port: int = 0) -> AsyncIterator[Web]:
    connections: set[asyncio.Task[None]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        connections.add(task)
        task.add_done_callback(connections.discard)
        await _talk(reader, writer, folder, listening.sockets[0].getsockname()[1])

    names = NameServer()
    await names.start(names_port)
    listening = await asyncio.start_server(talk, ADDRESS, port, limit=MOST_HEAD, backlog=512)
    try:
        yield Web(listening.sockets[0].getsockname()[1], names.address)
    finally:
        listening.close()
        for task in list(connections):
            task.cancel()
        await asyncio.gather(*connections, return_exceptions=True)
        await names.end()


async def _talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, folder: Path, port: int) -> None:
    """One connection, whatever the client does with it: hang up, freeze, send nonsense."""
    try:
        while (request := await read_request(reader)) is not None:
            response = respond(request, folder, port)
            await asyncio.sleep(response.seconds)
            await _send(writer, response.wire(request))
            if not request.keeps:
                break
    except MalformedError:
        with contextlib.suppress(OSError, TimeoutError):
            await _send(writer, Response(400, "text/plain", b"That is no request.\n").wire(_NOTHING))
    except (OSError, TimeoutError):
        pass
    finally:
        writer.transport.abort() if writer.transport.get_write_buffer_size() else writer.close()


async def _send(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    async with asyncio.timeout(SECONDS):
        await writer.drain()


_NOTHING = Request("GET", "/", "", {})
