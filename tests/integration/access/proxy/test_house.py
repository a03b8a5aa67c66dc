"""The proxy of a real house: viewings, tokens, and the commands of the viewer proxy."""

import gzip
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from armarium.accounts.model import Permission, Role
from armarium.db.database import Database
from armarium.server.access import ReadersSite
from tests.integration.access.proxy.world import Proxied, serving
from tests.integration.access.viewings.world import ViewerWorld

A, B = "http://a.example/", "http://b.example/"
COMMANDS = "http://viewerproxy.invalid"
BROWSER = {"user-agent": "Mozilla/5.0", "upgrade-insecure-requests": "1"}


@pytest.fixture
def there(database: Database, tmp_path: Path) -> Iterator[ViewerWorld]:
    world = ViewerWorld(database, tmp_path / "home")
    yield world
    world.close()


@pytest.fixture
def proxy(there: ViewerWorld, tmp_path: Path) -> Iterator[Proxied]:
    reception = ReadersSite(there.house.access)
    with serving(reception.proxy(), tmp_path) as running:
        yield running
    reception.close()


def _begun(there: ViewerWorld, name: str, job: int, *roles: Role) -> tuple[str, str]:
    """A viewing with the word for the proxy: user and password."""
    person, actor = who = there.person(name, *(roles or (Role.LIBRARIAN,)))
    viewing = there.begin(who, job)
    return viewing.name, there.house.access.viewings.make_proxy_word(actor, person, viewing.id)


def test_two_viewings_are_browsed_at_once_and_each_notes_what_it_misses(
    there: ViewerWorld, proxy: Proxied
) -> None:
    first = _begun(there, "lea", there.harvested("a.example", [A]))
    second = _begun(there, "ole", there.harvested("b.example", [B]))
    with proxy.client(*first) as lea, proxy.client(*second) as ole:
        assert (lea.get(A).status_code, lea.get(B).status_code) == (200, 404)
        assert (ole.get(A).status_code, ole.get(B).status_code) == (404, 200)
        missed = {"referer": A}
        assert lea.get("http://a.example/logo.png", headers=missed).status_code == 404
        assert lea.get(f"{COMMANDS}/getRecordedURIs").text.splitlines() == [B, "http://a.example/logo.png"]
        assert ole.get(f"{COMMANDS}/getRecordedURIs").text.splitlines() == [A]


def test_strangers_and_those_with_the_word_of_another_viewing_see_nothing(
    there: ViewerWorld, proxy: Proxied
) -> None:
    user, word = _begun(there, "lea", there.harvested("a.example", [A]))
    other, _ = _begun(there, "ole", 1)
    with proxy.client() as stranger:
        assert stranger.get(A).status_code == 451
        assert stranger.get(f"{COMMANDS}/getStatus").status_code == 404
    for credentials in ((user, "guess"), (other, word)):
        with proxy.client(*credentials) as client:
            assert client.get(A).status_code == 407
    with proxy.client(user) as client:
        assert client.get(A).status_code == 404  # without the word there is no such viewing


def test_the_word_of_a_viewing_opens_nothing_else(there: ViewerWorld, proxy: Proxied) -> None:
    user, word = _begun(there, "lea", there.harvested("a.example", [A]))
    with proxy.client("all", word) as client:
        assert client.get(A).status_code == 407
    with proxy.client(user, word) as client:
        page = client.get("http://armarium.invalid/").text
        token = page.partition('name="token" value="')[2].partition('"')[0]
        chosen = client.post("http://armarium.invalid/choose", data={"token": token, "collection": "all"})
        assert chosen.status_code == 400
        assert client.get("http://armarium.invalid/status").json()["collection"] == user


