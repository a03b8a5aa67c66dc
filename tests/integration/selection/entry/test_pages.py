"""The pages and the API of entry."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.selection.collections.model import Choices
from armarium.selection.collections.service import Collections
from armarium.selection.entry import tables
from tests.integration.selection.entry.desk import BROKEN, OPEN, WEB, titled
from tests.site import Client, RunningSite, running_site
from tests.sites.paths import moved, paths
from tests.sites.serving import Site

PICTURE = b"\xff\xd8\xff picture"


@pytest.fixture
def web() -> Iterator[Site]:
    answers = {"/news": titled("<i>News</i>"), "/old": moved("/new"), "/new": titled("New"), "/bad": BROKEN}
    with paths(answers, host=WEB) as site:
        yield site


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    environ = {
        "ARMARIUM_ENTRY_ALLOWED_RANGES": OPEN,
        "ARMARIUM_ENTRY_PICTURES": "false",
        "ARMARIUM_ENTRY_PAUSE": "0",
    }
    with running_site(database, tmp_path, **environ) as running:
        yield running


@pytest.fixture
def press(site: RunningSite) -> int:
    collections = Collections(site.house.database)
    made = collections.create(SYSTEM, Choices("Press"), themes=["News"], default_theme="News")
    return made.id


def librarian(site: RunningSite, press: int, name: str = "lia", *, member: bool = True) -> Client:
    client = site.signed_in(name, Role.LIBRARIAN)
    if member:
        number = site.house.accounts.named(name).id
        Collections(site.house.database).set_members(SYSTEM, press, [number])
    return client


def run(site: RunningSite, path: str) -> int:
    number = int(path.rpartition("/")[2])
    site.house.selection.checks.run(number)
    return number


def entered(client: Client, site: RunningSite, press: int, *addresses: str) -> str:
    answer = client.submit("/selection/enter", {"collection": press, "addresses": "\n".join(addresses)})
    assert answer.status_code == 303, answer.text
    run(site, answer.headers["location"])
    return answer.headers["location"]


def test_lines_are_ticked_and_become_records(site: RunningSite, press: int, web: Site) -> None:
    client = librarian(site, press)
    path = entered(client, site, press, f"{web.address}news", f"{web.address}old", f"{web.address}bad")
    shown = client.get(path).text
    ticks = re.findall(r'name="line" value="(\d+)"( checked)?', shown)
    assert [bool(checked) for _, checked in ticks] == [True, True]
    assert "&lt;i&gt;News&lt;/i&gt;" in shown
    assert "The server answers with an error. (500)" in shown
    theme = Collections(site.house.database).get(press).themes[0].id
    values: dict[str, object] = {
        "line": [number for number, _ in ticks],
        f"address-{ticks[1][0]}": f"{web.address}old",
        "theme": theme,
        "budget": "small",
        "frequency": "monthly",
        "depth": "host",
        "responsible": "",
    }
    refused = client.submit(path, {**values, "theme": ""})
    assert refused.status_code == 422
    assert f'value="{web.address}old" checked' in refused.text
    assert client.submit(path, values).status_code == 303
    after = client.get(path).text
    assert len(re.findall(r"Record \d+", after)) == 2
    assert "No addresses are left to create records from." in after


def test_a_single_address_is_filled_in_and_leads_to_its_record(
    site: RunningSite, press: int, web: Site
) -> None:
    client = librarian(site, press)
    path = entered(client, site, press, f"{web.address}new")
    shown = client.get(path).text
    assert 'name="title" type="text" value="New"' in shown
    assert 'name="language" type="text" value="fr"' in shown
    [(number, _)] = re.findall(r'name="line" value="(\d+)"( checked)?', shown)
    theme = Collections(site.house.database).get(press).themes[0].id
    values = {"line": number, "theme": theme, "budget": "small", "frequency": "monthly", "depth": "host"}
    made = client.submit(path, {**values, "title": "Another title", "language": "en"})
    assert made.status_code == 303
    record = site.house.selection.records.get(int(made.headers["location"].rpartition("/")[2]))
    assert (record.title, record.language, record.check) == ("Another title", "en", int(number))
    evidence = client.get(f"/selection/checks/{record.check}")
    assert f"Record {record.id}" in evidence.text


def test_the_form_of_a_record_is_filled_in_by_a_check_and_keeps_it(
    site: RunningSite, press: int, web: Site
) -> None:
    client = librarian(site, press)
    path = entered(client, site, press, f"{web.address}new")
    found = re.search(r'href="(/selection/records/new\?check=(\d+))"', client.get(path).text)
    assert found
    form = client.get(found[1]).text
    assert 'value="New"' in form
    assert f'name="check" value="{found[2]}"' in form
    theme = Collections(site.house.database).get(press).themes[0].id
    values = {"collection": press, "theme": theme, "budget": "small", "frequency": "monthly", "depth": "host"}
    other = client.submit("/selection/records/new", {**values, "address": "other.example", "check": found[2]})
    made = client.submit(
        "/selection/records/new", {**values, "address": f"{web.address}new", "check": found[2]}
    )
    numbers = [int(answer.headers["location"].rpartition("/")[2]) for answer in (other, made)]
    checks = [site.house.selection.records.get(number).check for number in numbers]
    assert checks == [None, int(found[2])]  # what was not looked at is not justified
    assert f"Record {numbers[1]}" in client.get(path).text


def test_wrong_input_is_told_and_kept(site: RunningSite, press: int) -> None:
    client = librarian(site, press)
    assert client.submit("/selection/enter", {"collection": press, "addresses": ""}).status_code == 422
    answer = client.submit("/selection/enter", {"collection": "x", "addresses": "a.example"})
    assert answer.status_code == 422
    assert "a.example</textarea>" in answer.text
    assert client.get("/selection/enter/999999").status_code == 404
    assert client.get("/selection/checks/999999").status_code == 404


def test_who_is_no_member_enters_nothing(site: RunningSite, press: int, web: Site) -> None:
    librarian(site, press)
    stranger = librarian(site, press, "otto", member=False)
    answer = stranger.submit("/selection/enter", {"collection": press, "addresses": f"{web.address}news"})
    assert answer.status_code == 403
    assert "You are not a member of any collection" in stranger.get("/selection/enter").text
    reader = site.signed_in("rita", Role.MANAGER)
    assert reader.get("/selection/enter").status_code == 403


def test_pictures_are_served_as_nothing_but_pictures(site: RunningSite, press: int, web: Site) -> None:
    client = librarian(site, press)
    path = entered(client, site, press, f"{web.address}news")
    [line] = site.house.selection.checks.lines(int(path.rpartition("/")[2]))
    address = f"/selection/checks/{line.check.id}/picture"
    assert client.get(address).status_code == 404
    with site.house.database.transaction() as connection:
        values = {"picture": PICTURE, "picture_state": "taken"}
        tables.checks.update(connection, line.check.id, **values)
    answer = client.get(address)
    assert (answer.status_code, answer.content) == (200, PICTURE)
    assert answer.headers["content-type"] == "image/jpeg"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["cache-control"].startswith("private")
    assert address in client.get(path).text


def test_a_record_is_checked_again_from_its_panel(site: RunningSite, press: int, web: Site) -> None:
    client = librarian(site, press)
    path = entered(client, site, press, f"{web.address}news")
    checks = site.house.selection.checks
    [line] = checks.lines(int(path.rpartition("/")[2]))
    record = made_of(client, path, line.check.id, site, press)
    panel = f"/selection/records/{record}/panels/check"
    assert "Answers" in client.get(panel).text
    assert client.submit(f"/selection/records/{record}/check").status_code == 303
    assert "Being checked" in client.get(panel).text
    assert "Checking …" in client.get(f"/selection/records/{record}").text


def made_of(client: Client, path: str, check: int, site: RunningSite, press: int) -> int:
    theme = Collections(site.house.database).get(press).themes[0].id
    values = {"line": check, "theme": theme, "budget": "small", "frequency": "monthly", "depth": "host"}
    return int(client.submit(path, values).headers["location"].rpartition("/")[2])


def test_the_api_does_the_same(site: RunningSite, press: int, web: Site) -> None:
    librarian(site, press)
    owner = site.house.accounts.named("lia")
    scopes = frozenset({Permission.SELECTION_VIEW, Permission.SELECTION_EDIT})
    secret = site.house.tokens.create(SYSTEM, owner, "test", scopes, None).secret
    api = httpx.Client(base_url=f"{site.address}/api", headers={"Authorization": f"Bearer {secret}"})
    made = api.post("/check-batches", json={"collection": press, "addresses": [f"{web.address}old", "a\nb"]})
    assert made.status_code == 201, made.text
    number = made.json()["id"]
    assert not made.json()["finished"]
    checks = site.house.selection.checks
    checks.run(number)
    lines = api.get(f"/check-batches/{number}").json()["lines"]
    assert [line["state"] for line in lines] == ["redirects", "invalid"]
    assert lines[0]["choices"] == [f"{web.address}old", f"{web.address}new"]
    theme = Collections(site.house.database).get(press).themes[0].id
    given = {"theme": theme, "budget": "small", "frequency": "monthly", "depth": "host"}
    wanted = {"lines": [{"check": lines[0]["id"], "address": f"{web.address}old"}], **given}
    records = api.post(f"/check-batches/{number}/records", json=wanted)
    assert records.status_code == 201, records.text
    assert records.json()[0]["check"] == lines[0]["id"]
    assert api.get(f"/checks/{lines[0]['id']}").json()["record"] == records.json()[0]["id"]
    assert api.post(f"/records/{records.json()[0]['id']}/check").status_code == 201
    bad = {"lines": [{"check": lines[1]["id"]}], **given}
    assert api.post(f"/check-batches/{number}/records", json=bad).status_code == 422
