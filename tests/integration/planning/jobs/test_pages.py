"""The pages and the API of jobs, and who may do what there."""

import hashlib

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.planning.jobs import queries
from armarium.planning.model import JobState
from tests.integration.planning.jobs.world import NOON, STATUS, World, state_of, world_in
from tests.site import RunningSite

S = JobState


class Jobs:
    """One job in each of the states that have something to show."""

    def __init__(self, world: World) -> None:
        known = world.domain("example.fr")
        self.harvest, self.run, self.domain, self.configuration = world.harvest, world.run, *known
        self.running = world.job(S.STARTED, reported_at=NOON)
        self.failed = world.job(S.FAILED, error="The lease expired five times.", ended_at=NOON)
        self.waiting = world.job(S.NEW)
        self.done = world.job(S.DONE, ended_at=NOON, objects=10)
        for number in (self.running, self.failed, self.waiting, self.done):
            world.holds(number, known)
            world.order(
                number, [("http://example.fr/", "example.fr"), ("http://www.example.fr/", "example.fr")]
            )
        world.samples(self.running, 10)
        world.attempt(self.failed, end="expired")
        world.file(self.done, "arrived.warc.gz")
        world.file(self.done, "strange.warc.gz", "The archive has another of this name.")
        world.by_catch(self.done, "cdn.example")


@pytest.fixture
def jobs(database: Database) -> Jobs:
    with database.transaction() as connection:
        return Jobs(world_in(connection))


def test_a_paused_job_says_so_and_an_ended_one_gives_its_last_figures(
    site: RunningSite, database: Database, jobs: Jobs
) -> None:
    report = {"phase": "crawling", "report": {**STATUS, "state": "paused"}, "tail": []}
    with database.transaction() as connection:
        for number in (jobs.running, jobs.done):
            queries.change(connection, number, report=report, reported_at=NOON)
    client = site.signed_in("lib", Role.LIBRARIAN)
    of = "/harvesting/jobs"
    paused = client.get(f"{of}/{jobs.running}").text
    assert "Paused" in paused
    assert "Crawling" not in paused
    assert "Estimating" not in paused
    ended = client.get(f"{of}/{jobs.done}").text
    assert "the crawl did not report its end" in ended
    assert "Paused" not in ended
    assert "Under way" in client.get(f"/harvesting/runs/{jobs.run}").text


def test_a_job_whose_files_are_not_taken_says_so_while_it_runs(
    site: RunningSite, database: Database, jobs: Jobs
) -> None:
    report = {"phase": "uploading", "report": {**STATUS, "upload_trouble": "It said (413)."}, "tail": []}
    with database.transaction() as connection:
        for number in (jobs.running, jobs.done):
            queries.change(connection, number, report=report, reported_at=NOON)
    client = site.signed_in("lib", Role.LIBRARIAN)
    for page in ("", ""):
        assert "It said (413)." in client.get(f"/harvesting/jobs/{jobs.running}{page}").text
        assert "It said (413)." not in client.get(f"/harvesting/jobs/{jobs.done}{page}").text


def test_every_page_is_shown_to_a_viewer_without_any_button_that_changes(
    site: RunningSite, jobs: Jobs
) -> None:
    client = site.signed_in("lib", Role.LIBRARIAN)
    of = "/harvesting/jobs"
    pages = {
        of: "Sites of the day",
        f"{of}?q=example.fr": "Job 1",
        f"{of}?jobs=nonsense": "Enter job numbers",
        f"{of}/{jobs.failed}": "Collectors repeatedly stopped responding",
        f"{of}/{jobs.running}": "1,250 of 2,050 known addresses",
        f"{of}/{jobs.waiting}": "None of the collectors that serve the channel",
        f"{of}/{jobs.done}/configurations?reason=none": "example.fr",
        f"{of}/{jobs.done}/seeds": "http://www.example.fr/",
        f"{of}/{jobs.done}/order": "robots = &#34;obey&#34;",
        f"{of}/{jobs.done}/files": "arrived.warc.gz",
        f"{of}/{jobs.done}/files?page=1": "The archive has another of this name.",
        f"{of}/{jobs.done}/by-catch": "cdn.example",
        "/harvesting/running": "Sites of the day",
        "/harvesting/running?domain=www.example.fr": f"Job {jobs.running}",
        f"/planning/domains/{jobs.domain}/history": "Jobs: 4",
        f"/planning/configurations/{jobs.configuration}/history": "Jobs: 4",
        f"/planning/harvests/{jobs.harvest}/history": f"/harvesting/runs/{jobs.run}",
        f"/harvesting/runs/{jobs.run}": "Jobs by state",
        f"/planning/harvests/{jobs.harvest}/history?csv=objects": "1,10",
    }
    for path, expected in pages.items():
        answer = client.get(path)
        assert answer.status_code == 200, path
        assert expected in answer.text, path
        main = answer.text.partition("<main")[2].partition("</main>")[0]
        assert 'method="post"' not in main.replace('method="post" action="/preferences"', ""), path


