"""The pages and the API of viewings, as librarians and curators use them."""

import csv
import html
import io
import re
from collections.abc import Iterator

import pytest

from armarium.access.viewings.model import OPERATOR
from armarium.accounts.model import Role
from armarium.planning.harvests.service import Harvests
from tests.integration.access.viewings.world import ViewerWorld
from tests.site import Client, RunningSite, running_site

PAGES = ["http://a.example/", "http://a.example/news"]
MISSING = ("http://a.example/gone", "http://a.example/logo.png", "http://b.example/<b>.css")
HOME = "/access/viewings"


@pytest.fixture
def site(there: ViewerWorld) -> Iterator[RunningSite]:
    there.harvested("a.example", PAGES)
    with running_site(there.database, there.home) as running:
        yield running
        running.house.close()


@pytest.fixture
def cora(site: RunningSite) -> Client:
    return site.signed_in("cora", Role.CURATOR)


def begun(client: Client, **values: object) -> int:
    answer = client.submit(HOME, {"jobs": "1", **values})
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].rpartition("/")[2])


def numbers(page: str) -> dict[str, str]:
    """Of missing addresses, by the number behind each tick."""
    found = re.findall(r'name="missing" value="(\d+)"[^>]*aria-label="([^"]+)"', page)
    return {html.unescape(url): number for number, url in found}


def test_from_the_page_of_a_job_one_begins_to_look(there: ViewerWorld, cora: Client) -> None:
    assert 'data-panel="/access/panels/job/1"' in cora.get("/harvesting/jobs/1").text
    panel = cora.get("/access/panels/job/1", headers={"X-Part": "1"}).text
    assert "2 captures in 2 files" in panel
    assert "Start viewing" in panel
    number = begun(cora)
    page = cora.get(f"{HOME}/{number}").text
    assert f"/access/go?to=%2Fviewing-{number}%2F" in page
    assert "Nothing missing so far" in page
    again = cora.get("/access/panels/job/1", headers={"X-Part": "1"}).text
    assert f"/access/go?to=%2Fviewing-{number}%2Fhttp%3A%2F%2Fa.example%2F" in again
    assert "Start viewing" not in again
    assert "<html" not in again
    assert "<html" in cora.get("/access/panels/job/1").text


def test_the_list_is_narrowed_and_exported_as_it_is_seen(cora: Client) -> None:
    ended, _ = begun(cora, title="Front page"), begun(cora, title="Archive", note="of the front row")
    cora.submit(f"{HOME}/{ended}/end")
    cora.get(HOME)  # takes the notice away
    shown = cora.get(f"{HOME}?q=FRONT&state=open").text
    assert "Archive" in shown
    assert "Front page" not in shown
    assert "No viewing found" in cora.get(f"{HOME}?q=nothing+like+it").text
    rows = cora.get(f"{HOME}?state=ended&export=csv").text.splitlines()
    assert [row.split(",")[:4] for row in rows[1:]] == [["Front page", "Ended", "cora", "1"]]


def test_a_job_that_brought_nothing_says_so(there: ViewerWorld, cora: Client) -> None:
    there.job("b.example")
    assert "No captures in the archive yet" in cora.get("/access/panels/job/2").text


def test_who_may_not_use_the_viewer_finds_none_of_it(site: RunningSite, cora: Client) -> None:
    number = begun(cora)
    manager = site.signed_in("max", Role.MANAGER)
    assert "data-panel" not in manager.get("/harvesting/jobs/1").text
    assert "View captures" not in manager.get("/harvesting/runs/1").text
    for path in (
        HOME,
        f"{HOME}/new",
        f"{HOME}/{number}",
        "/access/panels/job/1",
        f"{HOME}/{number}/missing.txt",
    ):
        assert manager.get(path).status_code == 403
    assert manager.submit(HOME, {"jobs": "1"}).status_code == 403


def test_the_viewings_of_others_are_not_there_for_a_librarian(site: RunningSite, cora: Client) -> None:
    number = begun(cora)
    lea = site.signed_in("lea", Role.LIBRARIAN)
    for path in ("", "/edit", "/jobs", "/jobs/1", "/missing.csv"):
        assert lea.get(f"{HOME}/{number}{path}").status_code == 404
    for path in ("/chosen", "/recording", "/clear", "/edit", "/end", "/proxy-word"):
        assert lea.submit(f"{HOME}/{number}{path}", {"jobs": "1", "missing": "1"}).status_code == 404
    assert "Everybody" not in lea.get(HOME).text
    assert "No viewings yet" in lea.get(f"{HOME}?of=everybody").text
    mine = begun(lea)
    assert f"{HOME}/{mine}" in cora.get(f"{HOME}?of=everybody").text
    assert f"{HOME}/{mine}" not in cora.get(HOME).text
    assert "Viewing by lea." in cora.get(f"{HOME}/{mine}").text


