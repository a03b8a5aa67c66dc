"""The page after sign-in: each person sees what concerns them, and every link leads somewhere."""

import re
from html import unescape
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.accounts.model import Role
from armarium.core.errors import Unavailable
from armarium.core.message import message
from armarium.db.database import Database
from armarium.web.overview import Asked, Contribution
from armarium.web.sections import Place, Section
from tests.busy import fill, own
from tests.integration.web.steps import Lines
from tests.site import Client, RunningSite

#: What waits for each role in the busy house, and some of what does not.
WAITS = {
    Role.ADMINISTRATOR: {
        "Conflicts with planning",
        "Collectors that were stopped",
        "Failed jobs",
        "Harvests stopped by Armarium",
        "Repairs to decide",
        "Files that could not be indexed",
        "Failed tasks",
        "Proposals to decide",
        "Nominations to answer",
        "Harvests without a date",
        "Findings to review",
        "Harvests not activated yet",
    },
    Role.LIBRARIAN: {"Your rejected records", "Nominations to answer", "Findings to review"},
    Role.CURATOR: {
        "Conflicts with planning",
        "Failed jobs",
        "Harvests stopped by Armarium",
        "Proposals to decide",
        "Nominations to answer",
        "Harvests without a date",
        "Findings to review",
        "Harvests not activated yet",
    },
    Role.ENGINEER: {
        "Collectors that were stopped",
        "Failed jobs",
        "Harvests stopped by Armarium",
        "Files that could not be indexed",
        "Failed tasks",
        "Harvests without a date",
        "Harvests not activated yet",
    },
    Role.PRESERVATION: {"Repairs to decide"},
    Role.MANAGER: set(),
    Role.RESEARCHER: set(),
    Role.READER: set(),
}
#: Where the menu says so to each of them.
MARKED = {
    Role.ADMINISTRATOR: {"Select", "Plan", "Harvest", "Archive", "Administer"},
    Role.LIBRARIAN: {"Select"},
    Role.CURATOR: {"Select", "Plan", "Harvest"},
    Role.ENGINEER: {"Plan", "Harvest", "Archive", "Administer"},
    Role.PRESERVATION: {"Archive"},
}
FIGURES = {
    Role.ADMINISTRATOR: {
        "records",
        "jobs",
        "objects",
        "archive-size",
        "bytes",
        "reading",
        "files-stored",
    },
    Role.LIBRARIAN: {"records", "reading"},
    Role.READER: set(),
}
OF_MACHINES = {"The process worker-1 is silent", "Runs of the index are lost"}


@pytest.mark.parametrize("role", list(Role))
def test_each_role_sees_what_concerns_it_and_every_link_leads_there(
    site: RunningSite, database: Database, role: Role
) -> None:
    fill(database)
    client = entered(site, database, role)
    page = client.get("/").text
    told = client.get("/api/overview").json()
    assert told["missing"] == []
    assert {one["title"] for one in told["waiting"]} == WAITS[role]
    assert all(one["count"] for one in told["waiting"])
    assert [urgency(one) for one in told["waiting"]] == sorted(urgency(one) for one in told["waiting"])
    wrong = {one["title"] for one in told["wrong"]}
    sees_machines = role in {Role.ADMINISTRATOR, Role.ENGINEER, Role.CURATOR, Role.PRESERVATION, Role.MANAGER}
    assert (wrong >= OF_MACHINES) if sees_machines else not (wrong & OF_MACHINES)
    if role in FIGURES:
        assert {one["id"] for one in told["figures"]} == FIGURES[role]
    assert refused(client, links(page)) == []
    assert {one["href"] for one in told["waiting"]} <= links(page)
    assert marked(client) == MARKED.get(role, set())


def marked(client: Client) -> set[str]:
    """The places of the menu where something waits."""
    return set(re.findall(r'<span>(\w+)</span> <span class="place-waits">', client.get("/account").text))


def test_the_menu_asks_again_after_its_reader_has_done_something(
    site: RunningSite, database: Database
) -> None:
    client = site.signed_in()
    assert marked(client) == set()
    fill(database)
    assert marked(client) == {"Select"}  # the others were asked lately; this is counted on every page
    assert client.submit("/selection/tray/read").status_code == 303
    assert marked(client) == MARKED[Role.ADMINISTRATOR]


