"""The API of rules, networks and decisions."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from armarium.accounts.model import Permission, Role
from armarium.db.database import Database
from tests.integration.web.steps import token_of, with_token
from tests.site import Client, running_site

RULES = "/api/access/rules"
NETWORKS = "/api/access/networks"


@pytest.fixture
def program(database: Database, tmp_path: Path) -> Iterator[Client]:
    """A program with a token of a curator's."""
    with running_site(database, tmp_path / "home") as site:
        site.account("carl", Role.CURATOR)
        yield with_token(site, token_of(site, "carl", Permission.ACCESS_VIEW, Permission.ACCESS_RULES))
        site.house.close()


def test_rules_are_made_read_replaced_and_ended(program: Client) -> None:
    made = program.post(RULES, json={"effect": "hide", "pattern": "*.example.org", "reason": "Letter"})
    assert (made.status_code, made.json()["match"], made.json()["key"]) == (201, "domain", "org,example)/")
    number = made.json()["id"]
    given: dict[str, Any] = {
        "effect": "embargo",
        "pattern": "example.org/a",
        "match": "prefix",
        "embargo_months": 6,
    }
    replaced = program.put(f"{RULES}/{number}?edition=1", json=given).json()
    assert (replaced["effect"], replaced["key"], replaced["reason"], replaced["edition"]) == (
        "embargo",
        "org,example)/a",
        "",
        2,
    )
    assert program.put(f"{RULES}/{number}?edition=1", json={**given, "reason": "x"}).status_code == 422
    assert program.get(f"{RULES}?effect=embargo").json()["total"] == 1
    assert program.post(f"{RULES}/{number}/end", json={"why": "Over."}).json()["state"] == "ended"
    assert program.get(RULES).json() == {"items": [], "total": 0, "next": None}
    assert program.get(f"{RULES}?state=ended").json()["items"][0]["ended_why"] == "Over."
    assert program.get(f"{RULES}/99").status_code == 404


NO_RULES: list[dict[str, Any]] = [
    {"effect": "vanish", "pattern": "example.org"},
    {"effect": "hide"},
    {"effect": "hide", "pattern": "example.org", "unknown": 1},
    {"effect": "hide", "pattern": "example.org", "collection": "nowhere"},
    {"effect": "hide", "pattern": "example.org", "accounts": [0]},
    {"effect": "hide", "pattern": "example.org", "networks": [77]},
    {"effect": "hide", "pattern": "x" * 3000},
    {"effect": "hide", "pattern": "a\u0000b"},
    {"effect": "embargo", "pattern": "example.org", "embargo_years": -1},
    {"effect": "hide", "pattern": "example.org", "valid_from": "2026-01-01T00:00:00"},
]


def test_documents_that_are_no_rule_are_refused(program: Client) -> None:
    for document in NO_RULES:
        assert program.post(RULES, json=document).status_code in (400, 422), document


def test_networks_are_named_changed_and_removed(program: Client) -> None:
    made = program.post(NETWORKS, json={"name": "Room", "ranges": ["192.0.2.7/24", "2001:DB8::/32"]}).json()
    assert made["ranges"] == ["192.0.2.0/24", "2001:db8::/32"]
    address = f"{NETWORKS}/{made['id']}"
    assert program.put(address, json={"name": "Hall", "ranges": ["192.0.2.7"]}).json()["name"] == "Hall"
    assert program.get(NETWORKS).json()["total"] == 1
    assert program.delete(address).status_code == 204
    assert program.get(address).status_code == 404


def test_many_captures_are_checked_in_one_question(program: Client) -> None:
    network = program.post(NETWORKS, json={"name": "Room", "ranges": ["192.0.2.0/24"]}).json()["id"]
    for given in (
        {"effect": "allow", "pattern": "*"},
        {"effect": "hide", "pattern": "*.example.org"},
        {"effect": "allow", "pattern": "*.example.org", "networks": [network], "no_downloads": True},
        {"effect": "embargo", "pattern": "young.net", "embargo_years": 1000, "public_message": "Not yet."},
    ):
        assert program.post(RULES, json=given).status_code == 201
    asked = [
        {"url": "http://www.example.org/", "timestamp": "20200101000000"},
        {"url": "http://young.net/", "timestamp": "2020"},
        {"url": "http://else.net/"},
    ]
    found = program.post("/api/access/check", json=asked).json()
    assert [one["effect"] for one in found] == ["hidden", "restricted", "allowed"]
    assert (found[1]["until"], found[1]["message"]) == ("3020-01-01", "Not yet.")
    inside = program.post(f"/api/access/check?network={network}", json=asked).json()
    assert (inside[0]["allowed"], inside[0]["no_downloads"]) == (True, True)
    why = program.get("/api/access/why", params={"url": "http://www.example.org/", "network": network}).json()
    assert [(one["decides"], one["misfit"]) for one in why["steps"]] == [
        (True, None),
        (False, None),
        (False, None),
    ]
    assert program.post("/api/access/check", json=[{"url": ""}]).status_code == 422
