"""Long lists of the API: a program that follows `next` meets every row once, in the order of the list."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from armarium.accounts.model import Role
from armarium.db.database import Database
from armarium.planning.domains.model import MOST_COUNTED
from tests.busy import fill
from tests.site import Client, RunningSite

#: Further rows of what the busy house has none or one of.
MORE = Path(__file__).with_name("walking.sql")
#: What stands for the number of a thing that has parts.
FIRST = {
    "transfers": "SELECT min(id) FROM selection_transfer",
    "bulk": "SELECT min(id) FROM selection_bulk",
    "imports": "SELECT min(id) FROM selection_import",
    "profiles": "SELECT 1",
    "harvests": "SELECT min(id) FROM harvest",
    "jobs": "SELECT min(job) FROM arrival",
    "domains": "SELECT min(id) FROM domain",
    "audits": "SELECT min(id) FROM audit_run",
    "intake": "SELECT min(id) FROM accession",
    "batches": "SELECT min(id) FROM batch",
    "viewings": "SELECT min(id) FROM access_viewing",
    "files": "SELECT name FROM stored_file ORDER BY id LIMIT 1",
}
SEEDS = "/api/jobs/{number}/seeds"  # a frozen document, as `counted_off` walks through it
PAGE = 2
ORDERS = (
    "title",
    "-title",
    "budget",
    "-harvested",
    "harvested",
    "responsible",
    "-responsible",
    "-collection",
)


@pytest.fixture
def client(database: Database, site: RunningSite) -> Client:
    client = site.signed_in("ada", *Role)
    fill(database)
    with psycopg.connect(database.url) as connection:
        connection.execute(MORE.read_bytes())
    return client


def lists(client: Client) -> dict[str, set[str]]:
    """The addresses of all lists of the API, with the names of their parameters."""
    paths = client.get("/api/openapi.json").json()["paths"]
    asked = {path: ways["get"].get("parameters", []) for path, ways in paths.items() if "get" in ways}
    named = {path: {one["name"] for one in some if one["in"] == "query"} for path, some in asked.items()}
    return {path: names for path, names in named.items() if names & {"offset", "cursor"}}


def concrete(database: Database, path: str) -> str:
    if "{" not in path:
        return path
    thing = path.split("/{", maxsplit=1)[0].rpartition("/")[2]
    with database.transaction() as connection:
        number = connection.scalar(sa.text(FIRST[thing]))
    return path.replace("{number}", str(number)).replace("{name}", str(number))


def given(answer: Any) -> list[Any]:
    found: list[Any] = answer if isinstance(answer, list) else answer["items"]
    return found


def walk(client: Client, address: str, **asked: object) -> Iterator[list[Any]]:
    """The pages of a list, by the cursor that an answer names; an array by the address in its header."""
    following: tuple[str, dict[str, Any]] | None = (address, {**asked, "limit": PAGE})
    while following:
        answer = client.get(following[0], params=following[1] or None)
        assert answer.status_code == 200, (following, answer.text)
        found, link = answer.json(), answer.links.get("next", {}).get("url")
        yield given(found)
        if isinstance(found, list):
            following = (link, {}) if link else None
        else:
            following = (
                (address, {**asked, "limit": PAGE, "cursor": found["next"]}) if found["next"] else None
            )


def rows(pages: Iterator[list[Any]]) -> list[Any]:
    return [row for page in pages for row in page]


def test_every_list_is_walked_through_by_its_cursor(database: Database, client: Client) -> None:
    found = lists(client)
    assert len(found) > 40
    assert [path for path, names in found.items() if "cursor" not in names] == []
    for path in found.keys() - {SEEDS}:
        address = concrete(database, path)
        whole = client.get(f"{address}?limit=1000").json()
        assert len(given(whole)) > PAGE, (path, whole)
        assert rows(walk(client, address)) == given(whole), path
        if isinstance(whole, dict):
            assert whole["total"] == len(whole["items"]), path


def test_every_order_of_records_can_be_walked_through(client: Client) -> None:
    for order in ORDERS:
        whole = client.get(f"/api/records?limit=1000&order={order}").json()["items"]
        assert len(whole) == 40
        assert rows(walk(client, "/api/records", order=order)) == whole, order


def test_what_is_added_meanwhile_moves_no_other_row(database: Database, client: Client) -> None:
    before = [one["name"] for one in client.get("/api/domains").json()["items"]]
    seen = []
    for place, page in enumerate(walk(client, "/api/domains")):
        seen += [one["name"] for one in page]
        with database.transaction() as connection:  # before, and behind, where the walk is
            more = "INSERT INTO domain (name, created_at) SELECT n, now() FROM unnest(:names ::text[]) n"
            connection.execute(
                sa.text(more), {"names": [f"0{place}.fr", f"z{place}.fr"] if place < 3 else []}
            )
    assert seen == [*before, "z0.fr", "z1.fr", "z2.fr"]


@pytest.mark.parametrize("cursor", ["none", "!", "WzFd", "W10", "bnVsbA", "x" * 9000])
def test_a_cursor_of_no_list_is_refused(client: Client, cursor: str) -> None:
    for address in ("/api/domains", "/api/audit", "/api/jobs", "/api/transfers/preview"):
        answer = client.get(address, params={"cursor": cursor})
        assert answer.status_code == 422, (address, answer.text)
        assert "cursor" in answer.text


def test_a_cursor_of_another_list_or_order_is_refused(client: Client) -> None:
    cursor = client.get("/api/audit?limit=1").json()["next"]
    assert client.get("/api/tasks", params={"cursor": cursor}).json()["field"] == "cursor"
    titles = client.get("/api/records?limit=1&order=title").json()["next"]
    answer = client.get("/api/records", params={"cursor": titles, "order": "-title"})
    assert answer.json()["field"] == "cursor"
    answer = client.get("/api/audit?limit=1")
    assert answer.links["next"]["url"] == f"/api/audit?limit=1&cursor={cursor}"
    both = client.get("/api/audit", params={"cursor": cursor, "offset": 1})
    assert (both.status_code, both.json()["field"]) == (422, "cursor")


def test_no_list_of_domains_ends_in_silence(database: Database, client: Client) -> None:
    with database.transaction() as connection:
        many = "SELECT 'many-' || n || '.de', now() FROM generate_series(1, :n) n"
        made = sa.text(f"INSERT INTO domain (name, created_at) {many}")
        connection.execute(made, {"n": MOST_COUNTED + 5})
    beyond = client.get("/api/domains", params={"name": "*.de", "offset": MOST_COUNTED})
    assert (beyond.status_code, beyond.json()["field"]) == (422, "offset")
    assert "cursor" in beyond.json()["detail"]
    for name in ("*.de", "many"):  # in the order of an index, and in none
        last = client.get(
            "/api/domains", params={"name": name, "offset": MOST_COUNTED - 5, "limit": 5}
        ).json()
        assert (len(last["items"]), last["more"]) == (5, True)
        rest = client.get("/api/domains", params={"name": name, "cursor": last["next"]}).json()
        assert (len(rest["items"]), rest["next"]) == (5, None)
    assert client.get("/api/domains", params={"name": "*.fr", "offset": MOST_COUNTED}).json()["items"] == []
