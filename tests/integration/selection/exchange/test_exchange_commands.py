"""Import and export from a shell and by the API, on a real house."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from armarium.accounts.model import Role
from armarium.cli.main import app
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.selection.collections.model import Choices
from armarium.selection.collections.service import Collections
from armarium.terminal import progress
from tests.site import RunningSite, running_site

GOOD = "address;title\na.example;=A\nb.example;B\n"
MIXED = GOOD + "http://[;C\n"


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    Collections(database).create(SYSTEM, Choices("Press"), themes=["News"], default_theme="News")
    with running_site(database, tmp_path) as running:
        yield running
        running.house.close()


def run(database: Database, home: Path, *words: str) -> Result:
    environment = {"ARMARIUM_HOME": str(home), "ARMARIUM_DATABASE_URL": database.url}
    return CliRunner().invoke(app, ["select", *words], env=environment)


def test_a_shell_tries_imports_and_exports(site: RunningSite, database: Database, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text(MIXED)
    tried = run(database, tmp_path, "import", str(file), "--collection", "Press", "--dry-run")
    assert "3 lines: 2 records would be made" in tried.stdout
    assert "no address of a web site" in tried.stdout
    refused = run(database, tmp_path, "import", str(file), "--collection", "Press", "--json")
    assert refused.exit_code == 1
    told = json.loads(refused.stdout)
    assert (told["state"], told["counts"]["refused"]) == ("refused", 1)
    assert (told["faults"][0]["line"], told["faults"][0]["column"]) == (4, "address")
    done = run(database, tmp_path, "import", str(file), "--collection", "Press", "--good")
    assert (done.exit_code, "2 records made" in done.stdout) == (0, True)
    out = run(database, tmp_path, "export", "-", "--column", "number,title", "--search", "order=number")
    assert out.stdout.splitlines() == ["\ufeffnumber;title", "1;'=A", "2;B"]
    book = tmp_path / "out.xlsx"
    assert "2 records written" in run(database, tmp_path, "export", str(book)).stdout
    again = run(database, tmp_path, "import", str(book))
    assert "2 unchanged, 0 bad lines" in again.stdout


def test_long_work_says_how_far_it_is(
    site: RunningSite, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    file = tmp_path / "list.csv"
    file.write_text(GOOD)
    assert (
        "Importing records: 2 of 2"
        in run(database, tmp_path, "import", str(file), "--collection", "Press").stderr
    )
    assert "Exporting records: 2 of 2" in run(database, tmp_path, "export", str(file)).stderr


def test_what_is_not_there_is_said(site: RunningSite, database: Database, tmp_path: Path) -> None:
    missing = run(database, tmp_path, "import", str(tmp_path / "none.csv"))
    assert isinstance(missing.exception, Exception)
    assert "cannot be read" in str(missing.exception)
    strange = run(database, tmp_path, "export", "-", "--column", "colour")
    assert "no column colour" in str(strange.exception)


def test_the_site_exports_what_a_search_finds(site: RunningSite, database: Database, tmp_path: Path) -> None:
    file = tmp_path / "list.csv"
    file.write_text(GOOD)
    run(database, tmp_path, "import", str(file), "--collection", "Press")
    client = site.signed_in("ada", Role.LIBRARIAN)
    page = client.get("/selection/export", params={"title": "B"})
    assert "1 record: what your search finds." in page.text
    asked = {"title": "B", "format": "csv", "column": ["address", "theme"]}
    answer = client.get("/selection/export", params=asked)
    assert answer.text == "\ufeffAddress;Theme\r\nhttp://b.example/;News\r\n"
    assert ".csv" in answer.headers["content-disposition"]
    answer = client.get("/api/selection/export", params={**asked, "format": "xlsx"})
    assert answer.content.startswith(b"PK")
    assert client.get("/selection/export", params={"format": "csv", "column": "colour"}).status_code == 422
    assert client.get("/selection/export", params={"order": "beauty"}).status_code == 422
