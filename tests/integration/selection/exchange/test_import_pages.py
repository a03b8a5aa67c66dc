"""The pages and the API of imports, on the running site."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.selection.collections.model import Choices
from tests.site import Client, RunningSite, running_site


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path, ARMARIUM_SELECTION_MAX_IMPORT_BYTES="2000000") as running:
        ada = running.account("ada", Role.LIBRARIAN)
        running.account("max", Role.MANAGER)
        collections = running.house.selection.collections
        press = collections.create(SYSTEM, Choices("Press"), themes=["News"], default_theme="News")
        collections.set_members(SYSTEM, press.id, [ada])
        yield running
        running.house.close()


def upload(client: Client, content: bytes, name: str = "list.csv", **values: object) -> httpx.Response:
    token = client.token("/selection/import")
    data = {"csrf_token": token, "collection": "1", **values}
    return client.post("/selection/import", data=data, files={"file": (name, content, "text/csv")})


def ada(site: RunningSite) -> Client:
    client = site.client()
    client.sign_in("ada")
    return client


def test_a_file_is_tried_reported_and_imported(site: RunningSite) -> None:
    client = ada(site)
    answer = upload(client, b"address;depth\na.example;host\nb.example;deep\n")
    assert answer.status_code == 303
    where = answer.headers["location"]
    assert "Waiting to start." in client.get(where).text
    imports = site.house.selection.imports
    imports.run(1)
    report = client.get(where).text
    assert "Import the valid lines" in report
    assert "Write one of these" in report
    faults = client.get(f"{where}/faults.csv")
    assert faults.content.startswith(b"\xef\xbb\xbf")
    assert "3;depth;deep;" in faults.text
    assert client.get(f"{where}/file").content == b"address;depth\na.example;host\nb.example;deep\n"
    assert client.submit(f"{where}/run", {"mode": "good"}, page="/selection/import").status_code == 303
    imports.run(1)
    assert "The file is imported" in client.get(where).text
    assert site.house.selection.records.get(1).address == "http://a.example/"


def test_what_is_no_file_is_said_in_the_form(site: RunningSite) -> None:
    client = ada(site)
    assert "in which something stands" in upload(client, b"").text
    assert upload(client, b"x" * 2_100_000).status_code == 413
    assert upload(client, b"x" * 2_000_001).status_code == 422
    nothing = client.post(
        "/selection/import",
        data={"csrf_token": client.token("/selection/import")},
        files={"other": ("", b"")},
    )
    assert nothing.status_code == 422


def test_an_upload_needs_the_token_of_a_page(site: RunningSite) -> None:
    client = ada(site)
    answer = client.post("/selection/import", data={"csrf_token": "guessed"}, files={"file": ("a.csv", b"x")})
    assert answer.status_code == 403


def test_other_pages_take_no_files(site: RunningSite) -> None:
    client = ada(site)
    token = client.token("/selection/import")
    answer = client.post("/preferences", data={"csrf_token": token}, files={"file": ("a.csv", b"x")})
    assert answer.status_code == 422


def test_who_may_only_look_is_offered_no_form(site: RunningSite) -> None:
    client = site.client()
    client.sign_in("max")
    assert "<input" not in client.get("/selection/import").text.partition("<main")[2].partition("</main>")[0]
    token = client.token("/account")
    answer = client.post("/selection/import", data={"csrf_token": token}, files={"file": ("a.csv", b"x")})
    assert answer.status_code == 403


def test_programs_send_the_file_as_the_body(site: RunningSite) -> None:
    secret = token_of(site)
    with httpx.Client(base_url=f"{site.address}/api", headers={"Authorization": f"Bearer {secret}"}) as api:
        body = "address,title\na.example,A\n,\nb.example,“B”\nno address,\n".encode()
        made = api.post("/selection/imports", params={"name": "x.csv", "collection": 1}, content=body)
        assert (made.status_code, made.json()["state"]) == (202, "waiting")
        site.house.selection.imports.run(1)
        report = api.get("/selection/imports/1").json()
        assert report["counts"] == {"lines": 3, "created": 2, "changed": 0, "unchanged": 0, "refused": 1}
        [fault] = api.get("/selection/imports/1/faults").json()["items"]
        assert (fault["line"], fault["column"]) == (5, "address")
        assert api.post("/selection/imports/1/run", params={"mode": "good"}).status_code == 202
        assert api.post("/selection/imports/1/run", params={"mode": "good"}).status_code == 422
        assert api.get("/selection/imports").json()["total"] == 1


def token_of(site: RunningSite) -> str:
    scopes = frozenset({Permission.SELECTION_VIEW, Permission.SELECTION_EDIT})
    owner = site.house.accounts.named("ada")
    return site.house.tokens.create(SYSTEM, owner, "import", scopes, None).secret
