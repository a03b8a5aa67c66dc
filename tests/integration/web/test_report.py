"""The report of a year: its figures are those of the database, for those who may see them."""

import csv
import re
from io import StringIO

import pytest
import sqlalchemy as sa

from armarium.accounts.model import Role
from armarium.db.database import Database
from tests.busy import Amounts, fill
from tests.site import Client, RunningSite

A_YEAR = Amounts(days=300)

#: What a figure adds up to, straight from the tables.
SUMS = {
    "files": ["SELECT count(*) FROM stored_file WHERE stored_at IS NOT NULL"],
    "added": ["SELECT sum(size) FROM stored_file WHERE stored_at IS NOT NULL"],
    "objects": ["SELECT sum(brought_objects) FROM job WHERE ended_at IS NOT NULL"],
    "jobs": [
        "SELECT count(*) FROM job WHERE state = 'done'",
        "SELECT count(*) FROM job WHERE state IN ('failed', 'resubmitted', 'rejected')",
    ],
    "reading": [
        "SELECT sum(times) FROM access_use WHERE kind = 'page' AND outcome = 'shown'",
        "SELECT sum(times) FROM access_use WHERE kind = 'visit'",
    ],
    "records": [
        f"SELECT count(*) FROM selection_record WHERE state = '{state}'"
        for state in ("validated", "proposed", "refused")
    ],
}


@pytest.fixture
def manager(site: RunningSite, database: Database) -> Client:
    fill(database, A_YEAR)
    return site.signed_in("mia", Role.MANAGER)


def numbers(client: Client, name: str) -> list[list[int]]:
    """The columns of a figure."""
    _, *rows = csv.reader(StringIO(client.get(f"/report?csv={name}").text))
    return [[int(value or 0) for value in column] for column in list(zip(*rows, strict=True))[1:]]


def test_its_sums_are_those_of_the_database(manager: Client, database: Database) -> None:
    with database.transaction() as connection:
        for name, asked in SUMS.items():
            wanted = [int(connection.scalar(sa.text(one)) or 0) for one in asked]
            assert [sum(column) for column in numbers(manager, name)] == wanted, name
        held = connection.scalar(sa.text("SELECT sum(size) FROM stored_file WHERE state <> 'withdrawn'"))
    assert numbers(manager, "size")[0][-1] == held


def test_every_figure_has_a_table_and_csv_and_every_link_leads_there(manager: Client) -> None:
    page = manager.get("/report").text
    figures = re.findall(r'id="plot-([a-z-]+)"', page)
    assert set(figures) >= {"size", "added", "forecast", "records", "coverage", "work", "reading"}
    for name in figures:
        assert manager.get(f"/report?csv={name}").headers["content-type"].startswith("text/csv")
    assert "If it goes on in a straight line" in page


def test_a_year_of_the_past_has_no_forecast(manager: Client) -> None:
    page = manager.get("/report?year=2001").text
    assert "Forecast of storage" not in page
    assert "2001" in page
    assert manager.get("/report?year=0").status_code == 404


def test_librarians_and_readers_do_not_see_it(site: RunningSite) -> None:
    assert site.signed_in("lia", Role.LIBRARIAN).get("/report").status_code == 403
    assert site.client().get("/report").status_code == 303
