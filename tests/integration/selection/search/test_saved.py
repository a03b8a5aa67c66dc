"""Saved searches: private, shared, copied, handed over; and all of it by page and API."""

from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.core.errors import Forbidden, NotFound, Refused
from armarium.db.database import Database
from armarium.selection.permissions import shell_editor
from armarium.selection.search.model import Question, Shared, Sharing
from armarium.selection.search.service import Search, Searches
from tests.integration.selection.bulk.desk import logged, many
from tests.integration.selection.world import World, world
from tests.site import Client, RunningSite, running_site

LYON = Question.parse("q=lyon&state=refused&order=title")


def test_a_private_search_is_seen_by_its_owner_only(library: World) -> None:
    searches = Searches(library.database)
    made = searches.save(library.ada, " Lyon  refused ", LYON)
    assert (made.name, Question.parse(made.query), made.owner_name) == ("Lyon refused", LYON, "ada")
    assert [one.id for one in searches.visible(library.ada)] == [made.id]
    assert searches.visible(library.ben) == []
    with pytest.raises(NotFound):
        searches.get(library.ben, made.id)
    with pytest.raises(NotFound):
        searches.delete(library.cora, made.id)
    with pytest.raises(Refused, match="already"):
        searches.save(library.ada, "Lyon refused", Question())
    with pytest.raises(Refused) as refused:
        searches.save(library.ada, "  ", Question())
    assert refused.value.field == "name"


def test_a_saved_search_finds_by_the_name_of_a_theme(library: World) -> None:
    one = library.record("https://one.example/", theme=library.press.themes[1].id)
    library.record("https://two.example/")
    made = Searches(library.database).save(library.ada, "Opinions", Question.parse("theme=opinion"))
    assert Search(library.database).numbers(Question.parse(made.query)) == [one.id]


def test_a_shared_search_is_used_and_copied_but_not_changed(library: World) -> None:
    searches = Searches(library.database)
    everybody = searches.save(library.ada, "All", LYON, Sharing(Shared.EVERYBODY))
    press = searches.save(library.ada, "Press", LYON, Sharing(Shared.COLLECTION, library.press.id))
    assert [one.id for one in searches.visible(library.ben)] == [everybody.id]
    assert {one.id for one in searches.visible(library.cora)} == {everybody.id, press.id}
    verbs: list[Callable[[], object]] = [
        lambda: searches.change(library.ben, everybody.id, name="Mine"),
        lambda: searches.delete(library.ben, everybody.id),
        lambda: searches.hand_over(library.ben, everybody.id, "ben"),
    ]
    for verb in verbs:
        with pytest.raises(Forbidden, match="belongs to ada"):
            verb()
    assert logged(library, "selection.denied") == [("ben", "All")] * 3
    copy = searches.copy(library.ben, everybody.id)
    assert (copy.owner_name, copy.shared, copy.query) == ("ben", Shared.NOBODY, everybody.query)
    with pytest.raises(Refused, match="belong to"):
        searches.change(library.ben, copy.id, sharing=Sharing(Shared.COLLECTION, library.press.id))


def test_a_search_is_renamed_handed_over_and_deleted(library: World) -> None:
    searches = Searches(library.database)
    made = searches.save(library.ada, "One", LYON)
    searches.save(library.ada, "Two", LYON)
    with pytest.raises(Refused, match="already"):
        searches.change(library.ada, made.id, name="Two")
    changed = searches.change(library.ada, made.id, name="Three", question=Question(active=False))
    assert (changed.name, changed.query) == ("Three", "active=no")
    with pytest.raises(Refused, match="no account"):
        searches.hand_over(library.ada, made.id, "zoe")
    assert searches.hand_over(library.ada, made.id, "BEN").owner_name == "ben"
    assert [one.name for one in searches.visible(library.ben)] == ["Three"]
    searches.delete(library.ben, made.id)
    assert searches.visible(library.ben) == []
    actions = ("search.saved", "search.changed", "search.handed_over", "search.deleted")
    assert [len(logged(library, action)) for action in actions] == [2, 1, 1, 1]


@pytest.fixture
def here(database: Database) -> World:
    return world(database)


