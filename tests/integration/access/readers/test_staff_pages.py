"""The staff's pages, API and commands about readers and use."""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from armarium.access.model import Reader
from armarium.access.readers.cookies import Purpose, Seals
from armarium.access.settings import AccessSettings
from armarium.access.statistics.counting import LiveUses
from armarium.accounts.model import Profile, Role
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from tests.site import PASSWORD, Client, RunningSite, running_site

READERS, USE = "/access/readers", "/access/use"
TODAY = clock.now().date()
YEAR = {"first_day": TODAY.isoformat(), "last_day": (TODAY + timedelta(days=364)).isoformat()}


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path) as running:
        running.account("amelie", Role.READER)
        running.account("boris", Role.READER)
        yield running


@pytest.fixture
def carla(site: RunningSite) -> Client:
    return site.signed_in("carla", Role.CURATOR)


def test_a_curator_accredits_renews_and_ends(carla: Client) -> None:
    assert "Nobody is accredited yet" in carla.get(READERS).text
    new = f"{READERS}/new"
    wrong = carla.submit(new, {"name": "nobody", **YEAR}, page=new)
    assert wrong.status_code == 422
    assert "There is no account named nobody." in wrong.text
    assert (
        carla.submit(new, {"name": "amelie", **YEAR, "note": "card <b>4711</b>"}, page=new).status_code == 303
    )
    page = carla.get(READERS).text
    assert "amelie is accredited until" in page
    assert "card &lt;b&gt;4711&lt;/b&gt;" in page
    one = f"{READERS}/1"
    soon = (TODAY + timedelta(days=3)).isoformat()
    carla.submit(one, {**YEAR, "last_day": soon, "note": ""}, page=one)
    assert "1 accreditation ends within 30 days." in carla.get(READERS).text
    assert "amelie" in carla.get(f"{READERS}?state=soon").text
    assert carla.submit(one, {**YEAR, "last_day": "never"}, page=one).status_code == 422
    carla.submit(f"{one}/end", page=one)
    assert "Accredit again" in carla.get(one).text
    assert "Ended by carla" in carla.get(one).text


def test_a_list_is_tried_first_and_taken_in_then(carla: Client) -> None:
    there = f"{READERS}/import"
    good = f"amelie;{YEAR['first_day']};{YEAR['last_day']};card 1\r\nboris;{TODAY};{TODAY};"
    bad = carla.submit(there, {"list": f"{good}\r\nnobody;x;y", "do": "import"}, page=there)
    assert "1 line must be corrected first." in bad.text
    assert "Accredit them" not in bad.text
    tried = carla.submit(there, {"list": good, "do": "try"}, page=there)
    assert "2 lines, all ready to import." in tried.text
    assert "Nobody is accredited yet" in carla.get(READERS).text
    carla.submit(there, {"list": good, "do": "import"}, page=there)
    page = carla.get(READERS).text
    assert "Readers accredited: 2." in page
    assert "2 accreditations" in page


def test_the_api_does_what_the_pages_do(carla: Client) -> None:
    headers = {"X-CSRF-Token": carla.token("/account")}
    added = carla.post(f"/api{READERS}", json={"name": "amelie", **YEAR}, headers=headers)
    assert added.status_code == 201
    assert added.json()["state"] == "valid"
    overlap = carla.post(f"/api{READERS}", json={"name": "amelie", **YEAR}, headers=headers)
    assert (overlap.status_code, overlap.json()["field"]) == (422, "first_day")
    one = f"/api{READERS}/{added.json()['id']}"
    assert carla.patch(one, json={"last_day": str(TODAY)}, headers=headers).json()["state"] == "soon"
    assert carla.post(f"{one}/end", headers=headers).json()["state"] == "ended"
    lines = [{"name": name, **YEAR} for name in ("boris", "nobody")]
    tried = carla.post(f"/api{READERS}/import", json={"lines": lines}, headers=headers).json()
    assert (tried["done"], tried["lines"][1]["problem"]) == (False, "There is no account named nobody.")
    assert carla.get(f"/api{READERS}").json()["total"] == 1


