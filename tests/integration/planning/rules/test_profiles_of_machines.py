"""What a profile says of the machines that crawl is changed by those who answer for them."""

from typing import Any

import pytest

from armarium.accounts.model import Permission, Role
from armarium.core.actor import SYSTEM, Actor, Via
from armarium.db.database import Database
from armarium.planning.profiles.rules import MACHINE, BadOrder
from armarium.planning.profiles.service import Profiles
from tests.integration.planning.rules.test_profiles import PROFILES, ticked
from tests.integration.web.steps import assert_clear, enter, token_of, with_token
from tests.site import RunningSite

CURATOR = Actor("cora", Via.PAGE, 1)
SAID: dict[str, dict[str, Any]] = {
    "limits": {"min_free_disk": 5},
    "fetching": {
        "proxy": "http://proxy.example:3128",
        "proxy_resolves": True,
        "dns_servers": ["192.0.2.1"],
        "bind_address": "192.0.2.2",
        "allowed_ranges": ["10.0.0.0/8"],
        "denied_ranges": ["198.51.100.0/24"],
    },
    "recording": {"template": "x-{prefix}-{time}-{serial}"},
}
EACH = [(section, key, value) for section, keys in SAID.items() for key, value in keys.items()]
WHY = "only people who may manage collectors"


def test_a_curator_neither_sets_nor_takes_away_what_concerns_the_machines(database: Database) -> None:
    assert {f"{section}.{key}" for section, key, _ in EACH} == MACHINE
    profiles = Profiles(database)
    for section, key, value in EACH:
        document = {section: {key: value}}
        with pytest.raises(BadOrder, match=WHY) as refused:
            profiles.create(CURATOR, "press", document=document)
        assert list(refused.value.faults) == [f"{section}.{key}"]
        made = profiles.create(SYSTEM, f"for {key}", document={})
        with pytest.raises(BadOrder, match=WHY):
            profiles.new_version(CURATOR, made.id, document, "")
        profiles.new_version(SYSTEM, made.id, document, "")
        kept = profiles.new_version(CURATOR, made.id, {**document, "robots": "ignore"}, "")
        assert kept.document[section][key] == value
        with pytest.raises(BadOrder, match=WHY):
            profiles.new_version(CURATOR, made.id, {}, "")
        with pytest.raises(BadOrder, match=WHY):
            profiles.go_back(CURATOR, made.id, 1, "")
        assert profiles.go_back(CURATOR, made.id, 1, "", machines=True).version == 4


def test_the_form_shows_them_to_a_curator_and_asks_an_engineer(site: RunningSite) -> None:
    profiles = Profiles(site.house.database)
    number = profiles.create(SYSTEM, "press", document=SAID).id
    address = f"{PROFILES}/{number}/edit"
    curator, engineer = enter(site, "cora", Role.CURATOR), enter(site, "eli", Role.ENGINEER)
    page = curator.get(address).text
    values = ticked(page)
    assert WHY in page
    assert "http://proxy.example:3128" in page
    assert not MACHINE & set(values)
    forged = {**values, "robots": "ignore", "fetching.proxy": "http://evil.example:1"}
    assert curator.submit(address, forged).status_code == 303
    kept = profiles.get(number).document
    assert kept["robots"] == "ignore"
    assert {key: kept[key] for key in SAID} == SAID

    pasted = {
        "as": "toml",
        "reason": "",
        "toml": "robots = 'obey'\n[fetching]\nproxy = 'http://evil.example:1'",
    }
    answer = curator.submit(address, pasted)
    assert answer.status_code == 422
    assert WHY in answer.text
    answer = curator.submit(f"{PROFILES}/{number}/versions/1/restore", {"reason": ""})
    assert answer.status_code == 303  # it says the same of the machines

    asked = ticked(engineer.get(address).text)
    assert set(asked) >= MACHINE
    assert engineer.submit(address, {**asked, "fetching.proxy": "http://new.example:1"}).status_code == 303
    assert profiles.get(number).document["fetching"]["proxy"] == "http://new.example:1"
    answer = curator.submit(f"{PROFILES}/{number}/versions/1/restore", {"reason": ""})
    assert (answer.status_code, WHY in answer.text) == (422, True)


def test_a_copy_made_by_a_curator_begins_without_them(site: RunningSite) -> None:
    number = Profiles(site.house.database).create(SYSTEM, "press", document=SAID).id
    curator = enter(site, "cora", Role.CURATOR)
    page = curator.get(f"{PROFILES}/new?from={number}").text
    assert "are left out" in page
    assert "proxy.example" not in page
    assert curator.submit(f"{PROFILES}/new", {**ticked(page), "name": "copy"}).status_code == 303
    assert not set(SAID) & set(Profiles(site.house.database).named("copy").document)


def test_a_program_needs_the_scope(site: RunningSite) -> None:
    enter(site, "eli", Role.ENGINEER)
    scopes = (Permission.PLANNING_VIEW, Permission.PLANNING_RULES)
    given = {"name": "press", "document": SAID}
    answer = with_token(site, token_of(site, "eli", *scopes)).post("/api/profiles", json=given)
    assert_clear(answer, 422)
    assert WHY in answer.json()["detail"]
    able = with_token(site, token_of(site, "eli", *scopes, Permission.COLLECTORS_MANAGE))
    assert able.post("/api/profiles", json=given).status_code == 201