def test_a_viewer_can_neither_steer_nor_resubmit(site: RunningSite, jobs: Jobs, database: Database) -> None:
    client = site.signed_in("lib", Role.LIBRARIAN)
    for path, values in (
        (f"/harvesting/jobs/{jobs.running}/command", {"verb": "terminate"}),
        (f"/harvesting/jobs/{jobs.waiting}/priority", {"priority": "9"}),
        ("/harvesting/jobs/chosen", {"job": str(jobs.failed), "do": "reject"}),
    ):
        assert client.submit(path, values).status_code == 403
    assert state_of(database, jobs.failed) == "failed"


def test_only_the_live_part_of_a_page_comes_when_it_is_asked_for(site: RunningSite, jobs: Jobs) -> None:
    client = site.signed_in()
    for path in (
        "/harvesting/jobs",
        "/harvesting/running",
        f"/harvesting/jobs/{jobs.failed}",
        f"/harvesting/jobs/{jobs.running}",
        f"/harvesting/jobs/{jobs.done}/files",
        f"/planning/domains/{jobs.domain}/history",
    ):
        part = client.get(path, headers={"X-Part": "1"})
        assert part.status_code == 200
        assert "<html" not in part.text


def test_several_jobs_are_changed_from_the_list(site: RunningSite, jobs: Jobs, database: Database) -> None:
    client = site.signed_in("eng", Role.ENGINEER)
    values = {
        "job": [str(jobs.failed), str(jobs.done)],
        "do": "reject",
        "back": "/harvesting/jobs?state=failed",
    }
    answer = client.submit("/harvesting/jobs/chosen", values)
    assert answer.headers["location"] == "/harvesting/jobs?state=failed"
    assert "Not changed because of their state: 1." in client.get("/harvesting/jobs").text
    assert state_of(database, jobs.failed) == "rejected"


def test_a_filter_is_previewed_before_it_is_added(site: RunningSite, jobs: Jobs, database: Database) -> None:
    client = site.signed_in("eng", Role.ENGINEER)
    page = f"/harvesting/jobs/{jobs.running}"
    values = {"verb": "filter", "pattern": "/calendar/", "domain": "example.fr", "do": "preview"}
    assert client.submit(f"/harvesting/jobs/{jobs.running}/command", values).status_code == 303
    assert "Waiting for the next heartbeat" in client.get(page).text
    with database.transaction() as connection:
        connection.exec_driver_sql(
            "UPDATE job_command SET answered_at = now(), accepted = true, "
            """answer = '{"queued": 123, "samples": ["http://example.fr/calendar/1"]}'"""
        )
    shown = client.get(page).text
    assert "Would remove 123 queued addresses" in shown
    assert "http://example.fr/calendar/1" in shown
    assert "Add this filter now" in shown


def test_the_last_three_commands_are_shown_and_earlier_ones_folded(site: RunningSite, jobs: Jobs) -> None:
    client, page = site.signed_in("eng", Role.ENGINEER), f"/harvesting/jobs/{jobs.running}"
    for number in range(4):
        client.submit(f"{page}/command", {"verb": "filter", "pattern": f"/{number}/", "do": "preview"})
    shown, _, folded = client.get(page).text.partition("Earlier commands")
    assert ["/3/" in shown, "/1/" in shown, "/0/" in shown, "/0/" in folded] == [True, True, False, True]


def test_a_bad_expression_is_shown_again_with_what_is_wrong(site: RunningSite, jobs: Jobs) -> None:
    client = site.signed_in()
    answer = client.submit(f"/harvesting/jobs/{jobs.running}/command", {"verb": "filter", "pattern": "(("})
    assert answer.status_code == 422
    assert 'value="(("' in answer.text


def test_the_list_of_seeds_says_how_many_there_are_and_what_they_sum_up_to(
    site: RunningSite, jobs: Jobs
) -> None:
    text = site.signed_in().get(f"/harvesting/jobs/{jobs.done}/seeds.txt").text
    head, seeds = [line for line in text.splitlines() if line[0] == "#"], text.partition("http://")[2]
    assert head[1] == "# count: 2"
    assert head[3].endswith(hashlib.sha256(f"http://{seeds}".encode()).hexdigest())


def test_the_api_does_what_the_pages_do(site: RunningSite, jobs: Jobs, database: Database) -> None:
    client = site.client()
    number = site.account("robot", Role.ENGINEER)
    owner = site.house.accounts.get(number)
    scopes = [Permission.PLANNING_VIEW, Permission.JOBS_MANAGE]
    secret = site.house.tokens.create(SYSTEM, owner, "test", scopes, None).secret
    client.headers["Authorization"] = f"Bearer {secret}"
    listed = client.get("/api/jobs", params={"state": "failed"}).json()
    assert [one["id"] for one in listed["items"]] == [jobs.failed]
    assert "heartbeat" in client.get(f"/api/jobs/{jobs.waiting}").json()["why_waiting"]
    assert client.get("/api/jobs", params={"jobs": "x"}).status_code == 422
    made = client.post("/api/jobs/resubmit", json={"jobs": [jobs.failed]}).json()["made"]
    assert client.get(f"/api/jobs/{made[0]}").json()["resubmission_of"] == jobs.failed
    told = client.post(f"/api/jobs/{jobs.running}/commands", json={"verb": "pause"})
    assert told.status_code == 202
    assert client.get(f"/api/jobs/{jobs.running}/commands").json()[0]["verb"] == "pause"
    assert client.get(f"/api/domains/{jobs.domain}/history").json()["total"] == 5
    assert client.get(f"/api/harvests/{jobs.harvest}/history").json()["items"][0]["states"]["done"] == 1


