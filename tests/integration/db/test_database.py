"""Transactions, and what they say when the server is away."""

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError, ProgrammingError

from armarium.core.errors import Misconfigured, Unavailable
from armarium.db import database as module
from armarium.db.database import Database


def test_a_transaction_is_committed_at_the_end(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE seeds (url text)"))
        connection.execute(text("INSERT INTO seeds VALUES ('http://a.example/')"))
    with database.transaction() as connection:
        assert connection.execute(text("SELECT count(*) FROM seeds")).scalar() == 1


def test_an_exception_rolls_the_transaction_back(database: Database) -> None:
    def make_and_fail() -> None:
        with database.transaction() as connection:
            connection.execute(text("CREATE TABLE seeds (url text)"))
            raise LookupError

    with pytest.raises(LookupError):
        make_and_fail()
    with database.transaction() as connection:
        assert connection.execute(text("SELECT to_regclass('seeds')")).scalar() is None


def test_times_come_back_in_utc(database: Database) -> None:
    with database.transaction() as connection:
        moment = connection.execute(text("SELECT timestamptz '2024-07-01 12:00:00+02'")).scalar_one()
    assert moment.isoformat() == "2024-07-01T10:00:00+00:00"


def test_the_server_knows_which_application_connects(database_url: str) -> None:
    database = Database(database_url, application="armarium scheduler")
    with database.transaction() as connection:
        name = connection.execute(text("SELECT current_setting('application_name')")).scalar()
    database.close()
    assert name == "armarium scheduler"


def test_options_in_the_address_win_over_ours(database_url: str) -> None:
    separator = "&" if "?" in database_url else "?"
    url = f"{database_url}{separator}options=-c%20statement_timeout%3D1234"
    database = Database(url, application="tests")
    with database.transaction() as connection:
        assert connection.execute(text("SHOW statement_timeout")).scalar() == "1234ms"
    database.close()


def test_a_server_without_room_is_unavailable_and_not_ready_until_it_can_write_again(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(code: str) -> None:
        with database.transaction() as connection:
            connection.execute(text(f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$"))

    for code in ("53100", "53200"):
        with pytest.raises(Unavailable, match="no room left"):
            write(code)
    with pytest.raises(Unavailable, match="no room left"):
        database.check()
    monkeypatch.setattr(module, "OUT_OF_ROOM_SECONDS", 0.0)
    with pytest.raises(Unavailable):
        write("53100")
    database.check()


def test_a_wrong_statement_is_not_taken_for_a_server_that_is_away(database: Database) -> None:
    with database.transaction() as connection, pytest.raises(ProgrammingError):
        connection.execute(text("SELEKT 1"))


@pytest.mark.parametrize("code", ["40001", "40P01"])
def test_a_transaction_that_the_server_ended_for_another_may_be_tried_again(
    database: Database, code: str
) -> None:
    ended = text(f"DO $$ BEGIN RAISE EXCEPTION 'ended' USING ERRCODE = '{code}'; END $$")
    with pytest.raises(Unavailable, match="Try again"), database.transaction() as connection:
        connection.execute(ended)
    database.check()


def test_a_violated_constraint_is_not_taken_for_a_server_that_is_away(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute(text("CREATE TABLE seeds (url text PRIMARY KEY)"))
        connection.execute(text("INSERT INTO seeds VALUES ('a')"))
    with pytest.raises(IntegrityError), database.transaction() as connection:
        connection.execute(text("INSERT INTO seeds VALUES ('a')"))


def test_nothing_listening_means_unavailable() -> None:
    database = Database("postgresql://nobody@127.0.0.1:1/nowhere", application="tests")
    with pytest.raises(Unavailable, match="cannot be reached"):
        database.check()


def test_an_address_that_makes_no_sense_is_refused_without_showing_the_password() -> None:
    with pytest.raises(Misconfigured, match=r"database\.url") as refusal:
        Database("postgresql://anna:verysecret@[::1/armarium", application="tests")
    assert "verysecret" not in str(refusal.value)


def test_a_session_ended_by_the_administrator_means_unavailable(database: Database) -> None:
    with pytest.raises(Unavailable), database.transaction() as connection:
        connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))
    database.check()  # and the next transaction gets a new session


def test_a_session_ended_while_it_waited_in_the_pool_is_not_noticed(
    database: Database, database_url: str
) -> None:
    database.check()
    with psycopg.connect(database_url, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    database.check()


def test_a_session_ended_during_raw_work_of_the_driver_means_unavailable(database: Database) -> None:
    def work() -> None:
        with database.transaction() as connection:
            driver = connection.connection.driver_connection
            assert isinstance(driver, psycopg.Connection)
            driver.execute("SELECT pg_terminate_backend(pg_backend_pid())")

    with pytest.raises(Unavailable):
        work()
    database.check()


def test_an_exhausted_pool_means_unavailable(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "POOL_TIMEOUT", module.POOL_TIMEOUT / 100)
    database = Database(database_url, application="tests", pool_size=1)
    with database.transaction(), database.transaction(), pytest.raises(Unavailable, match="in use"):
        database.check()
    database.check()
    database.close()


def test_a_lock_that_was_let_go_can_be_held_at_once(database: Database) -> None:
    with database.transaction() as other:
        for _ in range(50):
            with database.holding(1):
                pass
            assert other.scalar(text("SELECT pg_try_advisory_lock(1)"))
            other.execute(text("SELECT pg_advisory_unlock(1)"))
