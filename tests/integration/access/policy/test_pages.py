"""The pages of the rules, as curators use them."""

import csv
import io
import re

from armarium.access.policy.model import State
from armarium.access.policy.queries import RuleFilter
from armarium.access.rules.service import Rules
from armarium.accounts.model import Role
from armarium.core.actor import SYSTEM
from armarium.core.services import Services
from tests.site import Client, RunningSite

RULES = "/access/rules"
PAGES = (
    RULES,
    f"{RULES}/new",
    "/access/take-downs",
    "/access/take-downs/new",
    "/access/networks",
    "/access/why",
)


def rules_of(site: RunningSite) -> Rules:
    services: Services = site.app.state.services
    return services.get(Rules)


def test_a_rule_is_made_looked_at_changed_and_ended(site: RunningSite, ada: Client) -> None:
    values = {"effect": "restrict", "pattern": "www.example.org/news", "public_message": "Come in person."}
    shown = ada.submit(f"{RULES}/new", {**values, "try": "yes"})
    assert "Only the page example.org/news" in shown.text
    assert "4 captures that the archive has now" in shown.text
    made = ada.submit(f"{RULES}/new", values)
    assert (made.status_code, made.headers["location"]) == (303, f"{RULES}/1")
    page = ada.get(f"{RULES}/1").text
    assert "Come in person." in page
    assert "Access rule created" in page
    changed = {**values, "effect": "embargo", "embargo_years": "2", "valid_until": "2030-12-31", "seen": "1"}
    assert ada.submit(f"{RULES}/1", changed).status_code == 303
    found = rules_of(site).get(1).terms
    assert (found.embargo.years, found.valid_until and found.valid_until.isoformat()[:10]) == (
        2,
        "2031-01-01",
    )
    assert 'value="2030-12-31"' in ada.get(f"{RULES}/1?edit=yes").text
    late = ada.submit(f"{RULES}/1", {**changed, "reason": "x"})
    assert (late.status_code, "Somebody else changed this rule" in late.text) == (422, True)
    assert ada.submit(f"{RULES}/1/end", {"why": ""}).status_code == 422
    assert ada.submit(f"{RULES}/1/end", {"why": "The owner agreed."}).status_code == 303
    ended = ada.get(f"{RULES}/1").text
    assert "The owner agreed." in ended
    assert "End the rule" not in ended
    assert "No rule yet" in ada.get(RULES).text
    assert "www.example.org/news" in ada.get(f"{RULES}?state=ended").text


def test_the_history_speaks_in_words_and_of_what_was_wanted_only(ada: Client) -> None:
    ada.submit("/access/networks/new", {"name": "Reading room", "ranges": "127.0.0.0/8"})
    values = {"effect": "restrict", "pattern": "www.example.org/news", "networks": "1"}
    ada.submit(f"{RULES}/new", values)
    made = told(ada.get(f"{RULES}/1").text)
    assert {"Effect: Restrict", "Networks: Reading room", "Address: www.example.org/news"} <= set(made)
    assert not [one for one in made if "Years of embargo" in one or "Take-down" in one]
    ada.submit(f"{RULES}/1", {**values, "effect": "allow", "no_downloads": "yes", "seen": "1"})
    assert {"Effect: Restrict→Allow", "No downloads: no→yes"} <= set(told(ada.get(f"{RULES}/1").text))


def told(page: str) -> list[str]:
    """The changes of all entries of the history, as somebody reads them."""
    timeline = page.partition('<ol class="timeline">')[2].partition("</ol>")[0]
    items = re.findall(r'<li><span class="soft">(.*?)</li>', timeline, flags=re.DOTALL)
    seen = (re.sub(r'<span class="unseen">.*?</span>|<[^>]*>', "", one) for one in items)
    return [" ".join(one.split()) for one in seen]


def test_what_is_wrong_with_a_rule_is_said_and_what_was_typed_is_kept(ada: Client) -> None:
    answer = ada.submit(f"{RULES}/new", {"effect": "embargo", "pattern": "example.org", "roles": "reader"})
    assert answer.status_code == 422
    assert "Enter the length of the embargo." in answer.text
    assert re.search(r'value="reader"\s+checked', answer.text)
    unknown = ada.submit(f"{RULES}/new", {"effect": "allow", "pattern": "*", "accounts": "nobody"})
    assert "There is no account named nobody." in unknown.text


def test_all_that_is_wrong_is_told_at_once_and_the_form_opens_again(ada: Client) -> None:
    values = {"effect": "embargo", "pattern": "a b", "valid_from": "soon", "captured_from": "never"}
    page = ada.submit(f"{RULES}/new", values).text
    for told in ("Enter the length of the embargo.", "“soon” is not a date.", "“never” is not a date."):
        assert told in page
    assert page.count('class="wrong"') == 4
    ada.submit(f"{RULES}/new", {"effect": "hide", "pattern": "example.org"})
    assert 'name="pattern"' not in ada.get(f"{RULES}/1").text
    assert 'name="pattern"' in ada.submit(f"{RULES}/1", {**values, "seen": "1"}).text


