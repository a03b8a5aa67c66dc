"""Pages, API and commands of domains, as a librarian uses them."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.planning import shipped
from tests.site import Client, RunningSite, running_site


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with database.transaction() as connection:
        shipped.ensure(connection)
    with running_site(database, tmp_path) as running:
        yield running


def made(client: Client, name: str) -> str:
    """The address of the page of a new domain."""
    answer = client.submit("/planning/domains/new", {"name": name, "seeds": "", "comments": ""})
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_a_domain_is_made_changed_and_found(site: RunningSite) -> None:
    client = site.signed_in()
    address = made(client, "https://www.bnf.fr/fr")
    edition = re.search(r'name="seen" value="(\d+)"', client.get(f"{address}/edit").text)
    assert edition
    values = {"active": "yes", "comments": "National library", "traps": "/agenda/", "seen": edition[1]}
    assert client.submit(f"{address}/edit", values).status_code == 303
    shown = client.get(address).text
    assert "National library" in shown
    assert "Domain changed" in client.get(f"{address}/changes").text
    late = client.submit(f"{address}/edit", {**values, "comments": "late"})
    assert late.status_code == 422
    assert "Somebody changed this meanwhile" in late.text
    assert "bnf.fr" in client.get("/planning/domains?q=*.fr&traps=yes").text
    assert "No domain found" in client.get("/planning/domains?q=zzzz").text
    assert client.get("/planning/domains?q=*a*").status_code == 422
    assert 'href="/planning/domains?tld=fr"' in client.get("/planning/domains/statistics").text


def test_seed_lists_and_configurations_are_made_on_their_pages(site: RunningSite) -> None:
    client = site.signed_in()
    address = made(client, "bnf.fr")
    listed = {"name": "news", "seeds": "https://bnf.fr/news\nhttps://elsewhere.example/x", "comments": ""}
    assert client.submit(f"{address}/seed-lists/new", listed).status_code == 303
    assert (
        "the first: https://elsewhere.example/x" in client.get(f"{address}/configurations").text
    )  # allowed, but named
    form = client.get(f"{address}/configurations/new").text
    (profile,) = re.findall(r'<option value="(\d+)"[^>]*>domain</option>', form)
    lists = re.findall(r'name="seed_lists" value="(\d+)"', form)
    values = {
        "name": "daily",
        "profile": profile,
        "seed_lists": lists,
        "max_objects": "1 000",
        "active": "yes",
    }
    wrong = client.submit(f"{address}/configurations/new", {**values, "overrides": "[scope]\nnone = 1"})
    assert wrong.status_code == 422
    right = {**values, "max_hops": "3", "robots": "ignore", "javascript": "no"}
    assert client.submit(f"{address}/configurations/new", right).status_code == 303
    shown = client.get(f"{address}/configurations").text
    assert "daily" in shown
    number = re.search(r"/configurations/(\d+)/default", shown)
    assert number
    assert client.submit(f"{address}/configurations/{number[1]}/default").status_code == 303
    assert 'value="3"' in client.get(f"{address}/configurations/{number[1]}").text


def test_a_password_never_comes_back(site: RunningSite) -> None:
    client = site.signed_in()
    address = made(client, "bnf.fr")
    given = {"kind": "basic", "user_name": "ada", "password": "s3cret-word", "realm": "", "login_url": ""}
    refused = client.submit(f"{address}/credentials/new", {**given, "user_name": ""})
    assert refused.status_code == 422
    assert client.submit(f"{address}/credentials/new", given).status_code == 303
    form = {"kind": "form", "login_url": "nowhere", "fields": "password=s3cret-word"}
    wrong = client.submit(f"{address}/credentials/new", form)
    assert wrong.status_code == 422
    for page in (
        refused.text,
        wrong.text,
        client.get(f"{address}/configurations").text,
        client.get("/administration/audit").text,
    ):
        assert "s3cret" not in page


def test_aliases_are_set_renewed_and_summed_up(site: RunningSite) -> None:
    client = site.signed_in()
    first, second = made(client, "a.fr"), made(client, "b.fr")
    assert client.submit(f"{first}/alias", {"alias_of": "a.fr"}).status_code == 422
    assert client.submit(f"{first}/alias", {"alias_of": "b.fr"}).status_code == 303
    assert "a.fr" in client.get(f"{second}/configurations").text
    assert "a.fr" in client.get("/planning/aliases?state=live").text
    assert client.submit(f"{first}/alias/renew").status_code == 303
    assert client.submit(f"{first}/alias/remove").status_code == 303


def test_a_pasted_list_is_taken_in_with_a_report(site: RunningSite) -> None:
    client = site.signed_in()
    answer = client.submit("/planning/imports", {"name": "registry", "lines": "a.fr\r\nno domain\r\nb.fr"})
    assert answer.status_code == 303
    report = client.get(answer.headers["location"]).text
    assert "no domain" in report
    assert "neither the name of a domain" in report
    assert "registry" in client.get("/planning/imports").text


def test_the_page_of_an_import_says_how_far_it_is(site: RunningSite) -> None:
    client, imports = site.signed_in(), site.house.domains.imports
    begun = imports.begin(SYSTEM, "registry", "registry")
    assert "is being read: 0 lines" in client.get(f"/planning/imports/{begun.id}").text
    imports.read(begun, ["a.fr", "no domain"])
    assert "1 of 2 lines are done" in client.get(f"/planning/imports/{begun.id}").text


def test_who_may_only_look_changes_nothing(site: RunningSite) -> None:
    number = site.house.domains.create(SYSTEM, "bnf.fr").id
    reader = site.signed_in("rea", Role.READER)
    assert reader.get("/planning/domains").status_code in {200, 403}
    assert reader.submit(f"/planning/domains/{number}/edit", {"comments": "x"}).status_code == 403
    assert reader.submit("/planning/imports", {"lines": "a.fr"}).status_code == 403


def test_programs_do_the_same_by_the_api(site: RunningSite) -> None:
    owner = site.house.accounts.get(site.account("program", Role.ADMINISTRATOR))
    scopes = [Permission.PLANNING_VIEW, Permission.PLANNING_EDIT]
    secret = site.house.tokens.create(SYSTEM, owner, "test", scopes, None).secret
    client = site.client()
    client.headers["authorization"] = f"Bearer {secret}"
    created = client.post("/api/domains", json={"name": "bnf.fr"})
    assert created.status_code == 201, created.text
    address = f"/api/domains/{created.json()['id']}"
    changed = client.patch(address, json={"comments": "by a program", "edition": 1})
    assert (changed.status_code, changed.json()["edition"]) == (200, 2)
    assert client.patch(address, json={"comments": "late", "edition": 1}).status_code == 422
    assert client.get("/api/domains?name=*.fr").json()["items"][0]["name"] == "bnf.fr"
    (configuration,) = client.get(f"{address}/configurations").json()
    assert configuration["profile_name"] == "domain"
    assert client.get("/api/domains/statistics").json()[0]["name"] == "fr"
    given = {"name": "small", "profile": configuration["profile"], "seed_lists": configuration["seed_lists"]}
    small = client.post(f"{address}/configurations", json=given).json()["id"]
    chosen = client.put(f"{address}/default-configuration", json={"configuration": small})
    assert chosen.json()["default_configuration"] == small
    client.post("/api/domains", json={"name": "bl.uk"})
    assert client.post(f"{address}/alias/renew").status_code == 422
    assert client.put(f"{address}/alias", json={"of": "bl.uk"}).status_code == 200
    assert client.post(f"{address}/alias/renew").status_code == 200
    (alias,) = client.get("/api/aliases").json()["items"]
    assert (alias["name"], alias["of_name"]) == ("bnf.fr", "bl.uk")
    assert client.get("/api/aliases?live=false").json()["total"] == 0