def entered(site: RunningSite, database: Database, role: Role) -> Client:
    number = site.account("somebody", role)
    if role is Role.LIBRARIAN:
        own(database, number, "somebody", "Press")
    client = site.client()
    client.sign_in("somebody")
    return client


def refused(client: Client, hrefs: set[str]) -> list[tuple[str, int]]:
    """Those that do not lead to a page; the readers' site is another one, and does not run here."""
    found = [(href, client.get(href).status_code) for href in sorted(hrefs - {"/access/go"})]
    return [one for one in found if one[1] != 200]


def urgency(one: dict[str, object]) -> int:
    return ["now", "soon", "sometime"].index(str(one["urgency"]))


def links(page: str) -> set[str]:
    """All that the content of the page leads to."""
    main = page[page.index('<main class="page-main"') : page.index("</main>")]
    found = {unescape(href) for href in re.findall(r'href="(/[^"]*)"', main)}
    return {href for href in found if not href.startswith("/static/")}


def test_a_librarian_counts_only_their_own_collections(site: RunningSite, database: Database) -> None:
    fill(database)
    client = entered(site, database, Role.LIBRARIAN)
    with database.transaction() as connection:
        connection.execute(sa.text(OF_THE_PRESS))
        theirs = connection.scalar(sa.text(BROUGHT))
    told = client.get("/api/overview").json()
    waiting = {one["title"]: one["count"] for one in told["waiting"]}
    assert waiting["Nominations to answer"] == 1  # of two collections
    assert waiting["Findings to review"] == 2  # of four
    entered_records = next(one for one in told["figures"] if one["id"] == "records")
    assert sum(sum(one["values"].values()) for one in entered_records["series"]) == 20  # of forty
    objects = next(one for one in told["figures"] if one["id"] == "objects")
    assert sum(objects["series"][0]["values"].values()) == theirs > 0


#: The transfer has made a harvest for a collection.
OF_THE_PRESS = """
    INSERT INTO selection_target (collection, frequency, harvest, name, schedule, automatic)
    SELECT c.id, 'weekly', h.id, '', '', false FROM selection_collection c, harvest h
    WHERE c.name = 'Press' AND h.name = 'Monthly press'"""
BROUGHT = """
    SELECT sum(j.brought_objects) FROM job j JOIN harvest h ON h.id = j.harvest
    WHERE j.ended_at IS NOT NULL AND h.name = 'Monthly press'"""


def test_what_runs_is_told_with_its_progress(site: RunningSite, database: Database) -> None:
    fill(database)
    client = entered(site, database, Role.ADMINISTRATOR)
    running = {(one["title"], one["about"]): one for one in client.get("/api/overview").json()["running"]}
    job = running["Job 1", "Monthly press"]
    assert (job["done"], job["total"]) == (30, 100)
    assert job["told"] == "37 objects, 1.0\N{NO-BREAK SPACE}MB"
    assert running["Further jobs", ""]["told"] == "2 more"
    assert (running["Audit", "one"]["done"], running["Audit", "one"]["total"]) == (2000, 8000)
    assert running["Files arrive from collectors", ""]["told"].startswith("files: 1, 400")
    page = client.get("/").text
    assert 'aria-label="37 objects' in page
    assert '<progress max="100" value="30"' in page


def test_what_went_wrong_says_when_and_what_to_do(site: RunningSite, database: Database) -> None:
    fill(database)
    client = entered(site, database, Role.ENGINEER)
    wrong = client.get("/api/overview").json()["wrong"]
    assert wrong == sorted(wrong, key=lambda one: (one["still"], one["at"]), reverse=True)
    assert all(one["advice"].endswith(".") for one in wrong)
    by_title = {one["title"]: one for one in wrong}
    assert by_title["Copies in “one” are damaged"]["times"] == 2
    assert by_title["A task failed: Store a file in every replica"]["times"] == 3
    assert by_title["A collector does not answer"]["about"] == "crawler-2"
    assert not [title for title in by_title if title.startswith("Job 7 ")]  # it runs


