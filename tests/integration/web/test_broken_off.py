"""On the wire: nobody takes an answer that was broken off for the whole."""

import asyncio
import socket
import threading
from collections.abc import Iterator

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from armarium.core.errors import Unavailable
from armarium.server.serving import configuration
from armarium.web.streams import Stream
from tests.site import PATIENCE, wait_until


def pieces() -> Iterator[bytes]:
    yield b"one"
    raise Unavailable("Run 7 is damaged.")


@pytest.mark.parametrize("swift", [False, True])
@pytest.mark.parametrize("headers", [{}, {"Content-Length": "6"}])
def test_the_line_is_cut_before_the_end_that_was_announced(headers: dict[str, str], *, swift: bool) -> None:
    app = FastAPI()
    app.add_api_route("/", lambda: Stream(pieces(), headers=headers))
    server = uvicorn.Server(configuration(app, (), swift=swift))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with httpx.stream("GET", address, timeout=PATIENCE) as answer:
            assert answer.status_code == 200
            with pytest.raises(httpx.RemoteProtocolError):
                answer.read()
        server.should_exit = True
        thread.join(PATIENCE)