def test_readers_are_for_who_may_accredit_and_use_for_all_who_may_see(site: RunningSite) -> None:
    manager = site.signed_in("manuela", Role.MANAGER)
    assert manager.get(READERS).status_code == 403
    assert manager.get(USE).status_code == 200
    assert manager.get(f"/api{USE}").status_code == 200
    researcher = site.signed_in("rosa", Role.RESEARCHER)
    for path in (READERS, USE, f"{USE}.csv", f"/api{USE}", f"/api{READERS}"):
        assert researcher.get(path).status_code == 403


def test_use_is_drawn_listed_and_downloaded(carla: Client, database: Database) -> None:
    assert "No figures for this time" in carla.get(USE).text
    uses = LiveUses(database, "UTC")
    for _ in range(6):
        uses.note("page", "shown", collection="all", reader=Reader(), size=1000, domain="www.example.org")
    uses.note("page", "restricted", collection="news", reader=Reader())
    uses.note("visit", "shown", collection="all", reader=Reader())
    uses.flush()
    page = carla.get(USE).text
    for word in ("example.org", "Pages per day", "6.0", "Elsewhere", "restricted"):
        assert word in page
    assert "Pages per month" in carla.get(f"{USE}?by=month").text
    assert "example.org" not in carla.get(f"{USE}?collection=news").text
    table = carla.get(f"{USE}?csv=pages").text.splitlines()
    assert table[0] == ",Shown,Missing or restricted"
    assert table[-1] == f"{TODAY},6,1"
    assert (
        f'<th scope="row">Elsewhere</th><td>{carla.get(f"{USE}?csv=networks").text.split(",")[-1].strip()}'
        in page
    )
    lines = carla.get(f"{USE}.csv").text.splitlines()
    assert lines[0] == "day,collection,kind,outcome,network,times,bytes"
    assert f"{TODAY},all,page,shown,,6,6000" in lines
    found = carla.get(f"/api{USE}").json()
    assert found["over_time"][-1] == {"begin": str(TODAY), "visits": 1, "pages": 6, "refused": 1}


@pytest.mark.parametrize("query", ["from=yesterday", "from=2026-02-01&to=2026-01-01"])
def test_days_that_are_none_are_told(carla: Client, query: str) -> None:
    assert carla.get(f"{USE}?{query}").status_code == 422
    assert carla.get(f"/api{USE}?{query}").status_code == 422


def test_staff_go_to_the_readers_site_with_a_ticket(carla: Client, site: RunningSite) -> None:
    answer = carla.get("/access/go?to=/viewing-17/http://example.org/%3Fa%3Db")
    assert answer.status_code == 303
    assert answer.headers["referrer-policy"] == "no-referrer"
    where = urlsplit(answer.headers["location"])
    asked = parse_qs(where.query)
    assert f"{where.scheme}://{where.netloc}" == AccessSettings().reading
    assert where.path == "/-/enter"
    assert asked["to"] == ["/viewing-17/http://example.org/?a=b"]
    facts = Seals(site.house.vault.derived("reading")).opened(Purpose.STAFF, asked["ticket"][0])
    assert facts is not None
    assert carla.get("/access/go?to=https://evil.example/").headers["location"].endswith("to=%2F")
    assert site.client().get("/access/go").headers["location"].startswith("/sign-in")


def test_the_figures_of_the_api_are_plain_json(carla: Client) -> None:
    assert json.loads(carla.get(f"/api{USE}").text)["kinds"] == []


@pytest.mark.parametrize(
    ("role", "where"),
    [(Role.READER, "/access/welcome"), (Role.RESEARCHER, "/access/welcome"), (Role.LIBRARIAN, "/")],
)
def test_a_one_time_link_leads_readers_to_their_own_site(site: RunningSite, role: Role, where: str) -> None:
    accounts = site.house.accounts
    rita = accounts.create(SYSTEM, Profile("rita", "Rita", "", "", frozenset({role})))
    link = f"/welcome/{accounts.password_link(SYSTEM, rita.id).key}"
    client = site.client()
    values = {"password": PASSWORD, "repeat": PASSWORD}
    assert client.submit(link, values, page=link).headers["location"] == where
    welcome = client.get("/access/welcome")
    assert welcome.headers["refresh"] == "0; url=/access/go"
    reading = site.house.settings[AccessSettings].reading
    assert client.get("/access/go").headers["location"].startswith(f"{reading}/-/enter?ticket=")
    assert 'href="/access/go"' in client.get("/").text