def test_nothing_is_told_twice(site: RunningSite, database: Database) -> None:
    fill(database)
    titles = [one["title"] for one in wrong_for(site, Role.ENGINEER)]
    assert len(titles) == len(set(titles))
    assert "Files could not be indexed" in titles
    assert "A task failed: Index a file" not in titles  # the same
    assert "Copies in “one” are damaged" in titles
    assert "A file waits for a decision" not in titles  # one of them
    assert "Tasks have failed" not in titles
    assert "Tasks have failed" in {one["title"] for one in wrong_for(site, Role.MANAGER)}  # who sees no tasks


def wrong_for(site: RunningSite, role: Role) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.signed_in(role.value, role).get("/api/overview").json()["wrong"]
    return found


#: What went wrong in the busy house, and what mends it.
MENDED = {
    "No jobs could be created for “Monthly press”": """
        INSERT INTO harvest_run (harvest, number, state, due_at)
        SELECT id, 4, 'generated', now() FROM harvest WHERE name = 'Monthly press'""",
    "A transfer to planning failed": """
        INSERT INTO selection_transfer (state, by, asked_at, ended_at)
        VALUES ('done', 'ada', now(), now())""",
    "An audit of “one” failed": """
        INSERT INTO audit_run (replica, kind, state, asked_at, ended_at)
        SELECT min(id), 'checksum', 'finished', now(), now() FROM replica""",
    "A step of the index failed: Full merge of the index": """
        INSERT INTO index_step (step, state, started_at, ended_at)
        VALUES ('big', 'finished', now(), now())""",
}


def test_what_was_mended_since_is_told_no_more(site: RunningSite, database: Database) -> None:
    fill(database)
    client = entered(site, database, Role.ADMINISTRATOR)
    assert MENDED.keys() <= {one["title"] for one in client.get("/api/overview").json()["wrong"]}
    with database.transaction() as connection:
        for statement in MENDED.values():
            connection.execute(sa.text(statement))
    assert not MENDED.keys() & {one["title"] for one in client.get("/api/overview").json()["wrong"]}


def test_what_is_wrong_still_is_seen_however_much_went_wrong_since(
    site: RunningSite, database: Database
) -> None:
    """The replica went away last month. What happened since is more than the page unfolds."""
    fill(database)
    with database.transaction() as connection:
        connection.execute(sa.text("UPDATE replica SET away_since = now() - interval '31 days'"))
    client = entered(site, database, Role.ADMINISTRATOR)
    page = client.get("/").text
    before, folded = page.split('<details id="more-wrong">')
    assert "The replica “one” does not answer" in before
    assert "still open" in before
    told = client.get("/api/overview").json()["wrong"]
    assert all(unescape(page).count(one["title"]) for one in told)
    assert folded.split("</details>")[0].count("<li") == len(told) - 12


def test_a_quiet_tray_is_not_called_good_while_something_is_wrong(
    site: RunningSite, database: Database
) -> None:
    assert 'class="verdict tone-good"' in site.signed_in("max", Role.MANAGER).get("/").text
    fill(database)
    page = site.signed_in("mia", Role.MANAGER).get("/").text
    assert "Nothing waits for you." in page
    assert 'class="verdict tone-warning"' in page


def test_names_are_only_words_on_the_page(site: RunningSite, database: Database) -> None:
    fill(database)
    hostile = '"><script>alert(1)</script></title></svg>%(x)s{{ 7*7 }}'
    with database.transaction() as connection:
        connection.execute(sa.text("UPDATE harvest SET name = :name || id"), {"name": hostile})
        connection.execute(sa.text("UPDATE collector SET name = :name || id"), {"name": hostile})
        connection.execute(sa.text("UPDATE job SET error = :name WHERE state = 'failed'"), {"name": hostile})
        connection.execute(sa.text("UPDATE replica SET name = :name || id"), {"name": hostile})
    client = entered(site, database, Role.ADMINISTRATOR)
    page = client.get("/").text
    assert "<script>alert" not in page
    assert "</title></svg>%" not in page
    assert hostile in unescape(page)
    assert client.get("/api/overview").json()["missing"] == []


