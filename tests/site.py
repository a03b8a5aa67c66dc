"""The real staff site for a test: own database, real uvicorn on a free port of the loopback."""

import asyncio
import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import httpx
import uvicorn
import uvloop
from fastapi import FastAPI

from armarium import logs
from armarium.accounts import queries
from armarium.accounts.model import Profile, Role
from armarium.accounts.passwords import hashed
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.processes.monitor import registry_for
from armarium.server.assembly import SECTIONS, House
from armarium.server.runtime import checks_of
from armarium.server.serving import configuration
from armarium.server.web import application
from armarium.settings import load
from armarium.web.settings import WebSettings

PASSWORD = "correct horse battery staple"
SESSION = "armarium_session"  # the cookie of a site without https
PATIENCE = 60.0
LOG = "site.log"  # what the site writes, in its data folder: pytest's own capture loses what threads write


@cache
def trusted() -> ssl.SSLContext:
    """Read once in a process: all certificates of the world take as long as ten requests."""
    return httpx.create_ssl_context()


@dataclass(frozen=True)
class RunningSite:
    address: str
    house: House
    app: FastAPI

    def account(self, name: str, *roles: Role, password: str = PASSWORD) -> int:
        """Make an account that can sign in."""
        account = self.house.accounts.create(SYSTEM, Profile(name, name.title(), "", "", frozenset(roles)))
        with self.house.database.transaction() as connection:
            queries.ACCOUNTS.update(connection, account.id, password_hash=hashed(password))
        return account.id

    def client(self) -> "Client":
        return Client(self.address)

    def session(self, name: str) -> str:
        """The key of a new session, as signing in would give it."""
        house = self.house
        with house.database.transaction() as connection:
            found = queries.account_by_name(connection, name)
        assert found, f"there is no account {name}"
        return house.sessions.open_for(found[0], address="127.0.0.1", agent="tests")

    def signed_in(self, name: str = "ada", *roles: Role) -> "Client":
        """A client that has signed in, with an account made for it."""
        self.account(name, *(roles or (Role.ADMINISTRATOR,)))
        client = self.client()
        client.cookies.set(SESSION, self.session(name), domain="localhost.local")  # as a jar keeps it
        return client


class Client(httpx.Client):
    """A browser without a screen: keeps cookies, sends back the forms' tokens."""

    def __init__(self, address: str) -> None:
        super().__init__(base_url=address, timeout=PATIENCE, verify=trusted())

    def token(self, path: str = "/sign-in") -> str:
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.get(path).text)
        assert found, f"no form on {path}"
        return found[1]

    def submit(
        self, path: str, values: Mapping[str, object] | None = None, *, page: str = "/account"
    ) -> httpx.Response:
        """Send a form as a browser would, with the token of a page."""
        return self.post(path, data={"csrf_token": self.token(page), **(values or {})})

    def sign_in(self, name: str, password: str = PASSWORD) -> httpx.Response:
        return self.submit("/sign-in", {"name": name, "password": password}, page="/sign-in")


@contextmanager
def running_site(database: Database, home: Path, **environ: str) -> Iterator[RunningSite]:
    settings = load(SECTIONS, home=home, environ=environ)
    home.mkdir(exist_ok=True)
    log = os.open(home / LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    logs.configure(settings, process="web", descriptor=log)
    house = House(settings, database)
    registry = registry_for(kind="web", name="web", version="test")
    app = application(house, registry, checks_of(house))
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        port = listening.getsockname()[1]
        config = configuration(app, settings[WebSettings].trusted_proxies)
        config.timeout_graceful_shutdown = 1
        server = uvicorn.Server(config)
        thread = threading.Thread(target=_serve, args=(server, listening), daemon=True)
        thread.start()
        wait_until(lambda: server.started)
        try:
            yield RunningSite(f"http://localhost:{port}", house, app)
        finally:
            app.state.hub.close()
            server.should_exit = True
            thread.join(PATIENCE)
            logs.configure(settings, process="web")
            os.close(log)


def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(server.serve(sockets=[listening]))


def wait_until(condition: Callable[[], object], patience: float = PATIENCE) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
