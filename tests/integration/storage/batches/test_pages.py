"""The pages and the API of batches."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.accounts.model import Role
from armarium.db.database import Database
from armarium.storage.batches.service import Batches
from tests.integration.storage.pages import archive_site
from tests.integration.web.steps import audited
from tests.site import Client, RunningSite

FORM = "/storage/batches/new?function=find"


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with archive_site(database, tmp_path / "home") as running:
        yield running


def start(client: Client, **values: object) -> int:
    answer = client.submit(FORM, {"kind": "all", "argument_text": "example", **values}, page=FORM)
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].rpartition("/")[2])


def run(site: RunningSite, number: int) -> None:
    site.house.services().get(Batches).run_part(number, 0)


def test_a_batch_is_started_followed_and_downloaded(site: RunningSite) -> None:
    client = site.signed_in("ada")
    assert "ignore_case" in client.get(FORM).text
    assert FORM in client.get("/storage/batches/new").text

    number = start(client, argument_ignore_case="yes")
    page = client.get(f"/storage/batches/{number}").text
    assert "0 of 3 files" in page
    assert "/cancel" in page
    run(site, number)

    page = client.get(f"/storage/batches/{number}").text
    assert "3 of 3 files" in page
    assert "Finished" in page
    assert "http://a.example/" in page
    assert "/cancel" not in page
    download = client.get(f"/storage/batches/{number}/results.ndjson")
    assert download.headers["content-disposition"].startswith("attachment")
    lines = [json.loads(line) for line in download.text.splitlines()]
    assert sorted(line["file"] for line in lines) == ["a.warc.gz", "b.warc.gz", "c.warc.gz"]
    assert lines[0]["result"]["count"] == 1
    assert f"find {number}" in client.get("/storage/batches").text


def test_what_is_wrong_with_the_form_is_said_at_its_field(site: RunningSite) -> None:
    client = site.signed_in("ada")

    answer = client.submit(FORM, {"kind": "job", "value": "x", "argument_text": ""}, page=FORM)
    assert answer.status_code == 422
    answer = client.submit(FORM, {"kind": "job", "value": "x", "argument_text": "a"}, page=FORM)
    assert "Enter the number." in answer.text
    answer = client.submit(FORM, {"kind": "job", "value": "9", "argument_text": "a"}, page=FORM)
    assert "None of the selected files is stored." in answer.text


def test_an_unticked_box_means_no(site: RunningSite) -> None:
    client = site.signed_in("ada")

    number = start(client)

    told = client.get(f"/api/storage/batches/{number}").json()
    assert told["arguments"] == {"text": "example", "ignore_case": False}


def test_a_batch_is_cancelled(site: RunningSite) -> None:
    client = site.signed_in("ada")
    number = start(client)

    client.submit(f"/storage/batches/{number}/cancel", page=f"/storage/batches/{number}")
    assert [entry.action for entry in audited(site)[-2:]] == ["batch.started", "batch.cancelled"]
    run(site, number)

    assert client.get(f"/api/storage/batches/{number}").json()["state"] == "cancelled"


def test_the_api_starts_and_lists(site: RunningSite) -> None:
    client = site.signed_in("ada")
    token = client.token("/account")
    functions = client.get("/api/storage/batches/functions").json()["functions"]
    assert "records" in {one["name"] for one in functions}
    wanted = {"function": "records", "selection": {"kind": "name", "value": "b*"}}

    made = client.post("/api/storage/batches", json=wanted, headers={"x-csrf-token": token})

    assert made.status_code == 201
    assert made.json()["files_total"] == 1
    run(site, made.json()["id"])
    [result] = client.get(f"/api/storage/batches/{made.json()['id']}/results").json()["items"]
    assert result["result"]["records"] == 2
    text = client.get(f"/api/storage/batches/{made.json()['id']}/results.ndjson").text
    assert json.loads(text)["file"] == "b.warc.gz"


def test_results_are_for_those_who_may_read_files(site: RunningSite) -> None:
    client = site.signed_in("ada")
    number = start(client)
    run(site, number)
    manager = site.signed_in("rob", Role.MANAGER)

    assert manager.get(f"/storage/batches/{number}/results.ndjson").status_code == 403
    page = manager.get(f"/storage/batches/{number}")
    assert page.status_code == 200
    assert "http://a.example/" not in page.text
