"""A readers' site with both its origins, on a free port of the loopback: real accounts, real captures."""

import asyncio
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from starlette.responses import JSONResponse, Response

from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.access.networks.service import Networks
from armarium.access.origins.readers import Door, door, routes
from armarium.access.readers.cookies import Seals
from armarium.access.readers.services import ReaderServices
from armarium.access.replay.engine import Replay
from armarium.access.requests.site import Visit
from armarium.access.requests.threads import Threads
from armarium.access.search import shell
from armarium.access.settings import AccessSettings
from armarium.accounts.model import Profile, Role
from armarium.accounts.service import Accounts
from armarium.accounts.sessions import Sessions
from armarium.accounts.settings import AccountSettings
from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound
from armarium.core.message import message
from armarium.db.database import Database
from armarium.formats.cdx import CdxLine
from tests.integration.access.world import Page, World, world_of
from tests.site import PASSWORD, PATIENCE, trusted, wait_until

KEY = b"k" * 32
OPEN_PAGE = "http://open.example/"
ROOM_PAGE = "http://room.example/"  # for accredited readers
LONE_PAGE = "http://lone.example/"  # one reader at a time
TIME = "20200101000000"
PAGES = [Page(url, f"<!doctype html><title>{url}</title><p>Here is {url}") for url in (OPEN_PAGE, ROOM_PAGE)]
PAGES.append(Page(LONE_PAGE, "<!doctype html><title>lone</title><p>Alone at last"))


class Rules:
    """Written with care instead of the rules of the house, which have tests of their own."""

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        if "room" in line.key and not (reader.accredited or reader.sees_everything):
            return Decision(Effect.RESTRICTED, message="For accredited readers.")
        return Decision(Effect.ALLOWED, one_reader=True) if "lone" in line.key else OPEN


class NoViewings:
    """A house in which nobody looks at jobs."""

    def collection(self, number: int, reader: Reader) -> Collection:
        raise NotFound(message("There is no such viewing."))

    def note_missing(self, number: int, url: str, key: str, referrer: str) -> None: ...


def who(visit: Visit) -> Response:
    """A page that tells whom the site takes its reader for."""
    reader = visit.reader
    facts = {
        "account": reader.account,
        "roles": sorted(reader.roles),
        "networks": sorted(reader.networks),
        "accredited": reader.accredited,
        "sees_everything": reader.sees_everything,
        "visit": reader.visit,
        "name": visit.guest.name,
    }
    return JSONResponse(facts)


class Browser(httpx.Client):
    """Keeps cookies of its origin, and follows nothing by itself."""

    def __init__(self, address: str) -> None:
        super().__init__(base_url=address, timeout=PATIENCE, verify=trusted())

    def who(self) -> dict[str, Any]:
        answer = self.get("/-/who")
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def token(self, page: str) -> str:
        found = re.search(r'name="csrf_token" value="([^"]+)"', self.get(page).text)
        assert found, f"no form on {page}"
        return found[1]

    def submit(self, path: str, values: Mapping[str, str] | None = None) -> httpx.Response:
        return self.post(path, data={"csrf_token": self.token(path), **(values or {})})

    def sign_in(self, name: str, password: str = PASSWORD) -> httpx.Response:
        return self.submit("/-/sign-in", {"name": name, "password": password})


@dataclass(frozen=True)
class ReadingRoom:
    settings: AccessSettings
    services: ReaderServices
    accounts: Accounts
    world: World

    def account(self, name: str, *roles: Role) -> int:
        """Somebody who can sign in."""
        accounts = self.accounts
        account = accounts.create(SYSTEM, Profile(name, name.title(), "", "", frozenset(roles)))
        accounts.use_link(accounts.password_link(SYSTEM, account.id).key, PASSWORD, "127.0.0.1")
        return account.id

    def reading(self) -> Browser:
        return Browser(self.settings.reading)

    def content(self) -> Browser:
        return Browser(self.settings.content)

    def signed_in(self, name: str = "amelie", *roles: Role) -> Browser:
        self.account(name, *(roles or (Role.READER,)))
        browser = self.reading()
        assert browser.sign_in(name).status_code == 303
        return browser

    def inside(self, browser: Browser, url: str = OPEN_PAGE) -> Browser:
        """The frame of a browser, on the origin of the content."""
        page = browser.get(f"/all/{TIME}/{url}")
        found = re.search(r'<iframe[^>]* src="([^"]+)"', page.text)
        assert found, page.text
        content = self.content()
        answer = content.get(found[1].replace("&amp;", "&"))
        # Over plain http the client keeps no cookie that is marked as secure; browsers do on the loopback.
        for cookie in answer.headers.get_list("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            content.headers["cookie"] = f"{name}={value}"
        return content


def page_address(url: str) -> str:
    return f"/all/{TIME}mp_/{url}"


@contextmanager
def reading_room(database: Database, folder: Path, **chosen: Any) -> Iterator[ReadingRoom]:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listening:
        listening.bind(("127.0.0.1", 0))
        settings = AccessSettings(port=listening.getsockname()[1], **chosen)
        sessions = Sessions(database, AccountSettings())
        services = ReaderServices(settings, sessions, Seals(KEY), Networks(database), "UTC", shell.page)
        world = world_of(folder, PAGES, settings=settings, policy=Rules())
        site = replace(
            world.site,
            readers=services.readers,
            uses=services.uses,
            locks=services.locks,
            viewings=NoViewings(),
        )
        threads = Threads(4)
        pages = services.pages
        table = routes(services.tickets, pages.gated, {"/-/who": who, **pages.pages}, pages.methods)
        with _served(door(site, table, threads, Replay(site), services.ticket_pages), listening):
            yield ReadingRoom(settings, services, Accounts(database, AccountSettings()), World(site))
        threads.close()


@contextmanager
def _served(app: Door, listening: socket.socket) -> Iterator[None]:
    config = uvicorn.Config(app, ws="none", log_config=None, access_log=False, lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listening])), daemon=True)
    thread.start()
    wait_until(lambda: server.started)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
