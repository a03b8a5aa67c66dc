"""The pages and the API of audits and repairs, as those who look after the archive use them."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

from armarium.accounts.model import Role
from armarium.db.database import Database
from armarium.storage.model import AuditKind, RepairState
from armarium.storage.tables import file_check
from tests.integration.storage.audits.world import World
from tests.site import Client, RunningSite, running_site

NAME = "one.warc.gz"


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path / "home", folders=2)


@pytest.fixture
def site(world: World) -> Iterator[RunningSite]:
    environ = {"ARMARIUM_STORAGE_AUTOMATIC_REPAIRS": "false"}
    with running_site(world.database, world.home, **environ) as site:
        yield site


def undecided(world: World) -> int:
    """A file on which both folders agree, and not with the register."""
    world.store(NAME)
    world.overwrite("b", NAME, world.flip("a", NAME))
    world.overwrite("sums", NAME, b"{")
    world.audit("a")
    world.repair_all()
    return world.repair_of("a").id


def test_an_audit_is_started_watched_and_cancelled_on_its_page(world: World, site: RunningSite) -> None:
    ada: Client = site.signed_in("ada", Role.PRESERVATION)
    world.store(NAME)
    page = ada.get("/storage/audits")
    assert "All copies verified so far are intact" in page.text
    assert "Done." not in page.text
    assert "within 30 days" in page.text
    started = ada.submit("/storage/audits", {"replica": world.replica("a").id, "kind": "checksum"})
    assert started.status_code == 303
    address = started.headers["location"]
    assert "waiting" in ada.get(address).text
    again = ada.submit("/storage/audits", {"replica": world.replica("a").id, "kind": "checksum"})
    assert again.status_code == 422
    assert ada.submit(f"{address}/cancel").status_code == 303
    assert "cancelled" in ada.get(address).text
    assert ada.submit("/storage/audits", {"replica": "x", "kind": "y"}).status_code == 422


def test_the_speed_of_an_audit_is_drawn_from_what_it_read(world: World, site: RunningSite) -> None:
    ada: Client = site.signed_in("ada", Role.PRESERVATION)
    sizes = sum(world.store(name).size for name in ("one.warc.gz", "two.warc.gz", "three.warc.gz"))
    run = world.audit("a")
    address = f"/storage/audits/{run.id}"
    assert "Speed" not in ada.get(address).text  # it was over at once
    with world.database.transaction() as connection:
        read = connection.execute(file_check.select().where(file_check.c.audit == run.id)).mappings().all()
        for number, row in enumerate(read, 1):  # the history is never changed: what was read goes on
            later = {**row, "at": row["at"] + timedelta(minutes=number)}
            connection.execute(file_check.insert().values({k: v for k, v in later.items() if k != "id"}))
        ended = list(connection.scalars(sa.select(file_check.c.at).where(file_check.c.audit == run.id)))
    rows = ada.get(f"{address}?csv=speed").text.splitlines()[1:]
    length = (max(ended) - min(ended)).total_seconds() / len(rows)
    assert sum(float(row.split(",")[-1]) for row in rows) * length == pytest.approx(2 * sizes)
    assert "Speed" in ada.get(address).text


def test_damage_is_seen_at_once_and_a_repair_is_approved_with_one_button(
    world: World, site: RunningSite
) -> None:
    ada: Client = site.signed_in("ada", Role.PRESERVATION)
    object.__setattr__(world.settings, "automatic_repairs", False)
    world.store(NAME)
    world.flip("b", NAME)
    run = world.audit("b")
    world.repair_all()
    page = ada.get("/storage/audits").text
    assert "Some copies or replicas need attention." in page
    assert "needs approval" in page
    assert NAME in ada.get(f"/storage/audits/{run.id}").text
    number = world.repair_of("b").id
    shown = ada.get(f"/storage/repairs/{number}").text
    assert "Register" in shown
    assert "differs" in shown
    assert "Approve repair" in shown
    part = ada.get(f"/storage/repairs/{number}", headers={"x-part": "repair-history"}).text
    assert 'id="repair-history"' in part
    assert "<html" not in part
    assert "<html" not in ada.get("/storage/audits", headers={"x-part": "audits-state"}).text
    assert ada.submit(f"/storage/repairs/{number}/approve").status_code == 303
    assert ada.submit(f"/storage/repairs/{number}/approve").status_code == 422
    world.repair_all()
    done = ada.get(f"/storage/repairs/{number}").text
    assert "Copy repaired and verified" in done
    assert "aside/" in done
    assert NAME in ada.get("/storage/repairs?state=done").text
    assert "No repairs found" in ada.get("/storage/repairs?state=waiting").text


def test_deciding_asks_for_the_reason(world: World, site: RunningSite) -> None:
    ada: Client = site.signed_in("ada", Role.PRESERVATION)
    number = undecided(world)
    page = ada.get(f"/storage/repairs/{number}").text
    assert "Decide which copy is right" in page
    assert "is in none of the replicas asked" in page
    assert "No approval needed" not in page
    vote = world.repairs.get(number).ballot
    assert vote is not None
    sha256 = vote.votes[0].sha256
    without = ada.submit(f"/storage/repairs/{number}/decide", {"sha256": sha256, "why": ""})
    assert without.status_code == 422
    assert "Enter a reason." in without.text
    refused = ada.submit(f"/storage/repairs/{number}/refuse", {"why": ""})
    assert refused.status_code == 422
    decided = ada.submit(f"/storage/repairs/{number}/decide", {"sha256": sha256, "why": "seen on tape"})
    assert decided.status_code == 303
    assert world.repairs.get(number).state is RepairState.APPROVED
    assert "seen on tape" in ada.get(f"/storage/repairs/{number}").text


def test_many_repairs_are_approved_decided_and_refused_at_once(world: World, site: RunningSite) -> None:
    object.__setattr__(world.settings, "automatic_repairs", False)
    for name in ("one.warc.gz", "two.warc.gz", "three.warc.gz", "four.warc.gz"):
        world.store(name)
        world.flip("b", name)
    world.overwrite("a", "four.warc.gz", world.content("b", "four.warc.gz"))
    world.overwrite("sums", "four.warc.gz", b"{")
    world.audit("b")
    world.repair_all()
    by_name = {one.file_name: one.id for one in world.found_repairs() if one.replica_name == "b"}
    ada: Client = site.signed_in("ada", Role.PRESERVATION)
    page = ada.get("/storage/repairs?state=waiting").text
    assert "Approve, decide or reject several" in page
    assert "not a W/ARC file" in page
    chosen = "/storage/repairs/chosen?state=waiting"

    assert "Select at least one" in ada.submit(chosen, {"do": "approve"}).text
    one = ada.submit(chosen, {"do": "approve", "repair": by_name["one.warc.gz"]})
    assert one.status_code == 303
    without = ada.submit(chosen, {"do": "refuse", "repair": by_name["two.warc.gz"]})
    assert "Enter a reason." in without.text
    ada.submit(chosen, {"do": "refuse", "repair": by_name["two.warc.gz"], "why": "evidence"})
    unlikely = ada.submit(chosen, {"do": "decide", "repair": by_name["four.warc.gz"], "why": "hm"})
    assert "No replica has a copy with this checksum" in unlikely.text
    unproven = {"do": "decide", "repair": by_name["four.warc.gz"], "why": "hm", "like": "*"}
    assert "This rule does not show" in ada.submit(chosen, unproven).text  # the register is against it
    decision = {"do": "decide", "all": "yes", "newest": 10**6, "like": "b", "why": "seen on tape"}
    assert ada.submit(chosen, decision).status_code == 303
    again = {"do": "decide", "repair": by_name["four.warc.gz"], "why": "so it is"}
    assert ada.submit(chosen, {**again, "like": "b"}).status_code == 303
    assert (
        "This cannot be done" in ada.submit(chosen, {**again, "like": ""}).text
    )  # it was decided for others
    early = ada.submit(chosen, {"do": "approve", "all": "yes", "newest": by_name["one.warc.gz"]})
    assert early.status_code == 303
    assert world.repairs.get(by_name["three.warc.gz"]).state is RepairState.PROPOSED  # nobody had seen it
    ada.submit(chosen, {"do": "approve", "all": "yes", "newest": 10**6})

    states = {name: world.repairs.get(number).state for name, number in by_name.items()}
    assert states == {
        "one.warc.gz": RepairState.APPROVED,
        "two.warc.gz": RepairState.REFUSED,
        "three.warc.gz": RepairState.APPROVED,
        "four.warc.gz": RepairState.APPROVED,
    }
    bob: Client = site.signed_in("bob", Role.MANAGER)
    assert bob.submit(chosen, {"do": "approve", "all": "yes"}).status_code == 403
    assert "Approve, decide or reject several" not in bob.get("/storage/repairs?state=waiting").text


def test_who_may_only_look_finds_no_buttons_and_is_refused(world: World, site: RunningSite) -> None:
    number = undecided(world)
    bob: Client = site.signed_in("bob", Role.MANAGER)
    page = bob.get(f"/storage/repairs/{number}").text
    assert "Decide which copy is right" not in page
    assert "Start an audit" not in bob.get("/storage/audits").text
    assert bob.submit(f"/storage/repairs/{number}/decide", {}).status_code == 403
    assert bob.submit("/storage/audits", {}).status_code == 403


def test_the_api_says_what_the_pages_say(world: World, site: RunningSite) -> None:
    number = undecided(world)
    ada: Client = site.signed_in("ada", Role.PRESERVATION)
    csrf = {"x-csrf-token": ada.token("/account")}
    health = ada.get("/api/storage/audits/health").json()
    assert {one["name"]: one["well"] for one in health} == {"a": False, "b": False, "sums": False}
    wanted = {"replica": world.replica("b").id, "kind": AuditKind.PRESENCE.value}
    started = ada.post("/api/storage/audits", json=wanted, headers=csrf)
    assert started.status_code == 201
    audit = started.json()["id"]
    assert ada.get(f"/api/storage/audits/{audit}").json()["state"] == "waiting"
    assert ada.post(f"/api/storage/audits/{audit}/cancel", headers=csrf).json()["state"] == "cancelled"
    assert ada.get("/api/storage/audits").json()["total"] == 2
    assert ada.get(f"/api/storage/audits/{audit - 1}/damages").json()["total"] == 1
    repair = ada.get(f"/api/storage/repairs/{number}").json()
    assert repair["state"] == "undecided"
    assert repair["votes"]["outcome"] == "against"
    sha256 = repair["votes"]["replicas"]["a"]["sha256"]
    decision = {"sha256": sha256, "reason": "seen on tape"}
    decided = ada.post(f"/api/storage/repairs/{number}/decide", json=decision, headers=csrf)
    assert decided.json()["state"] == "approved"
    again = ada.post(f"/api/storage/repairs/{number}/approve", headers=csrf)
    assert again.status_code == 422
    refusal = ada.post(f"/api/storage/repairs/{number}/refuse", json={"why": "no"}, headers=csrf)
    assert refusal.json()["state"] == "refused"
    for neither in ({}, {"repairs": [number], "all": True}):
        unclear = ada.post("/api/storage/repairs/chosen", json={"do": "approve", **neither}, headers=csrf)
        assert unclear.status_code == 422
    many = {"do": "approve", "repairs": [number]}
    left = ada.post("/api/storage/repairs/chosen", json=many, headers=csrf).json()
    assert (left["done"], left["left"][0]["repair"]) == (0, number)
    assert ada.get("/api/storage/repairs").json()["total"] == 3
    assert (
        ada.get("/api/storage/repairs?waiting=true").json()["total"] == 0
    )  # nobody has looked into them yet