def test_what_was_typed_wrong_is_said_at_its_field(cora: Client) -> None:
    for values, told in (
        ({"jobs": "one"}, "is not a job number"),
        ({"jobs": ""}, "Choose at least one job"),
        ({"jobs": "77"}, "There is no job with the number 77"),
        ({"run": "x"}, "not the number of a run"),
    ):
        answer = cora.submit(HOME, {"jobs": "", **values})
        assert answer.status_code == 422
        assert told in answer.text
    assert cora.submit(HOME, {"run": "99"}).status_code == 404


def test_a_run_is_looked_at_as_a_whole(there: ViewerWorld, cora: Client) -> None:
    there.job("b.example")
    assert "View captures" in cora.get("/harvesting/runs/1").text
    answer = cora.submit(HOME, {"run": "1"})
    number = int(answer.headers["location"].rpartition("/")[2])
    page = cora.get(f"{HOME}/{number}/jobs").text
    assert "Files of job 1" in page
    assert "Files of job 2" in page
    assert "/access/go?to=%2Fviewing-1%2Fhttp%3A%2F%2Fa.example%2F" in page


def test_missing_addresses_are_listed_filtered_and_exported(there: ViewerWorld, cora: Client) -> None:
    number = begun(cora)
    there.miss(there.viewings.page(OPERATOR, limit=1)[0][0], *MISSING, referrer="http://a.example/")
    page = cora.get(f"{HOME}/{number}").text
    assert set(numbers(page)) == {*MISSING[:2], "http://b.example/%3Cb%3E.css"}
    assert set(numbers(cora.get(f"{HOME}/{number}?kind=image").text)) == {MISSING[1]}
    assert set(numbers(cora.get(f"{HOME}/{number}?domain=b.example").text)) == {
        "http://b.example/%3Cb%3E.css"
    }
    assert "No missing address matches" in cora.get(f"{HOME}/{number}?referrer=elsewhere").text
    assert cora.get(f"{HOME}/{number}?kind=none&standing=never").status_code == 200
    text = cora.get(f"{HOME}/{number}/missing.txt?kind=page")
    assert text.text == f"{MISSING[0]}\n"
    assert "attachment" in text.headers["content-disposition"]
    rows = list(csv.DictReader(io.StringIO(cora.get(f"{HOME}/{number}/missing.csv").text)))
    assert {row["url"] for row in rows} == set(numbers(page))
    assert {(row["times"], row["referrer"], row["harvest"]) for row in rows} == {
        ("1", "http://a.example/", "")
    }
    part = cora.get(f"{HOME}/{number}", headers={"X-Part": "1"}).text
    assert "<html" not in part
    assert set(numbers(part)) == set(numbers(page))


def test_chosen_ones_are_handed_over_and_shown_as_handed(there: ViewerWorld, cora: Client) -> None:
    number = begun(cora)
    there.miss(there.viewings.page(OPERATOR, limit=1)[0][0], *MISSING)
    page = cora.get(f"{HOME}/{number}").text
    [profile] = re.findall(r'<option value="(\d+)">page:', page)
    order = {"do": "hand-over", "name": "Gaps", "profile": profile, "megabytes": "100", "harvest": ""}
    nothing = cora.submit(f"{HOME}/{number}/chosen?standing=open", order)
    assert (nothing.status_code, "Choose at least one address" in nothing.text) == (422, True)
    chosen = {**order, "missing": numbers(page)[MISSING[1]]}
    nameless = cora.submit(f"{HOME}/{number}/chosen?standing=open", {**chosen, "name": ""})
    assert (nameless.status_code, "Name the new harvest" in nameless.text) == (422, True)
    assert re.search(rf'value="{chosen["missing"]}" checked', nameless.text)
    handed = cora.submit(f"{HOME}/{number}/chosen?standing=open", chosen)
    assert (handed.status_code, "Added to the harvest Gaps" in handed.text) == (200, True)
    harvest = there.services.get(Harvests).named("Gaps")
    assert f"/planning/harvests/{harvest.id}" in handed.text
    assert set(numbers(cora.get(f"{HOME}/{number}?standing=handed").text)) == {MISSING[1]}
    more = {"do": "hand-over", "harvest": harvest.id, "profile": profile, "all": "yes"}
    rest = cora.submit(f"{HOME}/{number}/chosen?standing=open&domain=b.example", more)
    assert rest.status_code == 200
    assert set(numbers(cora.get(f"{HOME}/{number}").text)) == {MISSING[0]}
    assert f"/planning/harvests/{harvest.id}" in cora.get(f"{HOME}/{number}?standing=all").text


def test_a_librarian_notes_but_does_not_plan(there: ViewerWorld, site: RunningSite) -> None:
    lea = site.signed_in("lea", Role.LIBRARIAN)
    number = begun(lea)
    there.miss(there.viewings.page(OPERATOR, limit=1)[0][0], *MISSING)
    page = lea.get(f"{HOME}/{number}").text
    assert "Hand over</button>" not in page
    assert "a colleague who plans harvests" in page
    order = {"do": "hand-over", "all": "yes", "name": "Gaps", "profile": "1"}
    assert lea.submit(f"{HOME}/{number}/chosen", order).status_code == 403


