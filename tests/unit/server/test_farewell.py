"""What those get who still wait for an answer when the process has to end."""

import asyncio
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from armarium.server.serving import configuration
from tests.site import wait_until


@pytest.mark.parametrize("swift", [False, True])
def test_who_waits_in_vain_is_told_to_come_again(swift: bool) -> None:
    asked = threading.Event()

    async def never(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            asked.set()
            await asyncio.sleep(600)

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor() as pool:
        chosen = configuration(never, (), swift=swift)
        chosen.timeout_graceful_shutdown = 1
        server = uvicorn.Server(chosen)
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        waiting = pool.submit(httpx.get, address, timeout=60)
        assert asked.wait(60)
        server.should_exit = True
        answer = waiting.result(60)
        thread.join(60)
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "Try again in a moment" in answer.text
