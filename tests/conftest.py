"""A real database for every test that asks for one.

The embedded server is started once per test run (per worker), in memory if there is room; a template is
migrated once; each test gets a clone of it. `pytest --database-url URL` runs the same tests on another
server, as a role with CREATEDB.
"""

import gc
import secrets
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck, settings
from psycopg import sql

from armarium.accounts import passwords
from armarium.db.database import Database
from armarium.server.assembly import prepare_database
from tests import growth
from tests.database_server import database_server

# How long it takes to make and to try an example says more about the machine than about the code.
settings.register_profile("armarium", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("armarium")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--database-url", help="run on this PostgreSQL server instead of the embedded one")
    parser.addoption("--kills", type=int, help="how often the chaos runs kill something; each has a default")
    parser.addoption("--seed", type=int, default=20261115, help="what the chaos run's chance begins with")
    parser.addoption("--files", type=int, help="how many files the run of storage has; 2000 by hand")
    parser.addoption("--chaos-minutes", type=float, help="how long planning is put to the test; 0: shortly")
    parser.addoption(
        "--whole-minutes", type=float, default=0.4, help="how long the whole suite is under fire"
    )
    parser.addoption(
        "--all", action="store_true", help="the long forms of chaos and growth: hours, not minutes"
    )
    parser.addoption("--renew-pictures", action="store_true", help="take the tutorial's pictures anew")


# What is asked with --all, where nothing else is said. Each of these runs has a short form for every day.
LONG = {"kills": 40, "files": 2000, "chaos_minutes": 4.0, "whole_minutes": 30.0}
LONGEST = 4 * 3600.0  # seconds of one test


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a script
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--all"):
        growth.mixed = 10 * growth.mixed
        asked = [
            word.partition("=")[0].removeprefix("--").replace("-", "_")
            for word in config.invocation_params.args
        ]
        for name, value in LONG.items():
            if name not in asked:
                setattr(config.option, name, value)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--all"):
        for item in items:
            item.add_marker(pytest.mark.timeout(LONGEST), append=False)


def pytest_collection_finish() -> None:
    """Spare the search for garbage 15,000 tests, which stay to the end: a tenth of all tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)


@pytest.fixture(scope="session")
def server_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the server on which the tests make their databases."""
    given: str | None = request.config.getoption("--database-url")
    if given is not None:
        yield given
        return
    with database_server(tmp_path_factory.getbasetemp()) as url:
        yield url


@pytest.fixture(scope="session")
def database_maker(server_url: str) -> Iterator[psycopg.Connection]:
    """Where the tests' databases are made and dropped."""
    with psycopg.connect(server_url, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="session")
def template(server_url: str, database_maker: psycopg.Connection) -> Iterator[str]:
    """Name of a prepared database, to be cloned."""
    with _new_database(server_url, database_maker) as url:
        database = Database(url, application="tests")
        prepare_database(database)
        database.close()
        yield urlsplit(url).path.removeprefix("/")


@pytest.fixture
def database_url(server_url: str, database_maker: psycopg.Connection, template: str) -> Iterator[str]:
    """Address of a prepared database for this test alone."""
    with _new_database(server_url, database_maker, template) as url:
        yield url


@pytest.fixture
def empty_database_url(server_url: str, database_maker: psycopg.Connection) -> Iterator[str]:
    """Address of a database for this test alone in which there is nothing yet."""
    with _new_database(server_url, database_maker) as url:
        yield url


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """A hash takes a quarter of a second on purpose, which thousands of sign-ins need not wait for."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passwords, "_hasher", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        yield


@pytest.fixture
def real_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passwords, "_hasher", PasswordHasher())


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A prepared database for this test alone."""
    database = Database(database_url, application="tests")
    yield database
    database.close()


@contextmanager
def _new_database(server_url: str, server: psycopg.Connection, template: str = "template1") -> Iterator[str]:
    name = f"armarium_test_{secrets.token_hex(8)}"
    created = sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY FILE_COPY").format(
        sql.Identifier(name), sql.Identifier(template)
    )
    server.execute(created)
    try:
        yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    finally:
        _drop_database(server, name)


def _drop_database(server: psycopg.Connection, name: str) -> None:
    """Drop a database with all that is connected to it.

    The server's own autovacuum may be at work in it, which only a superuser may end: it is gone in a moment.
    """
    dropped = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
    until = time.monotonic() + 60
    while True:
        try:
            server.execute(dropped)
        except psycopg.errors.InsufficientPrivilege:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return