def test_a_new_archive_shows_the_next_useful_step(site: RunningSite) -> None:
    administrator = site.signed_in("ada")
    steps = administrator.get("/api/overview").json()["steps"]
    assert [one["title"] for one in steps if not one["done"]][:2] == [
        "Create a collection",
        "Add the first sites",
    ]
    page = administrator.get("/").text
    assert "Nothing waits for you." in page
    assert 'class="step-next">' in page
    assert "The year" not in page
    librarian = site.signed_in("lia", Role.LIBRARIAN)
    (first, *_rest) = librarian.get("/api/overview").json()["steps"]
    assert first["title"] == "Join a collection"
    assert refused(librarian, links(librarian.get("/").text)) == []


SENTENCES = {
    Role.PRESERVATION: "Repairs to decide: ",
    Role.MANAGER: "Nothing waits for you.",
    Role.LIBRARIAN: " things wait for you.",
    Role.ENGINEER: " things wait for you.",
}


@pytest.mark.parametrize("role", list(SENTENCES))
def test_the_first_sentence_says_what_waits_runs_and_failed(
    site: RunningSite, database: Database, role: Role
) -> None:
    fill(database)
    page = entered(site, database, role).get("/").text
    verdict = page[page.index('<p class="verdict') :].split("</p>")[0]
    assert SENTENCES[role] in unescape(verdict)
    assert re.search(r"\d+ activit(y is|ies are) running\.|Nothing is running\.", verdict)
    assert re.search(r"failed in the last 7 days\.|still open\.", verdict)


def test_the_curves_of_a_year_show_the_numbers_of_the_api(site: RunningSite, database: Database) -> None:
    fill(database)
    client = entered(site, database, Role.MANAGER)
    told = {one["id"]: one for one in client.get("/api/overview").json()["figures"]}
    page = client.get("/").text
    drawn = re.findall(r'id="plot-([a-z-]+)"', page)
    assert drawn == ["archive-size", "objects", "reading", "records"]
    for name in drawn:
        head, *rows = [line.split(",") for line in client.get(f"/?csv={name}").text.split()[-40:]]
        assert len(head) >= 1
        values = {row[0]: [int(value) for value in row[1:]] for row in rows if re.match(r"\d{4}-", row[0])}
        of_api = [one["values"] for one in told[name]["series"]]
        assert values
        assert all(row == [one[week] for one in of_api] for week, row in values.items())


def test_those_who_only_read_are_led_to_the_readers_site(site: RunningSite) -> None:
    page = site.signed_in("rob", Role.READER).get("/").text
    assert "Your place is the readers’ site" in page
    assert "Waiting for you" not in page


def test_a_room_that_cannot_answer_is_named_and_the_rest_is_there(
    site: RunningSite, database: Database, lines: Lines
) -> None:
    def away(_: Asked) -> list[object]:
        raise Unavailable(message("The disk of the attic is away."))

    attic = Contribution(room=message("Attic"), waits=away, figures=away)  # type: ignore[arg-type]
    shell = site.app.state.shell
    section = Section(message("Attic"), Place.SELECT, 1, (), shell.sections[0].pages, overview=attic)
    shell.sections = (*shell.sections, section)
    fill(database)
    client = entered(site, database, Role.ADMINISTRATOR)
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.text.count("Attic cannot be shown at the moment.") == 1
    assert "Proposals to decide" in answer.text
    assert client.get("/api/overview").json()["missing"] == ["Attic"]
    assert lines.with_event("a part of the overview is missing")


def test_the_part_that_renews_itself_has_no_plots(site: RunningSite, database: Database) -> None:
    fill(database)
    client = entered(site, database, Role.ADMINISTRATOR)
    part = client.get("/", headers={"X-Part": "1"}).text
    assert "Waiting for you" in part
    assert "plot" not in part
    page = client.get("/").text
    topics = re.search(r'data-live="([^"]+)" data-src="/"', page)
    assert topics
    with client.stream("GET", "/live", params=[("topic", one) for one in topics[1].split()]) as stream:
        assert stream.status_code == 200


def test_nobody_sees_it_without_signing_in(site: RunningSite) -> None:
    assert site.client().get("/").status_code == 303
    assert site.client().get("/api/overview").status_code == 401
