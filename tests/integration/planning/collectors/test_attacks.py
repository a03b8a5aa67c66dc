"""Stolen, copied, altered, expired: none of it opens anything."""

import json
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from armarium.accounts.model import Permission, Role
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.core.collecting import CHUNK_BYTES
from armarium.db.database import Database
from armarium.formats.token import CollectorKeys, Reason, SigningKey, Untrusted, open_task_token
from armarium.planning.collectors.service import server_key
from armarium.planning.tables.harvests import collector, enrolment
from tests.integration.planning.collectors.machine import BASE, LEASE, Wire, code_of, enrolled
from tests.integration.planning.collectors.world import A, World
from tests.integration.web.steps import token_of, with_token
from tests.site import LOG, RunningSite, running_site

WINDOW = timedelta(seconds=121)


@pytest.fixture
def site(database: Database, tmp_path: Path) -> Iterator[RunningSite]:
    with running_site(database, tmp_path / "home") as running:
        yield running


@pytest.fixture
def world(site: RunningSite, database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path / "home")


def log_of(world: World) -> list[dict[str, Any]]:
    lines = (world.home / LOG).read_text().splitlines()
    return [line for line in map(json.loads, lines) if line.get("event") == "collector refused"]


def assert_nothing(answer: httpx.Response, world: World, reason: str) -> None:
    """Refused without a hint, and the log says why."""
    assert answer.status_code == 401, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["www-authenticate"] == "Collector"
    assert answer.json()["code"] == "proof"
    assert reason not in answer.text
    assert log_of(world)[-1]["reason"] == reason


def test_a_machine_enrols_with_a_code_and_gets_work(site: RunningSite, world: World) -> None:
    number = world.job("a.example")
    wire = enrolled(site)
    answer = wire.lease()
    assert answer.status_code == 200, answer.text
    token = answer.json()["token"]
    assert wire.enrol("wrong").status_code == 403  # also for one who is known
    known = site.house.collectors.named("c1")
    assert known.seen_at
    assert known.slots == 1  # as it said when it enrolled: later it may only say less
    public = server_key(site.house.vault).public
    task = open_task_token(token, wire.keys, collector="c1", server_key=public, now=clock.now())
    assert (task.job, task.attempt) == (number, 1)


def test_a_code_works_once_and_not_for_long(site: RunningSite, world: World) -> None:
    code = code_of(site.house)
    wire = Wire(site)
    first, lost = wire.enrol(code), wire.enrol(code)  # the answer was lost: the same keys may ask again
    assert first.json() == lost.json()
    assert Wire(site, "c2").enrol(code).json()["code"] == "enrolment-code"
    assert Wire(site, "c1").enrol(code).status_code == 403  # another's keys under the same name
    taken = Wire(site, "c1").enrol(code_of(site.house)).json()
    assert taken["code"] == "name-taken"
    assert "collector.name" in taken["detail"]
    late = code_of(site.house)
    world.change(sa.update(enrolment).values(expires_at=clock.now()))
    assert Wire(site, "c3").enrol(late).status_code == 403
    assert len(world.rows(sa.select(collector))) == 1


NONSENSE: tuple[dict[str, Any], ...] = (
    {"name": "Bad Name"},
    {"name": "../etc"},
    {"signing_key": {"kty": "OKP", "crv": "X25519", "x": "A" * 43}},
    {"sealing_key": {"kty": "OKP", "crv": "X25519", "x": "A" * 43}},  # zeros: protects nothing
    {"sealing_key": {"kty": "oct", "k": "AAAA"}},
    {"signing_key": {}},
    {"more": 1},
)


def test_nonsense_does_not_enrol(site: RunningSite, world: World) -> None:
    code = code_of(site.house)
    for wrong in NONSENSE:
        answer = Wire(site).enrol(code, **wrong)
        assert (answer.status_code, answer.json()["code"]) == (422, "values"), wrong
    assert world.rows(sa.select(collector)) == []


def test_a_copy_of_a_request_gets_nothing(site: RunningSite, world: World) -> None:
    world.job(), world.job()
    wire = enrolled(site)
    assert wire.lease().json()["token"]
    assert_nothing(wire.replay(), world, Reason.REPLAYED)


def test_an_altered_proof_gets_nothing(site: RunningSite, world: World) -> None:
    wire = enrolled(site)
    wire.lease()
    assert wire.sent is not None
    shown = wire.sent.headers["authorization"]
    for place in range(len("Collector "), len(shown), 7):
        other = "A" if shown[place] != "A" else "B"
        answer = wire.lease(shown=shown[:place] + other + shown[place + 1 :])
        assert answer.status_code == 401, place


