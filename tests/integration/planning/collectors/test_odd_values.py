"""Values that nobody means well with: refused or left out, and no page breaks of them."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from armarium.accounts.model import Permission, Role
from armarium.core.collecting import LONGEST_DOMAIN, LONGEST_ERROR, LONGEST_OUTCOME
from armarium.db.database import Database
from armarium.planning.tables.harvests import collector
from armarium.planning.tables.jobs import job, job_by_catch
from tests.integration.planning.collectors.machine import BASE, Wire, enrolled
from tests.integration.planning.collectors.world import A, World
from tests.integration.web.steps import token_of, with_token
from tests.site import RunningSite, running_site

BIG = 10**400
ODD_REPORT: dict[str, Any] = {
    "objects_per_second": "abc",
    "bytes_per_second": BIG,
    "seconds": [1],
    "seconds_left": 1e300,
    "biggest": 5,
    "bytes": BIG,
    "objects": -5,
    "queues_active": 10**3000,
    "by_type": {"a": 10**500, "b": True},
    "traps": 2**40,
}
ODD_QUEUES = {"biggest": [{"queue": "a.example", "queued": BIG, "bytes": "x", "max_objects": 1e300}, {}, 7]}


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path / "home") as running:
        yield running


@pytest.fixture
def world(site: RunningSite, database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path / "home")


def refused(wire: Wire, target: str, **odd: Any) -> bool:
    return wire.send("POST", f"{BASE}{target}", odd).status_code == 422


def test_reports_with_odd_values_break_no_page(site: RunningSite, world: World) -> None:
    number = world.job("a.example")
    wire = enrolled(site)
    wire.lease()
    ada = site.signed_in("ada", Role.ADMINISTRATOR)
    pages = ("/harvesting/running", f"/harvesting/jobs/{number}")
    for report in (ODD_REPORT, ODD_QUEUES):
        news = {"attempt": 1, "phase": "crawling", "report": report}
        assert wire.send("POST", f"{BASE}/jobs/{number}/heartbeat", news).status_code == 200
        for page in pages:
            assert ada.get(page).status_code == 200, page
        # As an older version kept it.
        old: dict[str, Any] = {"phase": "crawling", "report": report, "tail": []}
        world.change(sa.update(job).values(report=old))
        for page in pages:
            assert ada.get(page).status_code == 200, page
    facts = {"free_bytes": BIG, "total_bytes": BIG, "load": "high", "put_aside": 3, "slots": []}
    world.change(sa.update(collector).values(facts=facts))
    for page in ("/harvesting/collectors", "/harvesting/collectors/1"):
        assert ada.get(page).status_code == 200, page


def test_people_decide_how_many_jobs_a_collector_may_have(site: RunningSite, world: World) -> None:
    enrolled(site)
    ada = site.signed_in("ada", Role.ADMINISTRATOR)
    address, collectors = "/harvesting/collectors/1", site.house.collectors

    def save(slots: str) -> int:
        seen = collectors.get(1).mark
        return ada.submit(address, {"channels": "selective", "slots": slots, "seen": seen}).status_code

    assert save("4") == 303
    assert (collectors.get(1).slots, collectors.get(1).channels) == (4, ("selective",))
    assert [save(odd) for odd in ("", "many", "-1", "1001")] == [422] * 4
    program = with_token(site, token_of(site, "ada", Permission.COLLECTORS_MANAGE))
    assert program.patch("/api/collectors/1", json={"slots": 2}).json()["slots"] == 2
    assert program.patch("/api/collectors/1", json={"slots": 2**40}).status_code == 422
    assert collectors.get(1).slots == 2


def test_numbers_out_of_bounds_and_lists_without_end_are_refused(site: RunningSite, world: World) -> None:
    number = world.job("a.example")
    wire = enrolled(site)
    wire.lease()
    at = f"/jobs/{number}"
    beat = {"attempt": 1, "phase": "crawling"}
    end = {"attempt": 1, "kind": "done"}
    file = {"attempt": 1, "name": "a", "size": 1, "sha256": "0" * 64}
    for attempt in (True, -1, 2**31, 2**63, 1.5, "1"):
        assert refused(wire, f"{at}/heartbeat", **{**beat, "attempt": attempt}), attempt
        assert refused(wire, f"{at}/end", **{**end, "attempt": attempt}), attempt
        assert refused(wire, f"{at}/files", **{**file, "attempt": attempt}), attempt
    for size in (-1, 2**63, True):
        assert refused(wire, f"{at}/files", **{**file, "size": size}), size
        assert refused(wire, f"{at}/end", **end, objects=size), size
        assert refused(wire, f"{at}/end", **end, domains=[{"domain": "a.example", "objects": size}]), size
    for many in (0, True, 2**63):
        assert refused(wire, f"{at}/heartbeat", **beat, answers=[{"id": many, "accepted": True}]), many
        assert refused(wire, "/lease", machine={}, held=[{"job": many, "attempt": 1}]), many
        assert refused(wire, "/lease", machine={"jobs": [many]}), many
    assert refused(wire, "/lease", machine={"free_bytes": BIG})
    assert refused(wire, "/lease", machine={"slots": True})
    assert refused(wire, "/lease", machine={}, held=[{"job": 1, "attempt": 1}] * 1001)
    assert refused(wire, "/lease", machine={"jobs": [1] * 1001})
    assert refused(wire, f"{at}/heartbeat", **beat, tail=[""] * 1001)
    assert refused(wire, f"{at}/heartbeat", **beat, answers=[{"id": 1, "accepted": True}] * 101)
    assert refused(wire, f"{at}/end", **end, files=["a"] * 100_001)
    assert wire.send("POST", f"{BASE}{at}/heartbeat", {**beat, "tail": ["x" * 5000]}).status_code == 200
    aside = wire.send("POST", f"{BASE}/lease", {"machine": {"put_aside": ["1"] * 1500, "jobs": [number]}})
    assert aside.status_code == 200
    assert len(site.house.collectors.named("c1").facts["put_aside"]) == 1000


def test_long_and_odd_texts_of_an_end_are_cut_and_do_not_keep_it_from_ending(
    site: RunningSite, world: World
) -> None:
    number = world.job("a.example")
    wire = enrolled(site)
    wire.lease()
    domains = [
        {"domain": name, "objects": 1, "bytes": 1} for name in ("a\0b.example", "x" * 1_000_000, "a.example")
    ]
    told = {"error": "e" * 100_000, "outcome": "o\0" * 5000, "domains": domains, "objects": 3, "bytes": 3}
    content = b"captures"
    offered = {"attempt": 1, "name": A, "size": len(content), "sha256": sha256(content).hexdigest()}
    wire.send("POST", f"{BASE}/jobs/{number}/files", offered)
    wire.send("PUT", f"{BASE}/jobs/{number}/files/{A}?attempt=1&offset=0", content)
    site.house.storage.files.store(1)
    end = {"attempt": 1, "kind": "failed", "files": [A], **told}
    assert wire.send("POST", f"{BASE}/jobs/{number}/end", end).json() == {"state": "failed"}
    row = world.row(number)
    assert (len(row.error), len(row.outcome)) == (LONGEST_ERROR, LONGEST_OUTCOME)
    assert row.error.endswith("…")
    names = sorted(found.domain for found in world.rows(sa.select(job_by_catch)))
    assert names == ["a\ufffdb.example", "x" * (LONGEST_DOMAIN - 1) + "…"]


def test_a_proof_under_an_impossible_name_gets_nothing(site: RunningSite, world: World) -> None:
    wire = enrolled(site)
    wire.lease()
    assert wire.sent is not None
    _, payload, signature = wire.sent.headers["authorization"].removeprefix("Collector ").split(".")
    for name in ("a\0b", "\ud800", "A", "", "a" * 64, "a\n", 7, None):
        header = json.dumps({"alg": "Ed25519", "typ": "armarium-request", "kid": name}).encode()
        shown = f"Collector {urlsafe_b64encode(header).decode().rstrip('=')}.{payload}.{signature}"
        assert wire.lease(shown=shown).status_code == 401, name