@pytest.fixture
def site(here: World, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(here.database, tmp_path / "home") as running:
        yield running


def librarian(site: RunningSite, here: World) -> Client:
    client = site.signed_in("lia", Role.LIBRARIAN)
    here.collections.set_members(SYSTEM, here.press.id, [site.house.accounts.named("lia").id])
    return client


def program(site: RunningSite, *scopes: Permission) -> httpx.Client:
    owner = site.house.accounts.named("lia")
    secret = site.house.tokens.create(SYSTEM, owner, "test", frozenset(scopes), None).secret
    return httpx.Client(base_url=f"{site.address}/api", headers={"Authorization": f"Bearer {secret}"})


def test_the_pages_save_change_and_delete_searches(site: RunningSite, here: World) -> None:
    client = librarian(site, here)
    many(here, 2)
    assert "2 records" in client.get("/selection/records?title=&q=site").text
    saved = client.submit("/selection/searches", {"name": "Sites", "query": "q=site&order=title"})
    assert saved.headers["location"] == "/selection/records?q=site&order=title"
    shown = client.get("/selection/searches").text
    assert "Text: site" in shown
    number = Searches(here.database).named(shell_editor(SYSTEM), "Sites").id
    assert client.submit(f"/selection/searches/{number}", {"name": "", "shared": "nobody"}).status_code == 422
    wrong = client.submit(f"/selection/searches/{number}/hand-over", {"to": "zoe"})
    assert wrong.status_code == 422
    changed = client.submit(f"/selection/searches/{number}", {"name": "Places", "shared": "everybody"})
    assert changed.status_code == 303
    assert "Places" in client.get("/selection/records").text
    assert client.submit(f"/selection/searches/{number}/delete").status_code == 303
    assert client.get(f"/selection/searches/{number}").status_code == 404
    bad = client.get("/selection/records?budget=huge&created_from=never")
    assert bad.status_code == 422
    assert "none of" in bad.text


def test_the_list_keeps_the_columns_of_a_person_and_exports_what_is_seen(
    site: RunningSite, here: World
) -> None:
    client = librarian(site, here)
    one, other = many(here, 2)
    here.records.change_fields(here.cora, one.id, {"title": "=A formula"})
    shown = client.get("/selection/records").text
    assert f'name="number" value="{one.id}"' in shown
    assert "Edit selected" in shown  # the bar that appears with the first selected row
    assert ">Frequency</a>" in shown
    assert ">Budget</a>" not in shown
    client.submit("/preferences", {"list": "records", "column": ["state", "budget"], "back": "/"})
    shown = client.get("/selection/records").text
    assert ">Budget</a>" in shown
    assert ">Frequency</a>" not in shown
    told = client.get(f"/selection/records?number={one.id}&number={other.id}&order=number&export=csv").text
    assert told.splitlines()[0] == "Number,Title,Address,Budget,State"
    assert [line.split(",")[:2] for line in told.splitlines()[1:]] == [
        [str(one.id), "'=A formula"],
        [str(other.id), other.title],
    ]


def test_the_search_box_finds_records_collections_and_searches(site: RunningSite, here: World) -> None:
    client = librarian(site, here)
    one, *_ = many(here, 8)
    client.submit("/selection/searches", {"name": "Press of ours", "query": "q=site"})
    found = client.get("/find", params={"q": "press"}).text
    assert f'href="/selection/collections/{here.press.id}"' in found
    assert 'href="/selection/records?q=site"' in found
    assert f'href="/selection/records/{one.id}"' in client.get("/find", params={"q": str(one.id)}).text
    several = client.get("/find", params={"q": "example"}).text
    assert several.count('href="/selection/records/') == 6
    assert 'href="/selection/records?q=example"' in several


def test_the_pages_tick_preview_apply_and_undo(site: RunningSite, here: World) -> None:
    client = librarian(site, here)
    one, other = many(here, 2)
    nothing = client.get("/selection/bulk/new", params={"which": "ticked", "search": "q=site"})
    assert nothing.headers["location"] == "/selection/records?q=site"
    shown = client.get("/selection/bulk/new", params={"number": [one.id], "which": "ticked"}).text
    assert "Edit 1 record" in shown
    query = f"number={one.id}&number={other.id}"
    empty = client.submit("/selection/bulk", {"query": query})
    assert empty.status_code == 422
    assert "Choose at least one field" in empty.text
    made = client.submit("/selection/bulk", {"query": query, "language": "fr", "responsible": "nobody"})
    place = made.headers["location"]
    assert "2 records will change" in client.get(place).text
    assert client.submit(f"{place}/apply").status_code == 303
    assert here.records.get(one.id).language == "fr"
    assert client.submit(f"{place}/undo").status_code == 303
    assert here.records.get(one.id).language == ""
    assert "Undone by lia" in client.get(place).text
    assert client.submit(f"{place}/undo").status_code == 422


def test_readers_of_selection_edit_nothing(site: RunningSite, here: World) -> None:
    (one,) = many(here, 1)
    client = site.signed_in("mara", Role.MANAGER)
    assert client.get("/selection/records").status_code == 200
    assert client.get(f"/selection/bulk/new?number={one.id}").status_code == 403


def test_the_api_searches_saves_and_edits(site: RunningSite, here: World) -> None:
    librarian(site, here)
    mine, theirs = many(here, 2), many(here, 1, here.arts, host="arts")
    api = program(site, Permission.SELECTION_VIEW, Permission.SELECTION_EDIT)
    found = api.get("/records", params={"q": "example", "order": "number", "limit": 2}).json()
    assert ([one["id"] for one in found["items"]], found["total"]) == ([one.id for one in mine], 3)
    assert api.get("/records", params={"state": "lost"}).status_code == 422
    saved = api.post("/searches", json={"name": "Arts", "query": f"collection={here.arts.id}"}).json()
    assert saved["query"] == f"collection={here.arts.id}"
    assert [one["name"] for one in api.get("/searches").json()] == ["Arts"]
    given = {"query": "q=example", "frequency": "daily"}
    made = api.post("/bulk", json=given).json()
    assert (made["state"], made["changing"], made["refused"]) == ("ready", 2, 1)
    rows = api.get(f"/bulk/{made['id']}/records", params={"verdict": "not-yours"}).json()
    assert [row["record"] for row in rows] == [theirs[0].id]
    assert api.post(f"/bulk/{made['id']}/apply").json()["changed"] == 2
    assert logged(here, "selection.denied") == [("lia", "Arts")]
    assert here.records.get(theirs[0].id).frequency.value == "monthly"
    assert api.post(f"/bulk/{made['id']}/undo").json()["restored"] == 2
    assert api.post("/bulk", json={"records": [], "active": False}).status_code == 422
    assert api.delete(f"/searches/{saved['id']}").status_code == 204
    reader = program(site, Permission.SELECTION_VIEW)
    assert reader.post("/bulk", json=given).status_code == 403
