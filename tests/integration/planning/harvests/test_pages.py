"""The pages of harvests, as a curator uses them."""

import re
from datetime import UTC, datetime, timedelta

from armarium.accounts.model import Role
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.planning.harvests.model import Definition
from armarium.planning.model import HarvestKind, Missed
from armarium.planning.schedules.service import Schedules
from armarium.server.assembly import House
from tests.integration.planning.harvests import world
from tests.integration.planning.harvests.world import rows, runs, selective
from tests.integration.web.steps import enter
from tests.site import Client, RunningSite

HARVESTS = "/planning/harvests"


def curator(site: RunningSite) -> Client:
    return enter(site, "cleo", Role.CURATOR)


def test_a_selective_harvest_from_nothing_to_active(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    daily = world.schedule(house)
    answer = cleo.submit(f"{HARVESTS}/new", {"name": "Press", "schedule": daily, "missed": "catch-up"})
    assert answer.status_code == 303
    address = answer.headers["location"].removesuffix("/domains")
    pasted = "lemonde.example.org\nhttps://www.figaro.example.com/a\nlemonde.example.org\nno domain"
    answer = cleo.submit(f"{address}/domains", {"names": pasted})
    assert "Domains that do not exist yet" in answer.text
    assert "figaro" in answer.text or "example.com" in answer.text
    unknown = re.search(r'name="names" value="([^"]+)"', answer.text)
    assert unknown
    answer = cleo.submit(f"{address}/domains", {"names": unknown[1], "create": "yes"})
    assert answer.status_code == 303
    assert "Added: 2. Already there: 0." in cleo.get(f"{address}/domains").text
    assert "2 configurations" in cleo.get(f"{address}/domains").text
    page = cleo.get(address).text
    assert "Draft" in page
    assert "No collector serves the channel" in page
    assert cleo.submit(f"{address}/activate").status_code == 303
    page = cleo.get(address).text
    assert "is active" in page
    assert rows(house, "SELECT active, next_at > now(), missed FROM harvest") == [(True, True, "catch-up")]
    assert "Press" in cleo.get(f"{HARVESTS}?q=pre&kind=selective&active=yes").text
    assert "No harvest found" in cleo.get(f"{HARVESTS}?kind=broad").text


def test_the_page_says_everything_that_is_missing_before_activation(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    made = house.harvests.create(SYSTEM, Definition("empty"))
    page = cleo.get(f"{HARVESTS}/{made.id}").text
    assert "It has no schedule" in page
    assert "None of its domains has an active configuration with a seed" in page
    cleo.submit(f"{HARVESTS}/{made.id}/activate")
    assert "It cannot be activated for 2 reasons" in cleo.get(f"{HARVESTS}/{made.id}").text
    assert rows(house, "SELECT active FROM harvest") == [(False,)]


def test_what_was_typed_stays_when_something_is_wrong(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    selective(house)
    for wrong, sentence in (
        ({"name": "press"}, "The name press is taken."),
        ({"name": ""}, "A name has 1 to"),
        ({"max_bytes": "many"}, "Write a size as 500 MB"),
        ({"max_objects": "1e9"}, "Write a whole number"),
        ({"traps": "a(b"}, "The trap in line 1"),
        ({"schedule": "99999"}, "There is no such schedule."),
        ({"missed": "forget"}, "Choose what happens to missed runs."),
    ):
        answer = cleo.submit(f"{HARVESTS}/new", {"name": "new", "comments": "Zoë", **wrong})
        assert (answer.status_code, sentence in answer.text) == (422, True), sentence
        assert "Zoë" in answer.text


def test_two_who_edit_the_same_harvest_notice_each_other(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    made = selective(house)
    values = {"name": "press", "schedule": made.schedule, "seen": made.mark}
    assert cleo.submit(f"{HARVESTS}/{made.id}/edit", {**values, "comments": "first"}).status_code == 303
    second = cleo.submit(f"{HARVESTS}/{made.id}/edit", {**values, "comments": "second"})
    assert second.status_code == 422
    assert "Somebody changed this harvest meanwhile" in second.text
    assert house.harvests.get(made.id).comments == "first"


def test_the_next_date_can_be_set_by_hand_once(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    made = selective(house)
    house.harvests.activate(SYSTEM, made.id)
    now = house.harvests.get(made.id)
    values = {"name": "press", "schedule": now.schedule, "seen": now.mark}
    answer = cleo.submit(f"{HARVESTS}/{made.id}/edit", {**values, "next_at": "2001-01-01T00:00"})
    assert "The next date lies in the past." in answer.text
    assert (
        cleo.submit(f"{HARVESTS}/{made.id}/edit", {**values, "next_at": "2099-05-01T12:30"}).status_code
        == 303
    )
    assert house.harvests.get(made.id).next_at == datetime(2099, 5, 1, 12, 30, tzinfo=UTC)


def test_an_event_harvest_in_one_page(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    page = cleo.get(f"{HARVESTS}/event").text
    once = re.search(r'<option value="(\d+)" selected>once<', page)
    profile = re.search(r'<option value="(\d+)" selected>page\+1', page)
    assert once
    assert profile
    assert "Taken by broad harvests" in page
    seeds = (
        "https://news.example.org/flood\nnews.example.org/flood2\n\n# a remark\n"
        "https://news.example.org/flood\nftp://x.example.org/\nhttp://rain.example.com/"
    )
    values = {
        "name": "Flood",
        "seeds": seeds,
        "profile": profile[1],
        "schedule": once[1],
        "max_bytes": "200 MB",
        "activate": "yes",
    }
    answer = cleo.submit(f"{HARVESTS}/event", values)
    assert answer.status_code == 200
    assert "Run 1 has started" in answer.text
    assert "Broad harvests leave the new domains out" in answer.text
    assert rows(house, "SELECT DISTINCT broad FROM domain") == [(False,)]
    for word in ("Taken", "Duplicate", "Rejected"):
        assert word in answer.text
    [(number, kind, active, begun)] = rows(house, "SELECT id, kind, active, runs FROM harvest")
    assert (kind, active, begun) == (HarvestKind.EVENT.value, False, 1)
    found = rows(
        house,
        "SELECT d.name, s.seeds, c.max_bytes FROM harvest_configuration"
        " JOIN configuration c ON c.id = configuration"
        " JOIN domain d ON d.id = c.domain JOIN seed_list s ON s.id = ANY (c.seed_lists) ORDER BY d.name",
    )
    assert found == [
        ("example.com", "http://rain.example.com/", 200_000_000),
        ("example.org", "https://news.example.org/flood\nhttp://news.example.org/flood2", 200_000_000),
    ]
    assert "Creating jobs" in cleo.get(f"{HARVESTS}/{number}/runs/1").text
    more = {"seeds": "https://news.example.org/flood\nnews.example.org/flood3", "profile": profile[1]}
    answer = cleo.submit(f"{HARVESTS}/{number}/seeds", more)
    assert answer.status_code == 200
    [(text,)] = rows(house, "SELECT seeds FROM seed_list WHERE seeds LIKE '%flood3'")
    assert text.count("\n") == 2


def test_an_event_harvest_without_a_good_seed_is_not_made(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    [(profile,)] = rows(house, "SELECT id FROM profile WHERE name = 'page'")
    [(once,)] = rows(house, "SELECT id FROM schedule WHERE name = 'once'")
    values = {
        "name": "Flood",
        "seeds": "nonsense here",
        "profile": profile,
        "schedule": once,
        "activate": "yes",
    }
    answer = cleo.submit(f"{HARVESTS}/event", values)
    assert answer.status_code == 422
    assert "No line is a seed. Line 1" in answer.text
    assert rows(house, "SELECT count(*) FROM harvest") == [(0,)]
    assert rows(house, "SELECT count(*) FROM domain") == [(0,)]


def test_several_runs_at_once_are_said_on_the_page(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    made = selective(house)
    for _ in range(2):
        assert cleo.submit(f"{HARVESTS}/{made.id}/run").status_code == 303
    assert "Several runs are under way at once: 1, 2" in cleo.get(f"{HARVESTS}/{made.id}").text
    assert (
        "Other runs of this harvest are under way as well: 2" in cleo.get(f"{HARVESTS}/{made.id}/runs/1").text
    )
    assert [number for number, _, _ in runs(house, made.id)] == [1, 2]


def test_dates_that_wait_for_their_turn_or_their_schedule_are_said_on_the_page(
    site: RunningSite, house: House
) -> None:
    press = world.waiting(house, missed=Missed.CATCH_UP)
    cleo = curator(site)
    assert "one after the other: the next run starts" in cleo.get(f"{HARVESTS}/{press.id}").text
    Schedules(house.database).set_active(SYSTEM, press.schedule or 0, False)
    assert "Its schedule is paused" in cleo.get(f"{HARVESTS}/{press.id}").text
    assert "Paused" in cleo.get(HARVESTS).text


def test_domains_are_chosen_and_removed(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    made = selective(house)
    [(default, domain, profile)] = rows(house, "SELECT id, domain, profile FROM configuration")
    with house.database.transaction() as connection:
        other = house.domains.put_configuration(
            connection, SYSTEM, domain, "deep", profile=profile, seeds="http://a.example.org/",
            max_objects=None, max_bytes=None, overrides={},
        )  # fmt: skip
    address = f"{HARVESTS}/{made.id}/domains"
    assert "deep" in cleo.get(address).text
    cleo.submit(f"{address}/choose", {"before": default, "after": other})
    assert rows(house, "SELECT configuration FROM harvest_configuration") == [(other,)]
    cleo.submit(f"{address}/remove", {"configuration": other})
    assert rows(house, "SELECT count(*) FROM harvest_configuration") == [(0,)]
    house.harvests.add_configurations(SYSTEM, made.id, [default, other])
    cleo.submit(f"{address}/remove", {"all": "yes"})
    assert rows(house, "SELECT count(*) FROM harvest_configuration") == [(0,)]


def test_the_calendar_shows_what_was_and_what_is_expected(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    made = selective(house)
    for days_ago in (2, 3):
        world.ended_run(house, made.id, days_ago=days_ago, objects=1000 * days_ago, size=10**9)
    house.harvests.activate(SYSTEM, made.id)
    tomorrow = clock.now() + timedelta(days=1)
    page = cleo.get("/planning/calendar").text
    assert page.count("<rect") >= 365
    assert cleo.get("/planning/calendar?measure=hours&year=2031").status_code == 200
    day = cleo.get(f"/planning/calendar/{tomorrow:%Y-%m-%d}").text
    assert "press" in day
    assert "2,500" in day  # the average of both
    past = cleo.get(f"/planning/calendar/{tomorrow - timedelta(days=3):%Y-%m-%d}").text
    assert "2,000" in past
    assert "press" in cleo.get("/planning/calendar/agenda").text
    assert cleo.get(f"/planning/calendar/{tomorrow:%Y}/{tomorrow.month}").status_code == 200
    assert cleo.get("/planning/calendar/2026-02-31").status_code == 404


def test_who_may_only_look_changes_nothing(site: RunningSite, house: House) -> None:
    made = selective(house)
    reader = enter(site, "lib", Role.LIBRARIAN)
    page = reader.get(f"{HARVESTS}/{made.id}")
    assert page.status_code == 200
    assert ">Save<" not in page.text
    for path in ("/edit", "/activate", "/run", "/domains", "/domains/remove"):
        assert reader.submit(f"{HARVESTS}/{made.id}{path}").status_code == 403
    assert reader.get(f"{HARVESTS}/new").status_code == 403


def test_a_total_budget_is_entered_seen_and_raised(site: RunningSite, house: House) -> None:
    cleo = curator(site)
    made = selective(house)
    given = {
        "name": "press",
        "schedule": made.schedule,
        "total_objects": "1 000",
        "total_bytes": "2 GB",
    }
    assert cleo.submit(f"{HARVESTS}/{made.id}/edit", given).status_code == 303
    page = cleo.get(f"{HARVESTS}/{made.id}/edit").text
    assert 'name="total_objects"' in page
    assert 'value="2 GB"' in page
    house.harvests.run_now(SYSTEM, made.id)
    address = f"{HARVESTS}/{made.id}/runs/1"

    page = cleo.get(address).text
    assert "of at most 1,000; left: 1,000" in page
    refused = cleo.submit(f"{address}/budget", {"total_objects": "999"})
    assert refused.status_code == 422
    assert "A budget can be raised, not lowered" in refused.text
    assert cleo.submit(f"{address}/budget", {"total_objects": "1150"}).status_code == 303

    assert "of at most 1,150; left: 1,150" in cleo.get(address).text
    assert "Budget of a run raised" in cleo.get(f"{HARVESTS}/{made.id}/changes").text
    reader = enter(site, "ria", Role.READER)
    assert reader.submit(f"{address}/budget", {"total_objects": "2000"}).status_code == 403


def test_a_harvest_opens_on_its_last_result_and_its_curves_are_their_table(
    site: RunningSite, house: House
) -> None:
    cleo = curator(site)
    made = selective(house)
    for days_ago, objects, state in ((4, 400, "done"), (3, 300, "done"), (2, 500, "failed")):
        world.ended_run(house, made.id, days_ago=days_ago, objects=objects, size=10**6, state=state)
    house.harvests.activate(SYSTEM, made.id)
    address = f"{HARVESTS}/{made.id}"

    page = cleo.get(address).text

    assert "Next run " in page
    assert "from 1 domain." in page
    assert "1 job failed." in page
    assert f'href="{address}/runs/3">See the jobs' in page
    assert page.count("<svg viewBox=") >= 3
    head, *lines = cleo.get(f"{address}?csv=objects").text.splitlines()
    assert head == ",Brought,Expected"
    assert [line.split(",")[1] for line in lines] == ["400", "300", "0"]
    assert [line.split(",")[1:] for line in cleo.get(f"{address}?csv=jobs").text.splitlines()[1:]] == [
        ["1", "0"],
        ["1", "0"],
        ["0", "1"],
    ]
    listed = cleo.get(f"{HARVESTS}?export=csv").text.splitlines()
    assert listed[0].startswith("Name,Kind,State")
    assert listed[1].startswith("press,Selective,Active")


def test_the_search_box_finds_what_the_person_may_see(site: RunningSite, house: House) -> None:
    selective(house, name="northern-press")
    [(number, name)] = rows(house, "SELECT id, name FROM domain")
    cleo, ria = curator(site), enter(site, "ria", Role.READER)

    assert "northern-press" in cleo.get("/find?q=press").text
    found = cleo.get("/find", params={"q": f"https://www.{name}/a"}).text
    assert f'href="/planning/domains/{number}"' in found
    for words in ("press", name):
        assert "/planning/" not in ria.get("/find", params={"q": words}).text