def test_one_page_shows_a_job_while_it_runs_and_its_figures_when_it_has_ended(
    site: RunningSite, database: Database, jobs: Jobs
) -> None:
    client = site.signed_in("eng", Role.ENGINEER)
    page = f"/harvesting/jobs/{jobs.running}"
    assert client.get(f"{page}/progress").headers["location"] == page
    running = client.get(page).text
    for said in ("1,250 of 2,050 known addresses", "Estimating …", "Pause", "No commands sent."):
        assert said in running
    told = {"statuses": {"200": 9, "404": 1}, "duplicates": 4, "duplicate_bytes": 7000, "seconds": 60.0}
    report = {"report": {**STATUS, **told, "state": "finished"}, "tail": []}
    ended = {"state": S.DONE, "ended_at": NOON, "outcome": "Finished - Timelimit hit", "objects": 1255}
    with database.transaction() as connection:
        queries.change(connection, jobs.running, report=report, **ended)
    over = client.get(page).text
    for said in ("time limit reached", "1,255", "not stored again", "Status codes"):
        assert said in over
    for said in ("Estimating …", "Pause", "Add filter"):
        assert said not in over


def test_a_job_that_never_began_has_no_figures_and_its_priority_is_a_word(
    site: RunningSite, jobs: Jobs
) -> None:
    client = site.signed_in("eng", Role.ENGINEER)
    client.submit(f"/harvesting/jobs/{jobs.waiting}/priority", {"priority": "5"})
    waiting, failed = (client.get(f"/harvesting/jobs/{one}").text for one in (jobs.waiting, jobs.failed))
    assert "<dd>High (5)</dd>" in waiting
    assert "<dd>Normal</dd>" in failed
    for said in ("known addresses", "Objects", "unchanged objects", "No changes yet."):
        assert said not in failed.partition("<main")[2]


def test_the_curve_of_a_job_shows_what_its_table_has(site: RunningSite, jobs: Jobs) -> None:
    client = site.signed_in("lib", Role.LIBRARIAN)
    page = f"/harvesting/jobs/{jobs.running}"
    rows = client.get(f"{page}?csv=speed").text.splitlines()
    assert rows[1:4] == [f"2026-05-01T12:0{minute}:00+00:00,{2.0 + minute}" for minute in range(3)]
    table = client.get(page).text.partition('id="plot-speed"')[2].partition("</tbody>")[0]
    assert table.count("</td>") == len(rows) - 1 == 10


def test_the_list_is_exported_with_the_columns_that_are_seen(site: RunningSite, jobs: Jobs) -> None:
    client = site.signed_in("lib", Role.LIBRARIAN)
    rows = client.get("/harvesting/jobs?state=failed&export=csv").text.splitlines()
    assert rows[0] == "Job,State,Harvest,Domains,Objects,Bytes,Ended"
    assert [row.split(",")[:3] for row in rows[1:]] == [[str(jobs.failed), "Failed", "Sites of the day"]]


def test_the_search_box_finds_a_job_by_its_number_and_collectors_only_for_engineers(
    site: RunningSite, jobs: Jobs
) -> None:
    librarian, engineer = site.signed_in("lib", Role.LIBRARIAN), site.signed_in("eng", Role.ENGINEER)
    for words in (f"{jobs.done}", f"job {jobs.done}"):
        assert f'href="/harvesting/jobs/{jobs.done}"' in librarian.get("/find", params={"q": words}).text
    assert 'href="/harvesting/jobs/' not in librarian.get("/find?q=job+4711").text.partition("<main")[2]
    assert "/harvesting/collectors/" in engineer.get("/find?q=sites-of").text
    assert "/harvesting/channels/" in engineer.get("/find?q=sites-of").text
    assert "/harvesting/collectors/" not in librarian.get("/find?q=sites-of").text


def test_running_jobs_are_ended_from_the_list(site: RunningSite, jobs: Jobs, database: Database) -> None:
    client = site.signed_in("eng", Role.ENGINEER)
    values = {"job": [str(jobs.running), str(jobs.done)], "do": "end"}
    client.submit("/harvesting/jobs/chosen", values)
    shown = client.get("/harvesting/jobs").text
    assert "Ending: 1." in shown
    assert "Not changed because of their state: 1." in shown
