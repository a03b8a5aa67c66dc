"""Connections that take a place and say nothing: the site stays open for everybody else."""

import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from armarium.accounts.model import Role
from armarium.db.database import Database
from armarium.server import connections
from armarium.web import live
from tests.integration.web.steps import enter
from tests.integration.web.wire import connect, host_of, read_answer
from tests.site import Client, RunningSite, running_site, wait_until

MANY = 60
FEW = 20


@pytest.fixture
def new_site(database: Database, tmp_path: Path) -> Iterator[Callable[..., RunningSite]]:
    """A site that is made after the test has set the limits."""
    with ExitStack() as stack:
        yield lambda **environ: stack.enter_context(running_site(database, tmp_path, **environ))


def is_closed(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True


def open_of(connections: list[socket.socket]) -> int:
    return sum(not is_closed(connection) for connection in connections)


def test_silent_connections_of_one_address_make_room_for_those_who_ask(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_PER_ADDRESS", FEW)
    site = new_site()
    silent = [connect(site) for _ in range(MANY)]
    wait_until(lambda: open_of(silent) <= FEW)
    assert site.client().get("/healthz").status_code == 200
    assert is_closed(silent[0])
    assert not is_closed(silent[-1]), "the oldest go first"


def test_a_proxy_that_is_trusted_may_open_more(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_PER_ADDRESS", FEW)
    site = new_site(ARMARIUM_WEB_TRUSTED_PROXIES="127.0.0.0/8")
    silent = [connect(site) for _ in range(MANY)]
    assert site.client().get("/healthz").status_code == 200
    assert open_of(silent) == MANY


def test_silent_connections_never_take_the_last_file(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "file_limit", lambda: connections.KEPT_FILES + FEW)
    site = new_site(ARMARIUM_WEB_TRUSTED_PROXIES="127.0.0.0/8")
    silent = [connect(site) for _ in range(MANY)]
    wait_until(lambda: open_of(silent) <= FEW)
    assert site.client().get("/healthz").status_code == 200


def test_whoever_is_being_answered_is_not_sent_away(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_PER_ADDRESS", FEW)
    site = new_site()
    ada = enter(site, "ada", Role.ADMINISTRATOR)
    with ada.stream("GET", "/live", params={"topic": "tasks"}) as stream:
        silent = [connect(site) for _ in range(MANY)]
        wait_until(lambda: open_of(silent) < FEW)
        site.app.state.hub.tell("tasks")
        events = stream.iter_lines()
        assert any(line == "data: tasks" for line in events)


@pytest.mark.parametrize("before", [b"", b"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n"])
@pytest.mark.parametrize("said", [b"", b"GET / HT"])
def test_a_connection_on_which_no_request_arrives_is_closed(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch, before: bytes, said: bytes
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 2.0)
    site = new_site()
    with connect(site) as connection:
        if before:
            connection.sendall(before.replace(b"{host}", host_of(site).encode()))
            assert read_answer(connection).status == 200
        connection.sendall(said)
        assert connection.recv(1) == b"", "closed, without an answer"


def test_headers_that_trickle_are_cut_off(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 0.5)
    site = new_site()
    with connect(site) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")

        def cut_off() -> bool:
            time.sleep(0.05)
            try:
                connection.sendall(b"X: y\r\n")
            except OSError:
                return True
            return False

        wait_until(cut_off)


def test_an_answer_that_takes_long_is_not_cut_off(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "HEAD_SECONDS", 2.0)
    monkeypatch.setattr(live, "BREATH_SECONDS", 4.0)
    site = new_site()
    ada = enter(site, "ada", Role.ADMINISTRATOR)
    with ada.stream("GET", "/live", params={"topic": "tasks"}) as stream:
        assert any(line == ": breath" for line in stream.iter_lines())


def test_one_account_cannot_take_all_streams(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "MOST_OF_ACCOUNT", 3)
    site = new_site()
    ada, bob = enter(site, "ada", Role.ADMINISTRATOR), enter(site, "bob", Role.ADMINISTRATOR)
    with ExitStack() as stack:
        for number in range(1, 4):
            assert answer_of(stack, ada) == 200
            wait_until(lambda number=number: site.app.state.hub.streams == number)  # type: ignore[misc]
        assert answer_of(stack, ada) == 503
        assert answer_of(stack, bob) == 200
    wait_until(lambda: site.app.state.hub.streams == 0)
    with ExitStack() as stack:
        assert answer_of(stack, ada) == 200


def answer_of(stack: ExitStack, client: Client) -> int:
    return stack.enter_context(client.stream("GET", "/live", params={"topic": "tasks"})).status_code


FORM = "POST /sign-in HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/x-www-form-urlencoded\r\n"


def begin_form(site: RunningSite, size: int) -> socket.socket:
    connection = connect(site)
    connection.sendall(f"{FORM.format(host=host_of(site))}Content-Length: {size}\r\n\r\nname=".encode())
    return connection


def test_a_body_that_trickles_is_cut_off(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 0.5)
    site = new_site()
    with begin_form(site, 100_000) as connection:

        def cut_off() -> bool:
            time.sleep(0.05)
            try:
                connection.sendall(b"a")
            except OSError:
                return True
            return is_closed(connection)

        wait_until(cut_off)


def test_a_body_that_comes_on_may_take_its_time(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "BODY_SECONDS", 1.0)
    monkeypatch.setattr(connections, "BODY_BYTES", 2)
    site = new_site()
    with begin_form(site, 45) as connection:
        for _ in range(40):
            time.sleep(0.1)
            connection.sendall(b"a")
        assert read_answer(connection).status == 403, "four times as long as each look, and answered"


def test_bodies_that_do_not_come_make_room_for_those_who_ask(
    new_site: Callable[..., RunningSite], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST_PER_ADDRESS", FEW)
    site = new_site()
    slow = [begin_form(site, 1000) for _ in range(MANY)]
    wait_until(lambda: open_of(slow) <= FEW)
    assert site.client().get("/healthz").status_code == 200
