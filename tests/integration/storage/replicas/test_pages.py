"""The pages and the API of replicas, as those who look after the archive use them."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from armarium.accounts.model import Role
from armarium.core import clock
from armarium.core.actor import SYSTEM
from armarium.db.database import Database
from armarium.storage.backends.marker import MARKER
from armarium.storage.files.queries import change
from armarium.storage.model import ReplicaKind, ReplicaRole
from armarium.storage.replicas.model import Setup
from tests.integration.storage.files.world import World
from tests.site import Client, RunningSite, running_site

REPLICAS = "/storage/replicas"
NAME = "one.warc.gz"
CONTENT = b"some bytes " * 100


@pytest.fixture
def world(database: Database, tmp_path: Path) -> World:
    return World(database, tmp_path)


@pytest.fixture
def site(world: World) -> Iterator[RunningSite]:
    with running_site(world.database, world.home) as site:
        yield site


@pytest.fixture
def ada(site: RunningSite) -> Client:
    return site.signed_in("ada", Role.PRESERVATION)


def test_the_list_shows_what_lies_where_and_who_does_not_answer(world: World, ada: Client) -> None:
    world.store(NAME, CONTENT)
    world.replicas.note_away(world.replicas.named("b"), "Its disk is not mounted.")
    world.register("later.warc.gz", CONTENT)
    text = ada.get(REPLICAS).text
    assert "1 file, 1.1\N{NO-BREAK SPACE}kB" in text
    assert "does not answer" in text
    assert "Its disk is not mounted." in text
    assert "on the same file system: a, b." in text
    assert text.count("<rect") == 6  # in three replicas what is there and what waits
    part = ada.get(REPLICAS, headers={"X-Part": "1"}).text
    assert "share-bar" in part
    assert "<html" not in part
    shown = ada.get(f"{REPLICAS}/{world.replicas.named('b').id}").text
    assert "Replica did not answer" in shown
    assert "Files waiting to be copied here: 2." in shown or "Files waiting to be copied here: 1." in shown


def test_the_growth_of_a_replica_is_drawn_from_the_numbers_of_its_table(world: World, ada: Client) -> None:
    for months, name in ((70, "old.warc.gz"), (40, "newer.warc.gz"), (0, NAME)):
        file = world.store(name, CONTENT)
        moment = clock.now() - timedelta(days=months)
        with world.database.transaction() as connection:
            change(connection, file.id, stored_at=moment)
    address = f"{REPLICAS}/{world.replicas.named('a').id}"
    held = [int(row.split(",")[1]) for row in ada.get(f"{address}?csv=growth").text.splitlines()[1:]]
    assert (held[0], held[-1]) == (len(CONTENT), 3 * len(CONTENT))
    assert held == sorted(held)
    assert "plot-area" in ada.get(address).text
    assert "sparkline" in ada.get(REPLICAS).text


def test_a_replica_is_tried_before_it_is_added_and_nothing_is_written_by_that(
    world: World, ada: Client
) -> None:
    folder = world.home / "third"
    values = {"name": "c", "role": "copy", "location": str(folder), "audit_days": "30", "rate_bytes": "1.5"}
    assert "checksums only" in ada.get(f"{REPLICAS}/new").text
    tried = ada.submit(f"{REPLICAS}/new?kind=folder", {**values, "try": "yes"})
    assert (tried.status_code, "can be claimed" in tried.text) == (200, True)
    assert not folder.exists()
    lost = {**values, "location": "/no/such/disk/third"}
    refused = ada.submit(f"{REPLICAS}/new?kind=folder", {**lost, "try": "yes"})
    assert (refused.status_code, "may not be mounted" in refused.text) == (422, True)
    added = ada.submit(f"{REPLICAS}/new?kind=folder", values)
    assert added.status_code == 303
    assert (folder / MARKER).is_file()
    known = world.replicas.details(world.replicas.named("c").id)
    assert (known.replica.rate_bytes, known.audit_days) == (1_500_000, 30)
    again = ada.submit(f"{REPLICAS}/new?kind=folder", {**values, "location": str(world.home / "fourth")})
    assert "There is another replica named c" in again.text
    assert ada.submit(f"{REPLICAS}/new?kind=tape", values).status_code == 404


def test_a_replica_is_changed_unless_somebody_was_quicker(world: World, ada: Client) -> None:
    replica = world.replicas.named("b")
    address = f"{REPLICAS}/{replica.id}"
    values = {**form_in(ada.get(f"{address}/edit").text), "audit_days": "7", "role": "primary"}
    assert ada.submit(address, {**values, "try": "yes"}).status_code == 200
    assert ada.submit(address, values).status_code == 303
    assert world.replicas.details(replica.id).audit_days == 7
    quicker = ada.submit(address, values)
    assert (quicker.status_code, "Somebody else has changed" in quicker.text) == (422, True)
    moved = {**form_in(ada.get(f"{address}/edit").text), "location": str(world.home / "elsewhere")}
    for sent in (moved, {**moved, "try": "yes"}):
        assert ada.submit(address, sent).status_code == 422
    assert world.replicas.get(replica.id).location == replica.location


def form_in(text: str) -> dict[str, str]:
    """The values of the form, as a browser would send them."""
    fields = re.findall(
        r'<input[^>]*\bname="(seen|location|rate_bytes|audit_days|audit_rate_bytes)"[^>]*>', text
    )
    values = {
        name: found[1] if (found := re.search(rf'name="{name}"[^>]*value="([^"]*)"', text)) else ""
        for name in fields
    }
    return {"role": "copy", **values}


def test_retiring_asks_for_the_name_and_never_for_the_last_copy(world: World, ada: Client) -> None:
    world.store(NAME, CONTENT)
    address = f"{REPLICAS}/{world.replicas.named('b').id}"
    wrong = ada.submit(f"{address}/retire", {"name": "a", "reason": "old"}, page=address)
    assert (wrong.status_code, "Type the name" in wrong.text) == (422, True)
    assert ada.submit(f"{address}/read-only", page=address).status_code == 303
    assert world.replicas.named("b").state == "read-only"
    assert ada.submit(f"{address}/activate", page=address).status_code == 303
    assert ada.submit(f"{address}/retire", {"name": "b", "reason": "old"}, page=address).status_code == 303
    assert world.replicas.named("b").state == "retired"
    assert f"{address}/edit" not in ada.get(address).text
    last = f"{REPLICAS}/{world.replicas.named('a').id}"
    kept = ada.submit(f"{last}/retire", {"name": "a"}, page=last)
    assert (kept.status_code, world.replicas.named("a").state) == (422, "active")


def test_keys_are_never_shown_again(world: World, site: RunningSite, ada: Client) -> None:
    secrets = {"access_key": "AKIAEXAMPLE", "secret_key": "very-secret"}
    options = {"endpoint": "https://127.0.0.1:1", "timeout": "1"}
    values = {"name": "far", "role": "copy", "location": "s3://heritage", "audit_days": "90"}
    refused = ada.submit(f"{REPLICAS}/new?kind=s3", {**values, **options, **secrets})
    assert refused.status_code == 422
    assert "Nothing there was judged" in refused.text
    assert not any(secret in refused.text for secret in secrets.values())
    half = ada.submit(f"{REPLICAS}/new?kind=s3", {**values, **options, "access_key": "x"})
    assert "go together" in half.text
    place = str(world.home / "far")
    kept = world.replicas.add(
        SYSTEM, "far", ReplicaKind.CHECKSUM, Setup(ReplicaRole.WITNESS, place, None, secrets)
    )
    for address in (f"{REPLICAS}/{kept.id}/edit", f"/api{REPLICAS}/{kept.id}", f"/api{REPLICAS}"):
        assert not any(secret in ada.get(address).text for secret in secrets.values())
    assert ada.get(f"/api{REPLICAS}/{kept.id}").json()["has_secrets"] is True


def test_programs_list_add_change_and_retire_replicas(world: World, ada: Client) -> None:
    world.store(NAME, CONTENT)
    api, token = f"/api{REPLICAS}", {"X-CSRF-Token": ada.token("/account")}
    listed = ada.get(api).json()
    assert [one["name"] for one in listed["items"]] == ["a", "b", "sums"]
    assert listed["items"][0]["accepted"] == {"files": 1, "bytes": len(CONTENT)}
    new = {"name": "c", "kind": "folder", "role": "copy", "location": str(world.home / "c")}
    assert "claimed" in ada.post(f"{api}/try", json=new, headers=token).json()["text"]
    added = ada.post(api, json=new, headers=token)
    assert added.status_code == 201
    number = added.json()["id"]
    changed = ada.patch(f"{api}/{number}", json={"audit_days": 0, "edition": 1}, headers=token)
    assert changed.json()["audit_days"] == 0
    assert (
        ada.patch(f"{api}/{number}", json={"audit_days": 1, "edition": 1}, headers=token).status_code == 422
    )
    assert ada.post(f"{api}/{number}/try", headers=token).status_code == 200
    world.unmount("c")
    assert ada.post(f"{api}/{number}/try", headers=token).status_code == 422
    retired = ada.post(f"{api}/{number}/state", json={"state": "retired", "reason": "old"}, headers=token)
    assert retired.json()["state"] == "retired"


def test_whoever_may_only_look_changes_nothing(world: World, site: RunningSite) -> None:
    manager = site.signed_in("mia", Role.MANAGER)
    address = f"{REPLICAS}/{world.replicas.named('b').id}"
    assert f"{address}/edit" not in manager.get(address).text
    assert manager.get(f"{address}/edit").status_code == 403
    assert "New replica" not in manager.get(REPLICAS).text
    assert manager.get(f"{REPLICAS}/new").status_code == 403
    for path in ("", "/retire", "/read-only", "/activate"):
        assert manager.submit(address + path, {"name": "b"}).status_code == 403
