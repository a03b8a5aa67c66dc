"""The API of viewings."""

from collections.abc import Iterator

import pytest

from armarium.accounts.model import Role
from armarium.planning.harvests.service import Harvests
from tests.integration.access.viewings.world import ViewerWorld
from tests.site import Client, RunningSite, running_site

HOME = "/api/access/viewings"
PAGE, PICTURE = "http://a.example/gone", "http://a.example/logo.png"


@pytest.fixture
def site(there: ViewerWorld) -> Iterator[RunningSite]:
    there.job("a.example")
    there.job("b.example")
    with running_site(there.database, there.home) as running:
        yield running
        running.house.close()


def program(site: RunningSite, name: str, role: Role) -> Client:
    client = site.signed_in(name, role)
    client.headers["x-csrf-token"] = client.token("/account")
    return client


def test_a_program_does_what_the_pages_do(there: ViewerWorld, site: RunningSite) -> None:
    cora = program(site, "cora", Role.CURATOR)
    made = cora.post(HOME, json={"jobs": [1], "title": "First"})
    assert made.status_code == 201
    number = made.json()["id"]
    assert (made.json()["name"], made.json()["jobs"]) == (f"viewing-{number}", [1])
    there.viewings.note_missing(number, PAGE, "", "")
    there.viewings.note_missing(number, PICTURE, "", PAGE)
    there.viewings.notes.flush()
    listed = cora.get(f"{HOME}/{number}/missing?kind=image").json()
    assert [(one["url"], one["referrer"]) for one in listed["items"]] == [(PICTURE, PAGE)]
    profile = there.handing.harvests.profiles()[0][0]
    order = {"missing": [listed["items"][0]["id"]], "name": "Gaps", "profile": profile, "activate": False}
    handed = cora.post(f"{HOME}/{number}/hand-over", json=order).json()
    assert handed["lines"] == [{"url": PICTURE, "result": "taken", "reason": ""}]
    assert there.services.get(Harvests).named("Gaps").id == handed["harvest"]
    rest = {"harvest": handed["harvest"], "profile": profile}
    assert len(cora.post(f"{HOME}/{number}/hand-over", json=rest).json()["lines"]) == 1
    seen = cora.get(f"{HOME}/{number}").json()
    assert (seen["open"], seen["handed"]) == (0, 2)
    assert cora.delete(f"{HOME}/{number}/missing").json() == {"cleared": 2}
    word = cora.post(f"{HOME}/{number}/proxy-word").json()
    assert there.viewings.by_proxy_word(number, word["word"]) is not None
    assert word["user"] == f"viewing-{number}"


def test_only_what_shall_change_is_named(site: RunningSite) -> None:
    cora = program(site, "cora", Role.CURATOR)
    number = cora.post(HOME, json={"run": 1, "title": "All", "note": "n"}).json()["id"]
    changed = cora.patch(f"{HOME}/{number}", json={"jobs": [2], "recording": False}).json()
    assert (changed["jobs"], changed["title"], changed["note"], changed["recording"]) == (
        [2],
        "All",
        "n",
        False,
    )
    ended = cora.patch(f"{HOME}/{number}", json={"ended": True}).json()
    assert ended["ended_at"] is not None
    assert cora.patch(f"{HOME}/{number}", json={"ended": False}).json()["ended_at"] is None
    refused: tuple[dict[str, object], ...] = (
        {"job": [1]},
        {"jobs": [0]},
        {"jobs": []},
        {"title": "x" * 201},
        {"jobs": [99]},
    )
    for wrong in refused:
        assert cora.patch(f"{HOME}/{number}", json=wrong).status_code == 422


def test_a_librarian_has_their_own_and_does_not_plan(site: RunningSite) -> None:
    cora, lea = program(site, "cora", Role.CURATOR), program(site, "lea", Role.LIBRARIAN)
    theirs = cora.post(HOME, json={"jobs": [1]}).json()["id"]
    own = lea.post(HOME, json={"jobs": [1]}).json()["id"]
    assert [one["id"] for one in lea.get(f"{HOME}?everybody=true").json()["items"]] == [own]
    assert {one["id"] for one in cora.get(f"{HOME}?everybody=true").json()["items"]} == {theirs, own}
    assert [one["id"] for one in cora.get(HOME).json()["items"]] == [theirs]
    assert lea.get(f"{HOME}/{theirs}").status_code == 404
    assert lea.get(f"{HOME}/{theirs}/missing").status_code == 404
    assert lea.post(f"{HOME}/{own}/hand-over", json={"name": "x", "profile": 1}).status_code == 403
    manager = program(site, "max", Role.MANAGER)
    assert manager.get(HOME).status_code == 403
