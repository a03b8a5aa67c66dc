"""The pages and the API of the transfer, the mapping and findings."""

import pytest

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.selection.model import Budget, Frequency
from tests.integration.selection.transfer.handing import Office
from tests.integration.selection.transfer.test_transfer import settled
from tests.site import Client, RunningSite


@pytest.fixture
def curator(site: RunningSite) -> Client:
    return site.signed_in("grace", Role.CURATOR)


@pytest.fixture
def administrator(site: RunningSite) -> Client:
    return site.signed_in("root", Role.ADMINISTRATOR)


def test_the_preview_shows_groups_and_a_transfer_its_log(office: Office, curator: Client) -> None:
    made = office.library.record("https://news.example/", title="The <News>")
    office.library.record("https://music.example/", office.library.arts)
    page = curator.get("/selection/transfer").text
    assert "2 records were compared" in page
    assert "The &lt;News&gt;" in page
    assert "Press · monthly" in page
    narrowed = curator.get(f"/selection/transfer?collection={office.library.arts.id}&kind=made").text
    assert "The &lt;News&gt;" not in narrowed
    assert "music.example" in narrowed
    assert "Nothing to do" in curator.get("/selection/transfer?kind=conflict").text
    begun = curator.submit("/selection/transfer", {"collection": ""})
    assert begun.status_code == 303
    assert begun.headers["location"] == "/selection/transfer/runs/1"
    office.forget_tasks()
    assert "Waiting" in curator.get("/selection/transfer/runs/1").text
    office.house.transfer.transfers.carry_out(1)
    part = curator.get("/selection/transfer/runs/1", headers={"x-part": "1"}).text
    assert "Done" in part
    assert f"/selection/records/{made.id}" in part
    assert "Transfer 1" in curator.get("/selection/transfer/runs").text
    domain = office.configuration(made.id).domain
    assert f'href="/selection/records/{made.id}"' in curator.get(f"/planning/domains/{domain}").text


def test_a_conflict_is_settled_on_the_page(office: Office, curator: Client) -> None:
    made = office.library.record("https://news.example/")
    office.transfer()
    found = office.configuration(made.id)
    office.house.domains.configurations.change(SYSTEM, found.domain, found.id, settled(found, max_objects=77))
    page = curator.get("/selection/transfer?kind=conflict").text
    assert "until you decide" in page
    curator.submit(f"/selection/transfer/records/{made.id}/settle", {"side": "planning"})
    assert "Nothing to do" in curator.get("/selection/transfer").text


def test_the_mapping_names_its_gaps_and_is_changed(office: Office, administrator: Client) -> None:
    page = administrator.get("/selection/mapping").text
    assert "Every allowed combination has a profile and a harvest." in page
    assert "5,000" in page
    wrong = administrator.submit("/selection/mapping/rules/new", {"budget": "small", "max_bytes": "much"})
    assert wrong.status_code == 422
    assert "Write a size as" in wrong.text
    wrong = administrator.submit(
        "/selection/mapping/rules/new", {"depth": "page", "overrides": '{"colour": "red"}', "profile": "page"}
    )
    assert wrong.status_code == 422
    twice = administrator.submit("/selection/mapping/rules/new", {"budget": "small", "max_objects": "1"})
    assert "for the same choices already" in twice.text
    values = {"budget": "small", "frequency": "daily", "max_bytes": "1.5 GB", "profile": "news-daily"}
    assert administrator.submit("/selection/mapping/rules/new", values).status_code == 303
    (rule,) = office.rows("SELECT * FROM selection_rule WHERE frequency = 'daily'")
    assert (rule["max_bytes"], rule["profile"]) == (1_500_000_000, "news-daily")
    assert "news-daily" in administrator.get("/selection/mapping?frequency=daily").text
    assert "1500 MB" in administrator.get(f"/selection/mapping/rules/{rule['id']}").text
    assert administrator.submit(f"/selection/mapping/rules/{rule['id']}/remove").status_code == 303
    office.rows("DELETE FROM selection_rule WHERE depth = 'page+2' RETURNING id")
    assert "No rule of the mapping says" in administrator.get("/selection/mapping").text