def test_chosen_ones_are_forgotten_and_the_list_is_cleared(there: ViewerWorld, cora: Client) -> None:
    number = begun(cora)
    there.miss(there.viewings.page(OPERATOR, limit=1)[0][0], *MISSING)
    one = numbers(cora.get(f"{HOME}/{number}").text)[MISSING[0]]
    assert cora.submit(f"{HOME}/{number}/chosen", {"do": "forget", "missing": one}).status_code == 303
    assert len(numbers(cora.get(f"{HOME}/{number}").text)) == 2
    answer = cora.submit(f"{HOME}/{number}/chosen?kind=style", {"do": "forget", "all": "yes"})
    assert answer.headers["location"] == f"{HOME}/{number}?standing=open&kind=style"
    assert set(numbers(cora.get(f"{HOME}/{number}").text)) == {MISSING[1]}
    cora.submit(f"{HOME}/{number}/clear")
    assert numbers(cora.get(f"{HOME}/{number}").text) == {}


def test_recording_starts_and_stops_and_a_viewing_ends_and_opens_again(cora: Client) -> None:
    number = begun(cora)
    cora.submit(f"{HOME}/{number}/recording", {"on": "no"})
    assert "Start recording" in cora.get(f"{HOME}/{number}").text
    cora.submit(f"{HOME}/{number}/recording", {"on": "yes"})
    assert "Stop recording" in cora.get(f"{HOME}/{number}").text
    cora.submit(f"{HOME}/{number}/end")
    ended = cora.get(f"{HOME}/{number}").text
    assert ("/access/go?to=" in ended, "Open again" in ended) == (False, True)
    cora.submit(f"{HOME}/{number}/reopen")
    assert "/access/go?to=" in cora.get(f"{HOME}/{number}").text


def test_jobs_title_and_note_are_changed(there: ViewerWorld, cora: Client) -> None:
    there.job("b.example")
    number = begun(cora)
    values = {"jobs": "1-2", "title": "Both <i>", "note": "compare"}
    assert cora.submit(f"{HOME}/{number}/edit", values).status_code == 303
    page = cora.get(f"{HOME}/{number}/edit").text
    assert "Both &lt;i&gt;" in page
    assert re.search(r"<textarea[^>]*>\s*1-2</textarea>", page)
    assert cora.submit(f"{HOME}/{number}/edit", {"jobs": "99"}).status_code == 422


def test_what_the_crawler_wrote_about_the_job_is_listed_and_downloaded(
    there: ViewerWorld, site: RunningSite, cora: Client
) -> None:
    there.harvested("b.example", ["http://b.example/"])
    number = begun(cora)
    page = cora.get(f"{HOME}/{number}/jobs/1").text
    links = dict(re.findall(r'href="(/access/viewings/\d+/jobs/1/metadata/[^"]+)" download>([^<]+)<', page))
    titles = {title: link for link, title in links.items()}
    assert set(titles) == {"setup/order.json", "logs/crawl.log", "reports/hosts-report.txt"}
    log = cora.get(titles["logs/crawl.log"])
    assert log.text == "2026-11-15T12:00:00.000Z 200 12 http://a.example/\n"
    assert log.headers["content-disposition"] == 'attachment; filename="job-1-crawl.log"'
    assert log.headers["x-content-type-options"] == "nosniff"
    assert cora.get(titles["logs/crawl.log"].rpartition("/")[0] + "/1").status_code == 404
    assert re.search(r'href="/storage/files/\d+/content"', page)
    lea = site.signed_in("lea", Role.LIBRARIAN)
    own = begun(lea)
    seen = lea.get(f"{HOME}/{own}/jobs/1").text
    assert "/storage/files/" not in seen
    assert lea.get(titles["logs/crawl.log"].replace(f"/{number}/", f"/{own}/", 1)).text == log.text
    # Neither a job that is not among those of the viewing, nor a file with captures.
    assert lea.get(f"{HOME}/{own}/jobs/2").status_code == 404
    assert (
        lea.get(titles["logs/crawl.log"].replace(f"/{number}/jobs/1/", f"/{own}/jobs/2/")).status_code == 404
    )
    captures = "1_1-20261115120000000-00000-captures.warc.gz"
    assert lea.get(f"{HOME}/{own}/jobs/1/metadata/{captures}/0").status_code == 404


def test_the_word_for_the_proxy_is_shown_once(there: ViewerWorld, cora: Client, site: RunningSite) -> None:
    number = begun(cora)
    assert "This archive runs no proxy" in cora.get(f"{HOME}/{number}/edit").text
    answer = cora.submit(f"{HOME}/{number}/proxy-word")
    assert answer.status_code == 200
    assert cora.get(f"{HOME}/{number}/edit").status_code == 200
    ada = site.signed_in("ada", Role.ADMINISTRATOR)
    assert ada.submit(f"{HOME}/{number}/proxy-word").status_code == 303
    assert "Only the owner of a viewing" in ada.get(f"{HOME}/{number}/edit").text
