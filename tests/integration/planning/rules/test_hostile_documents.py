"""Documents and questions that no database can hold are refused in words."""

from collections.abc import Iterator
from typing import Any

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.planning.harvests.model import Definition
from armarium.planning.model import HarvestKind
from tests.integration.web.steps import assert_clear, enter, token_of, with_token
from tests.site import Client, RunningSite

BAD = ("a\\u0000b", "a\\ud800b")
LARGE = "9" * 30


@pytest.fixture
def program(site: RunningSite) -> Iterator[Client]:
    enter(site, "ada", Role.ADMINISTRATOR)
    with with_token(site, token_of(site, "ada", *Permission)) as client:
        yield client


def documents(domain: int, harvest: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    yield "POST", "domains", {"name": "example.net", "comments": "*"}
    yield "POST", "domains", {"name": "example.net", "seeds": "http://example.net/*"}
    yield "PATCH", f"domains/{domain}", {"comments": "*"}
    yield "POST", f"domains/{domain}/seed-lists", {"name": "*", "seeds": "http://example.org/"}
    yield "POST", "harvests", {"name": "*"}
    yield "PATCH", f"harvests/{harvest}", {"comments": "*"}
    yield "POST", "profiles", {"name": "x", "description": "*"}
    yield "POST", "profiles", {"name": "x", "document": {"identity": {"operator": "*"}}}
    yield "POST", "profiles", {"name": "x", "document": {"scope": {"*": 1}}}
    yield "POST", "schedules", {"name": "x", "comments": "*", "unit": "day"}
    yield "POST", "traps", {"name": "x", "expressions": ["*"]}
    yield "POST", "channels", {"name": "x", "description": "*"}


def test_nul_and_half_characters_are_refused_wherever_they_stand(site: RunningSite, program: Client) -> None:
    domain = site.house.domains.create(SYSTEM, "example.org").id
    definition = Definition("daily", HarvestKind.SELECTIVE)
    harvest = site.house.harvests.create(SYSTEM, definition).id
    for method, path, document in documents(domain, harvest):
        for bad in BAD:
            text = str(document).replace("'", '"').replace("*", bad)
            headers = {"Content-Type": "application/json"}
            answer = program.request(method, f"/api/{path}", content=text, headers=headers)
            assert_clear(answer, 422)
            assert "NUL" in answer.json()["detail"], path


def test_a_backslash_and_a_whole_character_are_no_nul(program: Client) -> None:
    given = {"name": "example.net", "comments": "a\\u0000b \U0001f4da"}
    assert program.post("/api/domains", json=given).json()["comments"] == given["comments"]


def test_numbers_that_no_column_holds_are_refused(site: RunningSite, program: Client) -> None:
    number = int(LARGE)
    domain = site.house.domains.create(SYSTEM, "example.org").id
    for path, document in (
        ("harvests", {"name": "x", "max_bytes": number}),
        ("harvests", {"name": "x", "channel": number}),
        ("harvests", {"name": "x", "schedule": -number}),
        ("profiles", {"name": "x", "document": {"limits": {"max_bytes": number}}}),
        (f"domains/{domain}/configurations", {"name": "x", "profile": number, "seed_lists": [1]}),
        (f"domains/{domain}/configurations", {"name": "x", "profile": 1, "seed_lists": [number]}),
        (
            f"domains/{domain}/configurations",
            {"name": "x", "profile": 1, "seed_lists": [1], "max_objects": number},
        ),
    ):
        assert_clear(program.post(f"/api/{path}", json=document), 422)
    assert_clear(program.get(f"/api/harvests?channel={LARGE}"), 422)


def test_moments_at_the_ends_of_the_calendar_are_refused(site: RunningSite, program: Client) -> None:
    """One that was taken kept everybody from the list of schedules."""
    harvest = site.house.harvests.create(SYSTEM, Definition("daily", HarvestKind.SELECTIVE)).id
    for moment in ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "9999-12-31T23:59:59-01:00"):
        for name in ("starts_at", "ends_at"):
            given = {"name": "far", "unit": "day", name: moment}
            assert_clear(program.post("/api/schedules", json=given), 422)
        assert_clear(program.patch(f"/api/harvests/{harvest}", json={"next_at": moment}), 422)


def test_a_question_about_jobs_out_of_the_world_is_refused_and_a_place_is_the_beginning(
    program: Client,
) -> None:
    for question in (f"run={LARGE}", "run=0", "to=9999-12-31", "from=0001-01-01"):
        assert_clear(program.get(f"/api/jobs?{question}"), 422)
    for order in ("", "objects", "bytes", "ended", "oldest"):
        for at in (LARGE, f"-{LARGE}", f"{LARGE}_1", f"1_{LARGE}", f"2026-01-01T00:00:00Z_{LARGE}"):
            assert program.get("/api/jobs", params={"order": order, "at": at}).json()["items"] == []


def test_pages_bear_the_same(site: RunningSite) -> None:
    reader = enter(site, "lib", Role.LIBRARIAN)
    many = "9" * 6000
    for address in (
        f"/harvesting/jobs?at={LARGE}",
        f"/harvesting/jobs?order=objects&at=1_{LARGE}",
        "/harvesting/jobs?to=9999-12-31",
        f"/harvesting/jobs?run={many}",
        f"/planning/harvests?channel={LARGE}",
        f"/planning/harvests?channel={many}",
    ):
        assert reader.get(address).status_code == 200, address


def test_numbers_of_thousands_of_digits_in_forms_are_refused(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    domain = site.house.domains.create(SYSTEM, "example.org").id
    values = {
        "name": "x",
        "profile": "1",
        "max_objects": "9" * 6000,
        "seed_lists": "9" * 6000,
        "seen": "9" * 6000,
    }
    assert curator.submit(f"/planning/domains/{domain}/configurations/new", values).status_code == 422


def test_an_empty_list_says_what_to_do_first(site: RunningSite) -> None:
    curator, reader = enter(site, "cora", Role.CURATOR), enter(site, "lib", Role.LIBRARIAN)
    for address, said, filtered, button in (
        ("/planning/harvests", "No harvests yet", "q=x", 'href="/planning/harvests/new"'),
        ("/planning/domains", "No domains yet", "q=xyz", 'href="/planning/imports"'),
        ("/planning/traps", "No lists yet", "", 'href="/planning/traps/new"'),
        ("/harvesting/jobs", "No jobs yet", "q=x", 'href="/planning/harvests"'),
    ):
        page = curator.get(address).text
        assert said in page
        assert button in page.split(said)[1]
        assert said in reader.get(address).text
        assert not filtered or said not in curator.get(f"{address}?{filtered}").text