def test_a_stolen_name_with_another_key_gets_nothing(site: RunningSite, world: World) -> None:
    enrolled(site)
    thief = Wire(site, "c1", CollectorKeys.generate())
    assert_nothing(thief.lease(), world, Reason.SIGNATURE)


def test_nobody_gets_anything_under_an_unknown_or_revoked_name(site: RunningSite, world: World) -> None:
    assert_nothing(Wire(site, "nobody").lease(), world, Reason.FOREIGN)
    wire = enrolled(site)
    site.house.collectors.revoke(SYSTEM, site.house.collectors.named("c1").id)
    refused = wire.lease()
    assert (refused.status_code, refused.json()["code"]) == (403, "revoked")
    assert_nothing(Wire(site, "c1", CollectorKeys.generate()).lease(), world, Reason.SIGNATURE)


def test_a_proof_of_another_time_request_or_body_gets_nothing(site: RunningSite, world: World) -> None:
    wire = enrolled(site)
    assert_nothing(wire.lease(now=clock.now() - WINDOW), world, Reason.EXPIRED)
    assert_nothing(wire.lease(now=clock.now() + WINDOW), world, Reason.EARLY)
    assert_nothing(wire.lease(proved_target=f"{BASE}/lease?x=1"), world, Reason.OTHER_REQUEST)
    assert_nothing(wire.lease(proved_method="PUT"), world, Reason.OTHER_REQUEST)
    assert_nothing(wire.lease(proved_body=b"{}"), world, Reason.OTHER_REQUEST)


def test_what_is_no_proof_gets_nothing(site: RunningSite, world: World) -> None:
    wire = enrolled(site)
    for shown in ("", "Bearer x", "Collector", "Collector a.b.c", "Collector " + "[" * 3000):
        assert_nothing(wire.lease(shown=shown), world, Reason.MALFORMED)


def test_a_task_token_is_of_use_to_nobody_else(site: RunningSite, world: World) -> None:
    world.job("a.example")
    wire = enrolled(site)
    token = wire.lease().json()["token"]
    public, now = server_key(site.house.vault).public, clock.now()
    thief = CollectorKeys.generate()
    for keys, name, key, moment in (
        (thief, "c1", public, now),
        (wire.keys, "c2", public, now),
        (wire.keys, "c1", SigningKey.derived(b"o" * 32).public, now),
        (wire.keys, "c1", public, now + timedelta(hours=1)),
    ):
        with pytest.raises(Untrusted):
            open_task_token(token, keys, collector=name, server_key=key, now=moment)
    # Shown to the server, it is no proof of anything.
    assert wire.lease(shown=f"Collector {token}").status_code == 401


def test_a_session_and_an_api_token_open_no_address_of_collectors(site: RunningSite, world: World) -> None:
    administrator = site.signed_in("ada", Role.ADMINISTRATOR)
    proof = {"X-CSRF-Token": administrator.token("/account")}
    program = with_token(site, token_of(site, "ada", *Permission))
    for client, headers in ((administrator, proof), (program, {})):
        for method, path in addresses():
            answer = client.request(method, path, headers=headers, content=json.dumps(LEASE))
            assert (answer.status_code, answer.json()["code"]) == (401, "proof"), path


def addresses() -> list[tuple[str, str]]:
    files = f"{BASE}/jobs/1/files"
    return [
        ("POST", f"{BASE}/lease"),
        ("POST", f"{BASE}/jobs/1/heartbeat"),
        ("POST", files),
        ("GET", f"{files}/a.warc.gz?attempt=1"),
        ("PUT", f"{files}/a.warc.gz?attempt=1&offset=0"),
        ("POST", f"{BASE}/jobs/1/end"),
    ]


def test_a_proof_opens_nothing_but_the_addresses_of_collectors(site: RunningSite, world: World) -> None:
    wire = enrolled(site)
    for path in ("/api/me", "/api/collectors", "/api/accounts", "/api/openapi.json"):
        assert wire.send("GET", path).status_code == 401, path
    for path in ("/", "/harvesting/collectors", "/account"):
        assert wire.send("GET", path).status_code == 303, path
    assert wire.send("POST", "/api/collectors/codes", {}).status_code == 401
    assert wire.send("POST", "/harvesting/collectors/1/revoke").status_code == 401


