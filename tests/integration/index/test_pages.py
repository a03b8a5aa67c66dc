"""The pages and the API of the index, as librarians and curators use them."""

import gzip
import re
from collections.abc import Iterator

import pytest

from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.index.imports import Imports
from tests.integration.index.world import NEWS, World
from tests.site import Client, RunningSite, running_site

LOOKUP = "/index/lookup"


@pytest.fixture
def site(world: World) -> Iterator[RunningSite]:
    with running_site(world.database, world.home) as site:
        yield site
        site.house.close()


@pytest.fixture
def ada(site: RunningSite) -> Client:
    return site.signed_in("ada", Role.ADMINISTRATOR)


def captures_on(page: str) -> int:
    return len(re.findall(r"<tr>\s*<th scope=\"row\" class=\"whole\">", page))


ASKED = {
    "url=www.example.org/news": 4,
    "url=www.example.org/news&from=2026": 2,
    "url=www.example.org/news&to=2024-10": 1,
    "url=www.example.org/news&status=2xx": 4,
    "url=www.example.org/news&status=404": 0,
    "url=www.example.org/news&mime=html&order=newest": 4,
    "url=www.example.org/news&closest=20241101": 4,
    "url=www.example.org/n*": 4,
    "url=www.example.org&match=host": 8,
    "url=*.example.org": 12,
    "url=nothing.example": 0,
}


def test_captures_are_looked_up_in_every_way(ada: Client) -> None:
    for query, count in ASKED.items():
        page = ada.get(f"{LOOKUP}?{query}")
        assert (query, page.status_code, captures_on(page.text)) == (query, 200, count)
    nearest = ada.get(f"{LOOKUP}?url={NEWS}&closest=20241101").text
    assert nearest.index("attic-2024-11-1") < nearest.index("attic-2024-03-0")
    assert "Find captures" in ada.get(LOOKUP).text


