"""The pages of files, as those who look after the archive use them."""

from collections.abc import Iterator

import pytest

from armarium.accounts.model import Role
from armarium.storage.files.queries import change_copy
from armarium.storage.history import note
from armarium.storage.model import File
from armarium.storage.tables import replica
from tests.integration.storage.files.world import World
from tests.integration.storage.outside import warc
from tests.site import Client, RunningSite, running_site

NAME = "7-3-20261115-00001.warc.gz"
CONTENT = warc(b"some page")


@pytest.fixture
def site(world: World) -> Iterator[RunningSite]:
    with running_site(world.database, world.home) as site:
        yield site


@pytest.fixture
def file(world: World) -> File:
    return world.store(NAME, CONTENT, job=7, harvest=3)


@pytest.fixture
def ada(site: RunningSite) -> Client:
    return site.signed_in("ada", Role.PRESERVATION)


def second_record() -> int:
    return CONTENT.index(b"\x1f\x8b", 2)


QUERIES = {
    "q=20261115": True,
    "q=nothing": False,
    "job=7": True,
    "job=8": False,
    "job=a-word": True,  # cannot be meant, and is passed over
    "harvest=3": True,
    "harvest=4": False,
    "accession=1": False,
    "kind=data": True,
    "kind=metadata": False,
    "state=stored": True,
    "state=storing": False,
    "copies=damaged": False,
    "copies=unfinished": False,
    "page=2": False,
}


def test_the_list_is_narrowed(file: File, ada: Client) -> None:
    asked = {query: ada.get(f"/storage/files?{query}").text for query in QUERIES}
    assert {query: f'/storage/files/{file.id}"' in text for query, text in asked.items()} == QUERIES


def test_the_list_shows_the_state_of_every_copy_also_while_a_file_is_stored(
    world: World, file: File, ada: Client
) -> None:
    text = ada.get("/storage/files").text
    assert all(f"{name}: verified" in text for name in ("a", "b", "sums"))
    assert "1 file, " in text
    world.register("later.warc.gz", CONTENT)
    part = ada.get("/storage/files", headers={"X-Part": "1"})
    assert "Being stored" in part.text
    assert "a: waiting" in part.text
    assert "<html" not in part.text
    assert "later.warc.gz" in ada.get("/storage/files?copies=unfinished").text


def test_a_damaged_copy_is_found_by_the_filter_unless_its_replica_is_retired(
    world: World, file: File, ada: Client
) -> None:
    number = world.replicas.named("b").id
    with world.database.transaction() as connection:
        change_copy(connection, file.id, number, state="corrupt", error="other bytes")
    assert "b: damaged" in ada.get("/storage/files?copies=damaged").text
    assert NAME in ada.get(f"/storage/files?copies=damaged&replica={number}").text
    other = world.replicas.named("a").id
    assert NAME not in ada.get(f"/storage/files?copies=damaged&replica={other}").text
    with world.database.transaction() as connection:
        connection.execute(replica.update().where(replica.c.name == "b").values(state="retired"))
    assert NAME not in ada.get("/storage/files?copies=damaged").text
    assert "retired" in ada.get(f"/storage/files/{file.id}").text


def test_the_page_of_a_file_tells_its_facts_its_copies_and_its_history(file: File, ada: Client) -> None:
    text = ada.get(f"/storage/files/{file.id}").text
    assert file.sha256 in text
    assert file.blake3 in text
    assert "Registered" in text
    assert "Stored in every replica" in text
    assert text.count("Copy verified") >= 3
    assert "/harvesting/jobs/7" in text
    part = ada.get(f"/storage/files/{file.id}", headers={"X-Part": "1"}).text
    assert "Last verified" in part
    assert "<html" not in part
    assert file.sha256 in ada.get(f"/storage/files/named/{NAME}").text
    assert ada.get("/storage/files/named/no-such.warc.gz").status_code == 404
    assert ada.get("/storage/files/4711").status_code == 404


def test_a_file_and_one_of_its_records_are_downloaded(file: File, ada: Client) -> None:
    whole = ada.get(f"/storage/files/{file.id}/content")
    assert whole.content == CONTENT
    begin = second_record()
    record = ada.get(f"/storage/files/{file.id}/record?offset={begin}")
    assert record.content == CONTENT[begin:]
    assert record.headers["content-disposition"] == f'attachment; filename="{begin}-{NAME}"'
    assert ada.get(f"/storage/files/named/{NAME}/records/{begin}").content == CONTENT[begin:]
    assert ada.get(f"/storage/files/{file.id}/record?offset={len(CONTENT)}").status_code == 404


def test_a_file_is_withdrawn_and_given_out_again_with_a_reason(file: File, ada: Client) -> None:
    address = f"/storage/files/{file.id}"
    without = ada.submit(f"{address}/withdraw", {"reason": " "}, page=address)
    assert without.status_code == 422
    assert "Enter a reason." in without.text
    assert ada.submit(f"{address}/withdraw", {"reason": "A court said so."}, page=address).status_code == 303
    assert "A court said so." in ada.get(address).text
    assert ada.get(f"{address}/content").status_code == 404
    assert ada.submit(f"{address}/restore", {"reason": "Another court."}, page=address).status_code == 303
    assert ada.get(f"{address}/content").status_code == 200


def test_files_are_exported_as_seen_and_the_selected_are_withdrawn(
    world: World, file: File, ada: Client
) -> None:
    other = world.store("attic.warc.gz", CONTENT)
    rows = ada.get("/storage/files?job=7&export=csv").text.splitlines()
    assert [row.split(",")[0] for row in rows] == ["Name", NAME]
    chosen = {"file": other.id, "reason": "A court said so."}
    address = "/storage/files/selected?kind=data"
    assert "Enter a reason." in ada.submit(address, {"file": other.id}, page="/storage/files").text
    assert "Select at least one" in ada.submit(address, {"reason": "x"}, page="/storage/files").text
    done = ada.submit(address, chosen, page="/storage/files")
    assert (done.status_code, done.headers["location"]) == (303, "/storage/files?kind=data")
    assert world.files.get(other.id).state == "withdrawn"
    assert world.files.get(file.id).state == "stored"


def test_whoever_may_only_look_finds_neither_downloads_nor_changes(file: File, site: RunningSite) -> None:
    manager = site.signed_in("mia", Role.MANAGER)
    address = f"/storage/files/{file.id}"
    text = manager.get(address).text
    assert f"{address}/content" not in text
    assert f"{address}/withdraw" not in text
    assert manager.get(f"{address}/content").status_code == 403
    assert manager.get(f"{address}/record?offset=0").status_code == 403
    assert manager.submit(f"{address}/withdraw", {"reason": "x"}).status_code == 403


def test_the_history_is_as_long_as_it_is_and_comes_in_pages(world: World, file: File, ada: Client) -> None:
    with world.database.transaction() as connection:
        for number in range(60):
            note(connection, "odd-kind", file=file.id, details={"number": number, "votes": {}, "list": [1]})
    first = ada.get(f"/storage/files/{file.id}").text
    second = ada.get(f"/storage/files/{file.id}?page=2").text
    assert "odd-kind" in first
    assert "Registered</strong>" not in first
    assert "Registered</strong>" in second