def test_rules_are_exported_and_found_by_the_search_box(ada: Client) -> None:
    ada.submit(f"{RULES}/new", {"effect": "hide", "pattern": "example.org", "reason": "=1+1"})
    [row] = csv.DictReader(io.StringIO(ada.get(f"{RULES}?export=csv").text))
    assert (row["address"], row["reason"]) == ("example.org", "'=1+1")
    assert f'href="{RULES}/1"' in ada.get("/find?q=example.org").text


def test_the_preview_follows_what_is_typed(ada: Client) -> None:
    asked = {
        ("*.example.org", ""): "12 captures",
        ("example.org", ""): "8 captures",
        ("example.org", "2026"): "4 captures",
        ("nothing.example", ""): "No capture",
        ("", ""): "Type an address",
        ("a b", ""): "is not an address",
        ("*", ""): "12 captures",
    }
    for (pattern, first), told in asked.items():
        values = {"effect": "hide", "pattern": pattern, "captured_from": first}
        answer = ada.submit(f"{RULES}/preview", values)
        assert (pattern, told in answer.text, "<html" in answer.text) == (pattern, True, False)


def test_a_take_down_is_made_listed_and_reported(site: RunningSite, ada: Client) -> None:
    values = {"effect": "restrict", "pattern": "images.example.org", "legal_basis": "=cmd|' /C calc'!A0"}
    assert ada.submit("/access/take-downs/new", values).status_code == 422
    made = ada.submit("/access/take-downs/new", {**values, "reason": "Letter of 3 May", "accredited": "yes"})
    assert made.status_code == 303
    [rule] = rules_of(site).not_ended()
    assert (rule.terms.take_down, rule.terms.audience.weight) == (True, 0)
    assert "Letter of 3 May" in ada.get("/access/take-downs").text
    rules_of(site).end(SYSTEM, rule.id, "Withdrawn.")
    assert "Withdrawn." in ada.get("/access/take-downs?ended=true").text
    table = ada.get("/access/take-downs.csv")
    [row] = csv.DictReader(io.StringIO(table.text))
    assert (row["address"], row["reason"], row["ended_why"]) == (
        "images.example.org",
        "Letter of 3 May",
        "Withdrawn.",
    )
    assert row["legal_basis"].startswith("'=")


def test_networks_are_made_changed_and_removed(ada: Client) -> None:
    values = {"name": "Reading room", "ranges": "127.0.0.0/8, 2001:db8::/32"}
    assert ada.submit("/access/networks/new", values).status_code == 303
    assert "you are here" in ada.get("/access/networks").text
    assert ada.submit("/access/networks/new", values).status_code == 422
    seen = re.search(r'name="seen" value="([0-9a-f]+)"', ada.get("/access/networks/1?edit=yes").text)
    assert seen is not None
    values["seen"] = seen[1]
    assert ada.submit("/access/networks/1", {**values, "ranges": "x"}).status_code == 422
    assert ada.submit("/access/networks/1", {**values, "note": "South wing"}).status_code == 303
    assert "Somebody else changed this network" in ada.submit("/access/networks/1", values).text
    ada.submit(f"{RULES}/new", {"effect": "allow", "pattern": "*", "networks": "1"})
    assert "Rule 1 uses Reading room" in ada.submit("/access/networks/1/remove").text
    assert "Reading room" in ada.get(RULES).text
    ada.submit(f"{RULES}/1/end", {"why": "x"})
    assert ada.submit("/access/networks/1/remove").status_code == 303
    assert "No network yet" in ada.get("/access/networks").text


def test_why_names_the_rules_and_the_one_that_decides(ada: Client) -> None:
    ada.submit("/access/networks/new", {"name": "Room", "ranges": "192.0.2.0/24"})
    ada.submit(f"{RULES}/new", {"effect": "hide", "pattern": "*.example.org"})
    ada.submit(f"{RULES}/new", {"effect": "allow", "pattern": "*.example.org", "networks": "1"})
    outside = ada.get("/access/why?url=http://www.example.org/x&date=2020").text
    assert "It is for other readers." in outside
    assert "hidden" in outside
    inside = ada.get("/access/why?url=http://www.example.org/x&date=2020&networks=1").text
    assert "may be seen" in inside
    elsewhere = ada.get("/access/why?url=http://else.net/").text
    assert "only staff may see it" in elsewhere
    assert ada.get("/access/why?url=http://else.net/&date=20203").status_code == 422


def test_who_may_only_look_can_change_nothing(site: RunningSite, ada: Client) -> None:
    ada.submit(f"{RULES}/new", {"effect": "hide", "pattern": "example.org"})
    manager = site.signed_in("max", Role.MANAGER)
    assert "example.org" in manager.get(f"{RULES}/1").text
    assert "New rule" not in manager.get(RULES).text
    assert manager.get(f"{RULES}/new").status_code == 403
    assert manager.submit(f"{RULES}/1/end", {"why": "x"}).status_code == 403
    assert rules_of(site).page(RuleFilter(state=State.ENDED), limit=1)[1] == 0
    reader = site.signed_in("rita", Role.READER)
    assert {reader.get(path).status_code for path in PAGES} == {403}


def test_all_pages_answer(ada: Client) -> None:
    assert {ada.get(path).status_code for path in PAGES} == {200}