def test_the_commands_of_the_viewer_proxy_go_on_working(there: ViewerWorld, proxy: Proxied) -> None:
    job = there.harvested("a.example", [A])
    other = there.harvested("b.example", [B])
    with proxy.client(*_begun(there, "lea", job)) as client:
        assert "Recording: on" in client.get(f"{COMMANDS}/getStatus").text
        client.get("http://a.example/lost")
        assert "Recorded URIs: 1" in client.get(f"{COMMANDS}/stopRecordingURIs").text.replace("off", "on")
        assert "Recorded URIs: 0" in client.get(f"{COMMANDS}/clearRecordedURIs").text
        assert "Recording: on" in client.get(f"{COMMANDS}/startRecordingURIs").text
        changed = client.get(f"{COMMANDS}/changeIndex?jobID={job}&jobID={other}&label=Both").text
        assert f"Index: Both\nJobs: {job}, {other}\n" in changed
        assert client.get(f"{COMMANDS}/changeIndex").status_code == 400
        assert client.get(f"{COMMANDS}/changeIndex?jobID=x").status_code == 400
        assert client.get(f"{COMMANDS}/nothing").status_code == 404


def test_a_browser_confirms_what_changes_something(there: ViewerWorld, proxy: Proxied) -> None:
    with proxy.client(*_begun(there, "lea", there.harvested("a.example", [A]))) as client:
        client.get("http://a.example/lost")
        page = client.get(f"{COMMANDS}/clearRecordedURIs", headers=BROWSER)
        assert "Recorded URIs: 1" in client.get(f"{COMMANDS}/getStatus", headers=BROWSER).text
        forged = client.post(f"{COMMANDS}/clearRecordedURIs", data={"token": "x"}, headers=BROWSER)
        assert forged.status_code == 400
        token = page.text.partition('name="token" value="')[2].partition('"')[0]
        done = client.post(f"{COMMANDS}/clearRecordedURIs", data={"token": token}, headers=BROWSER)
        assert "Recorded URIs: 0" in done.text


def test_file_record_and_metadata_of_the_jobs_can_be_had(there: ViewerWorld, proxy: Proxied) -> None:
    job = there.harvested("a.example", [A])
    foreign = there.harvested("b.example", [B])
    files = {number: _file_of(there, number) for number in (job, foreign)}
    with proxy.client(*_begun(there, "lea", job, Role.ADMINISTRATOR)) as client:
        whole = client.get(f"{COMMANDS}/getFile?arcFile={files[job]}")
        assert whole.headers["content-type"] == "application/octet-stream"
        offset = _offset_of_response(whole.content)
        record = client.get(f"{COMMANDS}/getRecord?arcFile={files[job]}&arcOffset={offset}")
        assert record.content.startswith(b"HTTP/1.1 200 OK\r\n")
        metadata = client.get(f"{COMMANDS}/getMetadata?jobId={job}")
        assert b"crawl.log" in gzip.decompress(metadata.content)
        for refused in (
            f"getFile?arcFile={files[foreign]}",
            f"getMetadata?jobID={foreign}",
            "getFile?arcFile=x",
        ):
            assert client.get(f"{COMMANDS}/{refused}").status_code == 404
        assert client.get(f"{COMMANDS}/getRecord?arcFile={files[job]}&arcOffset=-1").status_code == 400


def test_a_token_tells_who_it_is(there: ViewerWorld, proxy: Proxied) -> None:
    there.harvested("a.example", [A])
    person, actor = there.person("ada", Role.ADMINISTRATOR)
    assert person.account is not None
    account = there.house.accounts.get(person.account)
    made = [
        there.house.tokens.create(actor, account, scope.value, [scope], timedelta(days=1)).secret
        for scope in (Permission.ACCESS_EVERYTHING, Permission.TASKS_VIEW)
    ]
    with proxy.client("all", made[0]) as client:
        assert client.get(A).status_code == 200
        assert "Ada" in client.get("http://armarium.invalid/").text
    for word in (made[1], "arm_nothing"):  # made for something else, and nobody's
        with proxy.client("all", word) as client:
            assert client.get(A).status_code == 407


def _file_of(there: ViewerWorld, job: int) -> str:
    found, _ = there.brought.files(job, limit=10)
    return next(one.name for one in found if not one.metadata)


def _offset_of_response(content: bytes) -> int:
    """Where the first gzip member with a response begins."""
    offset = 0
    while not gzip.decompress(content[offset : content.find(b"\x1f\x8b\x08", offset + 1)]).startswith(
        b"WARC/1.1\r\nWARC-Type: response"
    ):
        offset = content.find(b"\x1f\x8b\x08", offset + 1)
    return offset