def test_a_collector_reaches_no_job_of_another(site: RunningSite, world: World) -> None:
    number = world.job("a.example")
    enrolled(site, "c1").lease()
    other = enrolled(site, "c2")
    for method, path, body in (
        ("POST", f"{BASE}/jobs/{number}/heartbeat", {"attempt": 1, "phase": "crawling"}),
        ("POST", f"{BASE}/jobs/{number}/end", {"attempt": 1, "kind": "done"}),
        ("POST", f"{BASE}/jobs/{number}/files", {"attempt": 1, "name": "a", "size": 1, "sha256": "0" * 64}),
        ("PUT", f"{BASE}/jobs/{number}/files/a?attempt=1&offset=0", b"x"),
        ("GET", f"{BASE}/jobs/{number}/files/a?attempt=1", b""),
    ):
        answer = other.send(method, path, body)
        assert (answer.status_code, answer.json()["code"]) == (409, "lease-lost"), path
    assert world.row(number).state == "submitted"


LEADING_OUT = (
    "..",
    "../x",
    "a/b",
    ".hidden",
    "a%2fb",
    "..%2f..%2fx",
    "a%00",
    "%2e%2e",
    "a b",
    "a" * 300,
    "é",
)


def test_no_name_of_a_file_leads_out_of_its_folder(site: RunningSite, world: World) -> None:
    number = world.job("a.example")
    wire = enrolled(site)
    wire.lease()
    for name in LEADING_OUT:
        put = wire.send("PUT", f"{BASE}/jobs/{number}/files/{name}?attempt=1&offset=0", b"x")
        assert put.status_code in {400, 401, 404, 405, 422}, put.text
        given = {"attempt": 1, "name": name, "size": 1, "sha256": "0" * 64}
        assert wire.send("POST", f"{BASE}/jobs/{number}/files", given).status_code == 422, name
    assert not (world.home / "arrivals").exists()


def test_bodies_are_bounded_where_they_are_read(site: RunningSite, world: World) -> None:
    number = world.job("a.example")
    wire = enrolled(site)
    wire.lease()
    target = f"{BASE}/jobs/{number}/files/a?attempt=1&offset=0"
    answer = wire.send("PUT", target, b"x" * (CHUNK_BYTES + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "too-large")
    assert wire.send("POST", f"{BASE}/jobs/{number}/end", b" " * 16_000_001).status_code == 413
    assert wire.send("POST", f"{BASE}/jobs/{number}/heartbeat", b" " * 1_000_001).status_code == 413
    assert wire.send("POST", f"{BASE}/lease", b" " * 1_000_001).status_code == 413
    assert wire.send("POST", f"{BASE}/jobs/{number}/end", b"{}").json()["code"] == "values"


def test_a_whole_job_over_the_wire(site: RunningSite, world: World) -> None:
    number = world.job("a.example")
    wire = enrolled(site)
    wire.lease()
    assert wire.send("GET", f"{BASE}/jobs/{number}/digests?attempt=1").status_code == 204
    assert wire.send("GET", f"{BASE}/jobs/{number}/digests?attempt=2").json()["code"] == "lease-lost"
    base, content = f"{BASE}/jobs/{number}", bytes(CHUNK_BYTES) + b"end"
    beat = wire.send(
        "POST", f"{base}/heartbeat", {"attempt": 1, "phase": "crawling", "report": {"objects": 1}}
    )
    assert beat.json()["commands"] == []
    offered = {
        "attempt": 1,
        "name": A,
        "size": len(content),
        "sha256": sha256(content).hexdigest(),
    }
    assert wire.send("POST", f"{base}/files", offered).json()["received"] == 0
    first = wire.send("PUT", f"{base}/files/{A}?attempt=1&offset=0", content[:CHUNK_BYTES])
    assert first.json()["received"] == CHUNK_BYTES
    wrong = wire.send("PUT", f"{base}/files/{A}?attempt=1&offset=1", b"x")
    assert (wrong.status_code, wrong.json()["received"]) == (409, CHUNK_BYTES)
    end = {"attempt": 1, "kind": "done", "files": [A], "outcome": "Finished"}
    assert wire.send("POST", f"{base}/end", end).json()["missing"] == [A]
    last = wire.send("PUT", f"{base}/files/{A}?attempt=1&offset={CHUNK_BYTES}", b"end")
    assert last.json()["state"] == "landed"
    assert wire.send("POST", f"{base}/end", end).json()["missing"] == [A]
    site.house.storage.files.store(1)
    state = wire.send("GET", f"{base}/files/{A}?attempt=1")
    assert state.json() == {"name": A, "state": "stored", "received": len(content)}
    assert wire.send("POST", f"{base}/end", end).json() == {"state": "done"}
    assert wire.send("POST", f"{base}/end", end).json() == {"state": "done"}
