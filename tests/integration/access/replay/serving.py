"""The two origins on a port of the loopback, with a plain frame instead of the readers' pages."""

import asyncio
import html
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import uvicorn
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from armarium.access.origins.content import Content
from armarium.access.origins.readers import Door, reading_headers
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import Site
from armarium.access.requests.threads import Threads
from armarium.access.settings import AccessSettings
from armarium.server.serving import configuration

PATIENCE = 60.0


@dataclass(frozen=True)
class Served:
    site: Site
    reading: str
    content: str

    def frame(self, url: str, timestamp: str = "20200101000000") -> str:
        return f"{self.reading}/all/{timestamp}/{url}"

    def archived(self, url: str, timestamp: str = "20200101000000", mod: str = "mp_") -> str:
        return f"{self.content}/all/{timestamp}{mod}/{url}"


class Frame:
    """A page of the readers' origin with an archived page in it; it keeps what it is told."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._headers = reading_headers(site)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        if request.url.path.count("/") < 3:
            await Response(status_code=404)(scope, receive, send)
            return
        _, collection, timestamp, url = request.url.path.split("/", 3)
        query = f"?{request.url.query}" if request.url.query else ""
        content = self._site.settings.content
        source = html.escape(f"{content}/{collection}/{timestamp}mp_/{url}{query}")
        heard = f"if(e.origin==={json.dumps(content)})told.push(e.data)"
        script = f"window.told=[];addEventListener('message',e=>{{{heard}}})"
        page = (
            f"<!doctype html><title>frame</title><script>{script}</script>"
            f'<iframe id=archived src="{source}" width=1000 height=700></iframe>'
        )
        response = HTMLResponse(page, headers=self._headers)
        response.headers["Content-Security-Policy"] = self._headers["Content-Security-Policy"].replace(
            "script-src 'self'", "script-src 'self' 'unsafe-inline' 'unsafe-eval'"
        )
        response.set_cookie("armarium_reading", "secret-of-the-reader", httponly=True, samesite="lax")
        await response(scope, receive, send)


@contextmanager
def serving(
    site: Site, *, reading: ASGIApp | None = None, names: tuple[str, str] | None = None
) -> Iterator[Served]:
    """The site on a free port: its settings are changed to it. `names`: of the two origins."""
    listening = socket.create_server(("127.0.0.1", 0))
    port: int = listening.getsockname()[1]
    urls = zip(("reading_url", "content_url"), names or (), strict=False)
    named = {key: f"http://{name}:{port}" for key, name in urls}
    settings = AccessSettings(**{**site.settings.model_dump(), "port": port, **named})
    site = replace(site, settings=settings)
    threads = Threads(settings.threads)
    content = Content(site, Replay(site), threads)
    server = uvicorn.Server(configuration(Door(site, reading or Frame(site), content), ()))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    deadline = time.monotonic() + PATIENCE
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield Served(site, settings.reading, settings.content)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        threads.close()
        listening.close()
