"""The pages and the API of intake."""

from collections.abc import Iterator

import psycopg
import pytest

from armarium.accounts.model import Role
from armarium.db.database import Database
from armarium.storage.intake.watching import Watching
from tests.conftest import _new_database
from tests.integration.storage.pages import archive_site
from tests.integration.web.steps import audited
from tests.site import Client, RunningSite


@pytest.fixture(scope="module")
def site(
    server_url: str,
    database_maker: psycopg.Connection,
    template: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[RunningSite]:
    """One for all tests here: none of them changes what the others look at."""
    folder = tmp_path_factory.mktemp("intake")
    (folder / "watched").mkdir()
    (folder / "watched" / "new.warc.gz").write_bytes(b"")
    environ = {"ARMARIUM_STORAGE_WATCH": str(folder / "watched")}
    with _new_database(server_url, database_maker, template) as url:
        database = Database(url, application="tests")
        with archive_site(database, folder / "home", **environ) as running:
            yield running
        database.close()


@pytest.fixture(scope="module")
def client(site: RunningSite) -> Client:
    return site.signed_in("ada")


def test_what_came_is_shown_with_what_was_not_taken_first(site: RunningSite, client: Client) -> None:
    assert "Not checked yet" in client.get("/storage/intake").text
    site.house.services().get(Watching).take()

    listed = client.get("/storage/intake").text
    assert "Attic &lt;b&gt;" in listed
    assert "1 file changed a moment ago" in listed

    page = client.get("/storage/intake/1")
    assert page.status_code == 200
    assert "1 file was not imported" in page.text
    assert page.text.index("bad.warc.gz") < page.text.index("a.warc.gz</a>")
    only = client.get("/storage/intake/1?outcome=taken").text
    assert "c.warc.gz" in only
    assert "bad.warc.gz" not in only
    assert client.get("/storage/intake/99").status_code == 404
    assert client.get("/storage/intake", headers={"x-part": "1"}).text.lstrip().startswith("<div")


def test_a_look_at_the_folders_can_be_asked_for(site: RunningSite, client: Client) -> None:
    answer = client.submit("/storage/intake/look", page="/storage/intake")

    assert answer.status_code == 303
    assert audited(site)[-1].action == "accession.looked"
    assert "The watched folders will be checked" in client.get("/storage/intake").text


def test_whoever_may_not_manage_may_not_ask_for_it(site: RunningSite) -> None:
    client = site.signed_in("rob", Role.MANAGER)

    assert client.submit("/storage/intake/look").status_code == 403


def test_the_api_tells_the_same(client: Client) -> None:
    [one] = client.get("/api/storage/intake").json()["items"]
    assert one["counts"] == {"taken": 3, "foreign": 1}
    lines = client.get("/api/storage/intake/1/files?outcome=foreign").json()
    assert lines["total"] == 1
    assert lines["items"][0]["remark"]
