"""What those get who still wait for an answer when the process has to end."""

import asyncio
import signal
import socket
import subprocess
import sys
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


SERVING = """
import asyncio, socket
from armarium.server.serving import serve

async def app(scope, receive, send):
    await send({"type": "lifespan.startup.complete"})

def ready():
    print("ready", flush=True)

with socket.create_server(("127.0.0.1", 0)) as listening:
    asyncio.run(serve(app, listening, proxies=(), ready=ready, drain=lambda: None))
"""


def test_a_process_ends_though_nobody_reads_its_log_any_more() -> None:
    with subprocess.Popen([sys.executable, "-c", SERVING], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.stdout.close()  # a log that is not set up writes there
        process.send_signal(signal.SIGTERM)
        try:
            assert process.wait(60) == 0
        finally:
            process.kill()
