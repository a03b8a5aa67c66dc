"""Profiles and their versions, as services, pages and API."""

import re

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM
from armarium.core.errors import NotFound, Refused
from armarium.db.database import Database
from armarium.planning.profiles.rules import BadOrder
from armarium.planning.profiles.service import Profiles
from tests.integration.web.steps import audited, enter, execute, rows, token_of, with_token
from tests.site import RunningSite

PROFILES = "/planning/profiles"


def ticked(text: str) -> dict[str, str]:
    """The form on a page as a browser would send it back unchanged."""
    form = text.split('id="as-form"', 1)[1].split("</form>", 1)[0]
    values = {}
    for tag in re.findall(r"<input[^>]+>", form):
        name, value = re.search(r'name="([^"]+)"', tag), re.search(r'value="([^"]*)"', tag)
        if name and ('type="checkbox"' not in tag or " checked" in tag):
            values[name[1]] = value[1] if value else ""
    values |= dict(re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>\n?(.*?)</textarea>', form, re.DOTALL))
    for name, body in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', form, re.DOTALL):
        chosen = re.search(r'value="([^"]*)" selected', body)
        values[name] = chosen[1] if chosen else ""
    del values["csrf_token"]
    return values


def test_a_version_is_never_altered_and_going_back_makes_another(database: Database) -> None:
    profiles = Profiles(database)
    made = profiles.create(SYSTEM, "press", document={"scope": {"max_hops": 5}}, reason="First.")
    profiles.new_version(SYSTEM, made.id, {"scope": {"max_hops": 6}}, "Deeper.")
    back = profiles.go_back(SYSTEM, made.id, 1, "")
    found, total = profiles.versions(made.id)
    assert [(one.version, one.document["scope"]["max_hops"], one.reason) for one in found] == [
        (3, 5, "Back to version 1."),
        (2, 6, "Deeper."),
        (1, 5, "First."),
    ]
    assert (total, back.version, back.version_id) == (3, 3, found[0].id)


def test_a_version_that_changes_nothing_and_one_over_another_are_refused(database: Database) -> None:
    profiles = Profiles(database)
    made = profiles.create(SYSTEM, "press", document={"scope": {"max_hops": 5}})
    with pytest.raises(Refused, match="Nothing differs"):
        profiles.new_version(SYSTEM, made.id, {"scope": {"max_hops": 5, "kind": "host"}}, "")
    profiles.new_version(SYSTEM, made.id, {"scope": {"max_hops": 6}}, "", seen=made.mark)
    with pytest.raises(Refused, match="meanwhile"):
        profiles.new_version(SYSTEM, made.id, {"scope": {"max_hops": 7}}, "", seen=made.mark)


def test_expressions_that_the_crawler_could_not_use_are_refused(database: Database) -> None:
    with pytest.raises(BadOrder) as refused:
        Profiles(database).create(SYSTEM, "press", document={"scope": {"reject": ["good", "(?<!x)bad"]}})
    assert "line 2" in str(refused.value.faults["scope.reject"])


def test_names_are_unique_and_shipped_ones_stay(database: Database) -> None:
    profiles = Profiles(database)
    with pytest.raises(Refused, match="already"):
        profiles.create(SYSTEM, "domain", document={})
    made = profiles.create(SYSTEM, "press", document={})
    with pytest.raises(Refused, match="already"):
        profiles.describe(SYSTEM, made.id, name="domain", description="", active=True)
    with pytest.raises(Refused, match="keeps its name"):
        profiles.describe(SYSTEM, profiles.named("domain").id, name="site", description="", active=True)
    with pytest.raises(NotFound):
        profiles.named("nothing")


def test_a_profile_set_aside_is_not_offered(database: Database) -> None:
    profiles = Profiles(database)
    path = profiles.named("path")
    profiles.describe(SYSTEM, path.id, name="path", description="", active=False)
    assert "path" not in [one.name for one in profiles.active()]


def test_the_form_of_a_profile_makes_a_new_version_of_what_was_changed(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    number = Profiles(site.house.database).named("broad").id
    values = ticked(curator.get(f"{PROFILES}/{number}/edit").text)
    assert curator.submit(f"{PROFILES}/{number}/edit", values).status_code == 422  # nothing differs
    changed = {**values, "scope.max_hops": "60", "scope.reject": "/calendar/\n/cart/", "reason": "Too deep."}
    changed.pop("extraction.javascript")
    answer = curator.submit(f"{PROFILES}/{number}/edit", changed)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{PROFILES}/{number}")
    page = curator.get(f"{PROFILES}/{number}/differences?before=1&after=2").text
    assert "3 settings differ" in page
    for key in ("scope.max_hops", "scope.reject", "extraction.javascript"):
        assert key in page
    assert "Too deep." in curator.get(f"{PROFILES}/{number}").text
    (entry,) = audited(site, "profile.version_made")
    assert ("scope.max_hops", 100, 60) in entry.differences()


def test_what_differs_from_the_default_is_marked_and_said_in_words(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    document = {"scope": {"max_hops": 5}, "limits": {"max_download_bytes": 5_000_000}}
    number = Profiles(site.house.database).create(SYSTEM, "press", document=document).id

    form = curator.get(f"{PROFILES}/{number}/edit").text
    page = curator.get(f"{PROFILES}/{number}").text

    marked = re.findall(r'data-setting="([^"]+)" class="setting-differs"', form)
    assert marked == ["scope.max_hops", "limits.max_download_bytes"]
    assert form.count("1 differs from the default") == 2
    assert "2 settings differ from the defaults." in page
    assert "Links from the seed, at most" in page
    assert ">5.0" in page  # in words: with its unit, MB


def test_what_is_wrong_is_said_at_its_field_and_nothing_typed_is_lost(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    number = Profiles(site.house.database).named("host").id
    values = ticked(curator.get(f"{PROFILES}/{number}/edit").text)
    wrong = {**values, "scope.max_hops": "many", "politeness.min_delay": "60", "reason": "Because <so>."}
    answer = curator.submit(f"{PROFILES}/{number}/edit", wrong)
    assert answer.status_code == 422
    assert 'id="scope.max_hops-wrong">This must be a whole number.' in answer.text
    assert "Links from the seed, at most" in answer.text.split('role="alert"')[1][:400]
    assert 'value="many"' in answer.text
    assert "Because &lt;so&gt;." in answer.text
    assert rows(site, f"SELECT version FROM profile WHERE id = {number}") == [(1,)]


def test_a_profile_travels_as_toml(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    profiles = Profiles(site.house.database)
    broad = profiles.named("broad")
    text = curator.get(f"{PROFILES}/{broad.id}/versions/1/profile.toml").text
    assert 'kind = "domain"' in text
    given = {"as": "toml", "name": "copy", "description": "", "reason": "", "toml": text}
    assert curator.submit(f"{PROFILES}/new", given).status_code == 303
    assert profiles.named("copy").document == broad.document
    for bad, sentence in (
        ("[scope", "no TOML"),
        ("[scope]\nmax_hops = -1", "0 or more"),
        ("name = 'x'", "its job"),
    ):
        answer = curator.submit(f"{PROFILES}/new", {**given, "name": "other", "toml": bad})
        assert answer.status_code == 422
        assert sentence in answer.text.split('id="toml-wrong"')[1][:200]


def test_form_and_toml_are_two_pages_with_one_button_each(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    number = Profiles(site.house.database).named("broad").id
    form = curator.get(f"{PROFILES}/{number}/edit").text
    written = curator.get(f"{PROFILES}/{number}/edit?as=toml").text
    assert form.count("Save as a new version") == written.count("Save as a new version") == 1
    assert 'name="toml"' not in form
    assert "kind = &#34;domain&#34;" in written
    assert 'name="queues.by"' in form


def test_what_shares_a_queue_is_chosen_in_the_form(site: RunningSite) -> None:
    curator = enter(site, "cora", Role.CURATOR)
    profiles = Profiles(site.house.database)
    number = profiles.named("broad").id
    shown = curator.get(f"{PROFILES}/{number}/edit").text
    assert '<option value="domain" selected>' in shown
    assert profiles.named("broad").document["queues"]["by"] == "domain"
    given = {**ticked(shown), "queues.by": "host", "reason": "A domain with a host for each of its parts."}
    assert curator.submit(f"{PROFILES}/{number}/edit", given).status_code == 303
    assert profiles.named("broad").document["queues"]["by"] == "host"  # though orders have it by default
    assert '<option value="host" selected>' in curator.get(f"{PROFILES}/{number}/edit").text


def test_a_page_tells_which_configurations_use_a_profile(site: RunningSite) -> None:
    reader = enter(site, "lib", Role.LIBRARIAN)
    number = Profiles(site.house.database).named("page").id
    execute(site, "INSERT INTO domain (name, created_at) VALUES ('example.org', now())")
    execute(
        site,
        "INSERT INTO configuration (domain, name, profile) SELECT id, 'front page', :profile FROM domain",
        profile=number,
    )
    page = reader.get(f"{PROFILES}/{number}").text
    assert "example.org" in page
    assert "front page" in page
    assert "1 configuration uses it." in page
    assert "data-edit" not in page


def test_who_may_only_look_changes_nothing(site: RunningSite) -> None:
    reader = enter(site, "lib", Role.LIBRARIAN)
    number = Profiles(site.house.database).named("page").id
    for path in ("new", f"{number}/edit"):
        assert reader.get(f"{PROFILES}/{path}").status_code == 403
    for path in ("new", str(number), f"{number}/edit", f"{number}/versions/1/restore"):
        assert reader.submit(f"{PROFILES}/{path}", {"name": "x"}).status_code == 403


def test_programs_make_versions_compare_them_and_go_back(site: RunningSite) -> None:
    enter(site, "cora", Role.CURATOR)
    secret = token_of(site, "cora", Permission.PLANNING_VIEW, Permission.PLANNING_RULES)
    program = with_token(site, secret)
    made = program.post("/api/profiles", json={"name": "press", "document": {"scope": {"max_hops": 5}}})
    assert made.status_code == 201
    address = f"/api/profiles/{made.json()['id']}"
    new = {"document": {"scope": {"max_hops": 6}}, "reason": "Deeper."}
    assert program.post(f"{address}/versions", json=new).json()["version"] == 2
    differences = program.get(f"{address}/differences", params={"before": 1, "after": 2}).json()
    assert differences == [{"key": "scope.max_hops", "before": 5, "after": 6}]
    assert program.post(f"{address}/versions/1/restore", json={}).json()["version"] == 3
    assert program.get(f"{address}/versions").json()["total"] == 3
    refused = program.post(f"{address}/versions", json={"document": {"scope": {"depth": 1}}})
    assert (refused.status_code, refused.json()["field"]) == (422, "scope.depth")
    assert program.patch(address, json={"active": False}).json()["active"] is False
    assert program.get(f"{address}/configurations").json() == {"items": [], "total": 0, "next": None}
