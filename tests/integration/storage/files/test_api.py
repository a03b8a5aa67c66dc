"""Programs list the files of the archive and read their bytes, which are hostile."""

from collections.abc import Iterator

import httpx
import pytest

from armarium.accounts.model import Role
from armarium.storage.model import File
from tests.integration.storage.files.world import World
from tests.integration.storage.outside import warc
from tests.site import Client, RunningSite, running_site

NAME = "page.html.warc.gz"
CONTENT = warc(b"<script>alert(1)</script>" * 9)
FILES = "/api/storage/files"


@pytest.fixture
def site(world: World) -> Iterator[RunningSite]:
    with running_site(world.database, world.home) as site:
        yield site


@pytest.fixture
def file(world: World) -> File:
    return world.store(NAME, CONTENT, job=7)


@pytest.fixture
def ada(site: RunningSite) -> Client:
    return site.signed_in("ada", Role.PRESERVATION)


def test_files_are_listed_read_and_withdrawn(world: World, file: File, ada: Client) -> None:
    world.store("other.warc.gz", CONTENT)
    listed = ada.get(f"{FILES}?job=7").json()
    assert (listed["total"], listed["bytes"]) == (1, len(CONTENT))
    assert listed["items"][0]["copies"] == {"a": "accepted", "b": "accepted", "sums": "accepted"}
    read = ada.get(f"{FILES}/{NAME}").json()
    assert (read["sha256"], [one["replica"] for one in read["held"]]) == (file.sha256, ["a", "b", "sums"])
    history = ada.get(f"{FILES}/{NAME}/history").json()
    assert {"registered", "stored", ""} == {one["kind"] for one in history["items"]}
    assert history["total"] == len(history["items"])
    token = {"X-CSRF-Token": ada.token("/account")}
    gone = ada.post(f"{FILES}/{NAME}/withdraw", json={"reason": "A wish."}, headers=token).json()
    assert (gone["state"], gone["withdrawn_reason"]) == ("withdrawn", "A wish.")
    assert ada.get(f"{FILES}/{NAME}/content").status_code == 404
    assert ada.get(f"{FILES}/{NAME}/records/0").status_code == 404
    back = ada.post(f"{FILES}/{NAME}/restore", json={"reason": "No more."}, headers=token).json()
    assert back["state"] == "stored"
    assert ada.get(f"{FILES}/none.warc.gz").status_code == 404


def test_a_file_is_given_whole_or_in_stretches_and_never_as_what_it_claims_to_be(
    file: File, ada: Client
) -> None:
    whole = ada.get(f"{FILES}/{NAME}/content")
    assert whole.content == CONTENT
    assert whole.headers["content-type"] == "application/octet-stream"
    assert whole.headers["content-disposition"] == f'attachment; filename="{NAME}"'
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in whole.headers["content-security-policy"]
    assert whole.headers["etag"] == f'"{file.sha256}"'
    part = read(ada, "bytes=10-19")
    assert (part.status_code, part.content) == (206, CONTENT[10:20])
    assert part.headers["content-range"] == f"bytes 10-19/{len(CONTENT)}"
    assert read(ada, "bytes=-5").content == CONTENT[-5:]
    assert read(ada, "bytes=0-1,4-5").status_code == 200
    beyond = read(ada, f"bytes={len(CONTENT)}-")
    assert (beyond.status_code, beyond.headers["content-range"]) == (416, f"bytes */{len(CONTENT)}")


def test_a_download_is_continued_only_if_the_file_is_still_the_same(file: File, ada: Client) -> None:
    etag = f'"{file.sha256}"'
    assert read(ada, "bytes=10-", **{"If-Range": etag}).status_code == 206
    assert read(ada, "bytes=10-", **{"If-Range": '"other"'}).content == CONTENT
    same = ada.get(f"{FILES}/{NAME}/content", headers={"If-None-Match": f'"other", W/{etag}'})
    assert (same.status_code, same.content) == (304, b"")
    asked = ada.head(f"{FILES}/{NAME}/content")
    assert (asked.headers["content-length"], asked.content) == (str(len(CONTENT)), b"")


def read(client: Client, range_: str, **headers: str) -> httpx.Response:
    return client.get(f"{FILES}/{NAME}/content", headers={"Range": range_, **headers})


def test_bytes_come_from_the_next_copy_and_an_error_before_the_first_byte_if_none_is_well(
    world: World, file: File, ada: Client
) -> None:
    begin = CONTENT.index(b"\x1f\x8b", 2)
    world.path("a", NAME).unlink()
    assert ada.get(f"{FILES}/{NAME}/records/{begin}").content == CONTENT[begin:]
    assert ada.get(f"{FILES}/{NAME}/content").content == CONTENT
    world.path("b", NAME).unlink()
    none = ada.get(f"{FILES}/{NAME}/content")
    assert (none.status_code, none.headers["content-type"]) == (503, "application/problem+json")
    assert ada.get(f"{FILES}/{NAME}/records/3").status_code in (404, 503)


def test_whoever_may_look_may_not_read_the_bytes(file: File, site: RunningSite) -> None:
    manager = site.signed_in("mia", Role.MANAGER)
    assert manager.get(FILES).status_code == 200
    assert manager.get(f"{FILES}/{NAME}/content").status_code == 403
    assert manager.get(f"{FILES}/{NAME}/records/0").status_code == 403