def test_answers_come_in_pages_and_questions_without_one_are_explained(
    ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for query in ("from=x", "status=many", "match=all", "closest=1&match=host", "resume=nowhere"):
        page = ada.get(f"{LOOKUP}?url=www.example.org&{query}")
        assert (query, page.status_code) == (query, 422)
        assert 'role="alert"' in page.text
    assert ada.get(f"{LOOKUP}?url=x&collection=nobody").status_code == 404
    monkeypatch.setattr("armarium.index.captures.pages.SHOWN", 5)
    seen, href = 0, f"{LOOKUP}?url=*.example.org"
    for _ in range(3):
        text = ada.get(href).text
        seen += captures_on(text)
        found = re.search(r'href="([^"]+)" rel="next"', text)
        href = found[1].replace("&amp;", "&") if found else ""
    assert (seen, href) == (12, "")


def test_captures_are_drawn_by_month_and_lead_to_their_records(ada: Client) -> None:
    page = ada.get(f"{LOOKUP}?url={NEWS}").text
    assert "January 2026, captures: 2" in page
    assert "2025" in page
    assert ada.get(f"{LOOKUP}?url={NEWS}&csv=by-year").text.split() == [
        *(",Found", "(2xx)"),
        *("2024,2", "2025,0", "2026,2"),
    ]
    [href] = re.findall(r'href="([^"]+)" aria-label="January 2026', page)
    assert captures_on(ada.get(href.replace("&amp;", "&")).text) == 2
    assert "Captures by month" not in ada.get(f"{LOOKUP}?url=*.example.org").text
    page = ada.get(f"{LOOKUP}?url={NEWS}&to=2024-03").text
    [record] = re.findall(r'href="(/storage/files/named/[^"]+/records/\d+)"', page)
    assert NEWS.encode() in gzip.decompress(ada.get(record).content)


def test_the_chain_shows_its_figures_takes_orders_and_is_made_anew_if_one_is_sure(
    ada: Client, world: World
) -> None:
    page = ada.get("/index/chain").text
    assert "4 of 4 files indexed" in page
    assert "4 parts" in page
    captures = ada.get("/index/chain?csv=indexed").text.splitlines()
    assert sum(int(row.split(",")[1]) for row in captures[1:]) == 12
    for order in ("merge", "big-merge", "paths"):
        assert ada.submit(f"/index/chain/{order}").status_code == 303
    world.chain.merge_days()
    world.chain.merge_big(now=True)
    part = ada.get("/index/chain", headers={"X-Part": "1"}).text
    assert "Full merge of the index" in part
    assert "<html" not in part
    assert ada.get("/index/chain/rebuild").status_code == 200
    assert ada.submit("/index/chain/rebuild").status_code == 422
    assert world.chain.lookup().closest(NEWS, "2026") is not None
    assert ada.submit("/index/chain/rebuild", {"sure": "yes"}).status_code == 303
    assert captures_on(ada.get(f"{LOOKUP}?url={NEWS}").text) == 4  # by the old runs, until then


def test_a_file_that_failed_is_shown_with_its_error_and_tried_again(ada: Client, world: World) -> None:
    world.take("2026-05")
    number = world.fail("attic-2026-05-0", "It is <b>no</b> WARC.")
    page = ada.get("/index/chain").text
    assert "It is &lt;b&gt;no&lt;/b&gt; WARC." in page
    part = ada.get(f"/index/files/{number}", headers={"X-Part": "1"}).text
    assert part.lstrip().startswith("<section")
    assert ada.submit(f"/index/chain/files/{number}/retry").status_code == 303
    assert "Retry all" not in ada.get("/index/chain").text
    assert ada.submit(f"/index/chain/files/{number}/retry").status_code == 422
    world.fail("attic-2026-05-0", "Again.")
    assert ada.submit("/index/chain/retry").status_code == 303
    assert "Waiting" in ada.get(f"/index/files/{number}").text
    assert ada.get("/index/files/99999").status_code == 404


def test_a_collection_is_made_filled_changed_and_stopped(ada: Client, world: World) -> None:
    assert "Everything" in ada.get("/index/collections").text
    assert "Import 1" in ada.get("/index/collections/new").text
    bad = {"name": "Big Name", "harvests": "3"}
    assert ada.submit("/index/collections/new", bad).status_code == 422
    assert ada.submit("/index/collections/new", {"name": "x", "harvests": "three"}).status_code == 422
    assert ada.submit("/index/collections/new", {"name": "x"}).status_code == 422
    made = ada.submit("/index/collections/new", {"name": "attic", "title": "Attic", "accessions": "1"})
    address = made.headers["location"]
    world.chain.collections.fill(int(address.rpartition("/")[2]))
    assert ">4<" in ada.get(address, headers={"X-Part": "1"}).text
    assert captures_on(ada.get(f"{LOOKUP}?url={NEWS}&collection=attic").text) == 4
    saved = ada.submit(address, {"title": "Loft", "accessions": "1", "seen": "1"})
    assert saved.status_code == 303
    stale = ada.submit(address, {"title": "Roof", "accessions": "1", "seen": "1"})
    assert (stale.status_code, "Somebody else" in stale.text) == (422, True)
    assert ada.submit(f"{address}/stop").status_code == 303
    assert "Inactive" in ada.get(address).text
    assert ada.submit(f"{address}/start").status_code == 303


def test_an_imported_index_is_looked_up_apart_and_outlives_merges(ada: Client, world: World) -> None:
    foreign = world.home / "foreign.cdxj"
    foreign.write_text(
        'org,example)/old 19990101000000 {"url": "http://example.org/old", "filename": "x.arc"}\n'
    )
    imports = Imports.of(world.services)
    imports.take(SYSTEM, [foreign], "elsewhere")
    collection, report = imports.take(SYSTEM, [foreign], "elsewhere")  # takes the place of the first
    assert (report.taken, collection.name) == (1, "import-elsewhere")
    world.chain.merge_days()
    world.chain.merge_big(now=True)
    asked = f"{LOOKUP}?url=example.org/old"
    assert captures_on(ada.get(asked).text) == 0
    assert captures_on(ada.get(f"{asked}&collection=import-elsewhere").text) == 1
    address = f"/index/collections/{collection.id}"
    assert "An index made elsewhere." in ada.get(address).text
    assert ada.submit(f"{address}/start").status_code == 422
    assert ada.submit("/index/collections/new", {"name": "import-me", "harvests": "1"}).status_code == 422


def test_who_may_not_manage_the_index_sees_no_buttons(site: RunningSite) -> None:
    lea = site.signed_in("lea", Role.LIBRARIAN)
    for path in ("/index/chain", "/index/collections", "/index/collections/1", LOOKUP):
        page = lea.get(path)
        assert (page.status_code, 'action="/index/chain' in page.text) == (200, False)
    assert "/storage/files/named/" not in lea.get(f"{LOOKUP}?url={NEWS}").text
    assert lea.submit("/index/chain/merge").status_code == 403
    assert lea.get("/index/collections/new").status_code == 403


def test_the_search_box_finds_what_this_person_may_see(site: RunningSite, ada: Client) -> None:
    site.account("lea", Role.READER, Role.LIBRARIAN)
    lea = site.signed_in("zoe", Role.LIBRARIAN)
    found = ada.get(f"/find?q={NEWS}").text
    assert found.count('href="/access/go?to=') == 4
    assert 'href="/index/collections/1"' in ada.get("/find?q=main").text
    assert 'href="/storage/files/' in ada.get("/find?q=attic-2024").text
    assert 'href="/storage/files/' not in ada.get("/find?q=ttic-2024").text  # by the beginning alone
    assert 'href="/administration/settings#web.port"' in ada.get("/find?q=web.port").text
    assert 'href="/administration/accounts/' in ada.get("/find?q=lea").text
    assert 'href="/access/go?to=' in lea.get(f"/find?q={NEWS}").text
    for words in ("web.port", "lea", "attic-2024"):
        assert 'href="/administration/' not in lea.get(f"/find?q={words}").text
        assert 'href="/storage/files/' not in lea.get(f"/find?q={words}").text


def test_programs_look_up_steer_and_make_collections(ada: Client) -> None:
    asked = "/api/index/captures?url=example.org&matchType=domain"
    everything = ada.get(asked).json()
    assert (len(everything["items"]), everything["resume"]) == (12, None)
    first = ada.get(f"{asked}&limit=10").json()
    rest = ada.get(asked, params={"url": "example.org", "matchType": "domain", "resumeKey": first["resume"]})
    assert first["items"] + rest.json()["items"] == everything["items"]
    lines = ada.get(f"{asked}&output=cdxj&limit=2")
    assert (lines.text.count("\n"), 'rel="next"' in lines.headers["link"]) == (2, True)
    columns = ada.get(f"{asked}&output=cdx11&filter=!=status:404&filter=~url:.*news&collapse=urlkey").text
    assert columns.splitlines()[0] == " CDX N b a m s k r M S V g"
    assert len(columns.splitlines()) == 2
    for wrong in ("filter=nothing", "collapse=!", "sort=closest", "filter=~url:(", "from=x"):
        assert (wrong, ada.get(f"{asked}&{wrong}").status_code) == (wrong, 422)
    assert ada.get("/api/index/chain").json()["indexed"] == 4
    assert ada.get("/api/index/files?state=indexed").json()["total"] == 4
    assert ada.get("/api/index/chain/steps").json()["total"] == 0
    token = {"X-CSRF-Token": ada.token("/account")}
    address = "/api/index/collections"
    made = ada.post(address, json={"name": "attic", "accessions": [1]}, headers=token)
    assert made.status_code == 201
    one = f"{address}/{made.json()['id']}"
    changed = ada.patch(one, json={"title": "Attic", "active": False}, headers=token).json()
    assert (changed["title"], changed["active"], changed["accessions"]) == ("Attic", False, [1])
    stale = ada.patch(one, json={"title": "x", "edition": 1}, headers=token)
    assert stale.status_code == 422
    assert ada.get(address).json()["total"] == 2
    merging = ada.post("/api/index/chain/merge", headers=token)
    assert (merging.status_code, merging.json()) == (202, {"asked": True})
    assert ada.post("/api/index/chain/merge", headers=token).json() == {"asked": False}
