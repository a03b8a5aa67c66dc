"""PostgreSQL is stopped and started again under load: the site recovers without a restart."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from armarium.accounts.model import Permission, Role
from armarium.db.announce import announce
from armarium.db.database import Database
from armarium.db.embedded.places import Places
from armarium.db.embedded.server import Server
from armarium.server.assembly import prepare_database
from tests.integration.web.steps import Lines, assert_clear, enter, token_of, with_token
from tests.site import Client, RunningSite, running_site, wait_until


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    places = Places(tmp_path)
    places.make()
    server = Server(places)
    server.ensure()
    yield server
    server.stop()


@pytest.fixture
def site(server: Server, tmp_path: Path, lines: Lines) -> Iterator[RunningSite]:
    """A site on a PostgreSQL of its own, which the test may stop."""
    database = Database(server.ensure(), application="tests")
    prepare_database(database)
    with running_site(database, tmp_path) as running:
        yield running
    database.close()


class Load:
    """Visitors who go on asking, and what they were answered."""

    def __init__(self, client: Client, paths: tuple[str, ...]) -> None:
        self.answers: list[httpx.Response] = []
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._ask, args=(client, path)) for path in paths]

    def __enter__(self) -> "Load":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _ask(self, client: Client, path: str) -> None:
        while not self._end.wait(0.02):
            self.answers.append(client.get(path))


class Stream:
    """A browser that listens to the live parts of a page."""

    def __init__(self, client: Client) -> None:
        self.events: list[str] = []
        self._thread = threading.Thread(target=self._listen, args=(client,), daemon=True)
        self._thread.start()

    def _listen(self, client: Client) -> None:
        with client.stream("GET", "/live", params={"topic": "tasks"}) as answer:
            for line in answer.iter_lines():
                self.events.append(line)

    def count(self) -> int:
        return self.events.count("data: tasks")


def test_pages_answer_503_while_the_database_is_away_and_recover(
    lines: Lines, server: Server, site: RunningSite
) -> None:
    visitor = enter(site, "ada", Role.ADMINISTRATOR)
    program = with_token(site, token_of(site, "ada", Permission.AUDIT_VIEW))
    stream = Stream(visitor)
    wait_until(lambda: site.app.state.hub.streams == 1)
    with Load(visitor, ("/", "/administration/audit", "/api/me", "/account")) as load:
        wait_until(lambda: len(load.answers) > 20)
        server.stop()
        wait_until(lambda: any(answer.status_code == 503 for answer in load.answers))
        assert_unavailable(visitor.get("/account"))
        assert_unavailable(program.get("/api/audit"))
        assert_unavailable(site.client().get("/welcome/anything"))
        assert site.client().get("/sign-in").status_code == 200
        assert site.client().get("/healthz").status_code == 200
        ready = site.client().get("/readyz")
        assert (ready.status_code, ready.json()["ready"]) == (503, False)
        events = stream.count()
        server.ensure()
        wait_until(lambda: visitor.get("/account").status_code == 200)  # the session has survived
        wait_until(lambda: stream.count() > events)  # and so has the stream, which tells of what it missed
    assert {answer.status_code for answer in load.answers} == {200, 503}
    assert site.client().get("/readyz").status_code == 200
    events = stream.count()
    with site.house.database.transaction() as connection:
        announce(connection, "tasks")
    wait_until(lambda: stream.count() > events)
    assert not lines.with_event("failed")
    assert len(lines.with_event("database away")) < 10  # once per outage and pool, not once per request


def assert_unavailable(answer: httpx.Response) -> None:
    assert_clear(answer, 503)
    assert int(answer.headers["retry-after"]) > 0
    assert "/tmp" not in answer.text  # neither path nor address of the database
    assert "postgres" not in answer.text.lower()
