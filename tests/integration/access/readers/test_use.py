"""Figures of use: nothing is lost between memory and table, and nothing says who."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest

from armarium.access.model import Reader
from armarium.access.networks.model import NewNetwork
from armarium.access.networks.service import Networks
from armarium.access.settings import AccessSettings
from armarium.access.statistics import queries
from armarium.access.statistics.counting import LiveUses
from armarium.access.statistics.model import OTHER, VIEWINGS
from armarium.access.statistics.service import Statistics
from armarium.core.actor import SYSTEM
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.db.database import Database

ELSEWHERE = Reader()


@pytest.fixture
def uses(database: Database) -> LiveUses:
    return LiveUses(database, "UTC")


@pytest.fixture
def statistics(database: Database) -> Statistics:
    return Statistics(database, AccessSettings(statistics_days=100), "UTC")


def rows(database: Database, table: str) -> list[tuple[object, ...]]:
    with database.transaction() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(f"SELECT * FROM {table} ORDER BY 1, 2, 3")]


def test_a_figure_that_cannot_be_written_does_not_keep_others_from_being_written(
    uses: LiveUses, database: Database
) -> None:
    uses.note("page", "shown", collection="nought \0", reader=ELSEWHERE)
    uses.flush()
    uses.note("page", "shown", collection="all", reader=ELSEWHERE)
    uses.flush()
    assert [row[1] for row in rows(database, "access_use")] == ["all"]


def test_sums_of_several_processes_come_together(database: Database, statistics: Statistics) -> None:
    processes = [LiveUses(database, "UTC") for _ in range(3)]

    def read(one: LiveUses) -> None:
        for _ in range(100):
            one.note("page", "shown", collection="all", reader=ELSEWHERE, size=10, domain="www.example.org")
            one.note("part", "missing", collection="all", reader=ELSEWHERE)
        one.flush()

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(read, processes * 4))
    for one in processes:
        one.flush()
    report = statistics.report(statistics.question())
    kinds = {one.name: (one.times, one.size) for one in report.kinds}
    assert kinds == {"page": (1200, 12_000), "part": (1200, 0)}
    assert [(one.name, one.times) for one in report.domains] == [("example.org", 1200)]
    assert report.over_time[-1].pages == 1200


def test_what_is_kept_says_neither_who_nor_which_page(uses: LiveUses, database: Database) -> None:
    reader = Reader(account=4711, visit="a word", networks=frozenset({3, 2}))
    uses.note("page", "shown", collection="viewing-17", reader=reader, size=1, domain="shop.example.org")
    uses.note("page", "restricted", collection="all", reader=reader, domain="secret.example")
    uses.flush()
    today = Statistics(database, AccessSettings(), "UTC").today()
    assert rows(database, "access_use") == [
        (today, "all", "page", "restricted", 2, 1, 0),
        (today, VIEWINGS, "page", "shown", 2, 1, 1),
    ]
    assert rows(database, "access_site_use") == [(today.replace(day=1), "example.org", 1)]


def test_a_database_that_is_away_loses_no_figures(
    uses: LiveUses, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(*_: object) -> None:
        raise Unavailable(message("The database cannot be reached at the moment. Try again in a minute."))

    uses.note("search", "shown", collection="all", reader=ELSEWHERE)
    with monkeypatch.context() as patched:
        patched.setattr(queries, "add_uses", away)
        uses.flush()
    uses.note("search", "shown", collection="all", reader=ELSEWHERE)
    uses.flush()
    (row,) = rows(database, "access_use")
    assert row[5] == 2


def test_figures_are_written_at_the_end(uses: LiveUses, database: Database) -> None:
    uses.start()
    uses.note("visit", "shown", collection="all", reader=ELSEWHERE)
    uses.close()
    assert len(rows(database, "access_use")) == 1


def test_sites_that_were_read_seldom_are_named_neither_now_nor_later(
    database: Database, statistics: Statistics
) -> None:
    month = statistics.today().replace(day=1)
    last = (month - timedelta(days=1)).replace(day=1)
    sites = {(when, name): times for when in (month, last) for name, times in (("a.org", 5), ("b.org", 4))}
    with database.transaction() as connection:
        queries.add_sites(connection, {**sites, (last, "c.org"): 3, (last, OTHER): 2})
    question = statistics.question(month, statistics.today())
    named = {one.name: one.times for one in statistics.report(question).domains}
    assert named == {"a.org": 5, OTHER: 4}
    for _ in range(2):  # the task may run twice
        statistics.tidy()
        assert rows(database, "access_site_use") == [
            (last, "a.org", 5),
            (last, OTHER, 9),
            (month, "a.org", 5),
            (month, "b.org", 4),
        ]


def test_what_is_too_old_is_forgotten(database: Database, statistics: Statistics, uses: LiveUses) -> None:
    uses.note("page", "shown", collection="all", reader=ELSEWHERE)
    uses.flush()
    old = statistics.today() - timedelta(days=101)
    with database.transaction() as connection:
        connection.exec_driver_sql(
            f"INSERT INTO access_use VALUES ('{old}', 'all', 'page', 'shown', 0, 1, 1)"
        )
        queries.add_sites(connection, {(date(2001, 1, 1), "a.org"): 10})
    assert statistics.tidy() == (0, 2)
    assert len(rows(database, "access_use")) == 1


def test_networks_are_told_by_name(database: Database, statistics: Statistics, uses: LiveUses) -> None:
    network = Networks(database).add(SYSTEM, NewNetwork("North reading room", ("10.0.0.0/8",)))
    uses.note("page", "shown", collection="all", reader=Reader(networks=frozenset({network.id})))
    uses.note("page", "shown", collection="all", reader=ELSEWHERE)
    uses.flush()
    report = statistics.report(statistics.question())
    assert {one.name for one in report.networks} == {"North reading room", ""}
    assert {line["network"] for line in statistics.lines(statistics.question())} == {"North reading room", ""}