def test_a_collection_gets_another_harvest(office: Office, administrator: Client) -> None:
    address = f"/selection/mapping/targets/{office.library.press.id}/monthly"
    page = administrator.get(address).text
    assert "Press · monthly" in page
    wrong = administrator.submit(address, {"harvest": "make", "name": "", "schedule": "monthly"})
    assert wrong.status_code == 422
    values = {"harvest": "make", "name": "Newspapers", "schedule": "weekly", "automatic": "yes"}
    assert administrator.submit(address, values).status_code == 303
    office.library.record("https://news.example/", frequency=Frequency.MONTHLY)
    office.transfer()
    assert len(office.members("Newspapers")) == 1
    assert "Newspapers" in administrator.get("/selection/mapping").text
    assert (
        administrator.get(f"/selection/mapping/targets/{office.library.press.id}/hourly").status_code == 404
    )


def test_findings_are_noted_listed_and_closed(office: Office, site: RunningSite, curator: Client) -> None:
    made = office.library.record("https://news.example/", title="News")
    address = f"/selection/records/{made.id}/findings"
    assert curator.submit(address, {"text": ""}).status_code == 422
    assert curator.submit(address, {"text": "No pictures.", "proposal": "More depth."}).status_code == 303
    page = curator.get("/selection/findings").text
    assert "No pictures." in page
    assert "More depth." in page
    (finding,) = office.rows("SELECT * FROM selection_finding")
    assert curator.submit(f"/selection/findings/{finding['id']}/close").status_code == 303
    assert "No pictures." not in curator.get("/selection/findings").text
    assert "No pictures." in curator.get("/selection/findings?state=done").text
    assert "closed by grace" in curator.get(address).text
    reader = site.signed_in("rob", Role.MANAGER)
    assert reader.submit(address, {"text": "No sound."}).status_code == 403


def test_who_may_only_look_changes_nothing(office: Office, site: RunningSite) -> None:
    reader = site.signed_in("lib", Role.LIBRARIAN)
    assert reader.get("/selection/transfer").status_code == 200
    assert reader.submit("/selection/transfer").status_code == 403
    assert reader.get("/selection/mapping").status_code == 200
    assert reader.get("/selection/mapping/rules/new").status_code == 403
    assert office.rows("SELECT * FROM selection_transfer") == []


def test_programs_do_the_same(office: Office, administrator: Client) -> None:
    made = office.library.record("https://news.example/", budget=Budget.MEDIUM)
    token = administrator.token("/account")
    headers = {"x-csrf-token": token}
    preview = administrator.get("/api/transfers/preview").json()
    assert [(one["kind"], one["record"]) for one in preview["items"]] == [("made", made.id)]
    begun = administrator.post("/api/transfers", json={}, headers=headers)
    assert (begun.status_code, begun.json()["state"]) == (202, "waiting")
    office.house.transfer.transfers.carry_out(begun.json()["id"])
    shown = administrator.get(f"/api/transfers/{begun.json()['id']}").json()
    assert (shown["state"], shown["counts"]["made"]) == ("done", 1)
    lines = administrator.get(f"/api/transfers/{shown['id']}/lines?kind=made").json()
    assert lines["total"] == 1
    rule = {"budget": "medium", "max_objects": 7}
    assert administrator.put("/api/mapping/rules", json=rule, headers=headers).json()["max_objects"] == 7
    assert administrator.get("/api/transfers/preview").json()["items"][0]["kind"] == "changed"
    mapping = administrator.get("/api/mapping").json()
    assert mapping["gaps"] == []
    assert {one["max_objects"] for one in mapping["rules"] if one["budget"] == "medium"} == {7}
    target = {
        "collection": office.library.press.id,
        "frequency": "daily",
        "name": "Daily",
        "schedule": "daily",
    }
    assert administrator.put("/api/mapping/targets", json=target, headers=headers).status_code == 200
    noted = administrator.post("/api/findings", json={"record": made.id, "text": "Odd."}, headers=headers)
    assert noted.status_code == 201
    closed = administrator.post(f"/api/findings/{noted.json()['id']}/close", headers=headers)
    assert closed.json()["done"] is True
    assert administrator.get("/api/findings").json()["total"] == 0
