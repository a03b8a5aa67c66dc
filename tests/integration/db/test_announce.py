"""Announcements reach who listens, at commit and not before."""

from collections.abc import Iterator

import psycopg
import pytest

from armarium.db.announce import CHANNEL, announce
from armarium.db.database import Database


@pytest.fixture
def listener(database_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(f"LISTEN {CHANNEL}")
        yield connection


def topics(listener: psycopg.Connection) -> list[str]:
    return [notice.payload for notice in listener.notifies(timeout=0.3)]


def test_an_announcement_arrives_at_commit(database: Database, listener: psycopg.Connection) -> None:
    with database.transaction() as connection:
        announce(connection, "tasks")
        assert topics(listener) == []
    assert topics(listener) == ["tasks"]


def test_the_same_announcement_twice_in_a_transaction_arrives_once(
    database: Database, listener: psycopg.Connection
) -> None:
    with database.transaction() as connection:
        announce(connection, "tasks")
        announce(connection, "tasks")
    assert topics(listener) == ["tasks"]


def test_an_announcement_is_not_made_after_a_rollback(
    database: Database, listener: psycopg.Connection
) -> None:
    with database.transaction() as connection:
        announce(connection, "tasks")
        connection.rollback()
    assert topics(listener) == []
