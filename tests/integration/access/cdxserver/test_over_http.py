"""Lists of captures as programs get them: over HTTP, with whatever the bytes of an address are."""

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from armarium.access.captures import lines as lines_module
from armarium.access.captures.lines import Patience
from armarium.access.captures.responses import PIECE
from armarium.access.model import OPEN, Collection, Decision, Reader
from armarium.formats.cdx import CdxLine
from tests.integration.access.cdxserver.serving import HOME, Served, served
from tests.integration.access.world import Page
from tests.site import trusted, wait_until


@pytest.fixture(scope="module")
def news(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("news")) as running:
        yield running


@pytest.fixture
def client(news: Served) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=news.reading, verify=trusted()) as client:
        yield client


def test_each_dialect_has_an_address(client: httpx.Client) -> None:
    assert client.get("/all/cdx", params={"url": HOME}).text.startswith("example,news)/ 2001")
    assert client.get("/all/index", params={"url": HOME}).text.count("\n") == 4
    assert client.get("/cdx/search/cdx", params={"url": HOME}).text.split()[1] == "20010101000000"
    assert (
        client.get("/-/outbackcdx/all", params={"url": HOME}).headers["outbackcdx-urlkey"] == "example,news)/"
    )
    found = client.get("/collinfo.json").json()
    assert client.get(found[0]["cdx-api"], params={"url": HOME}).status_code == 200


def test_errors_are_those_of_the_dialect(client: httpx.Client) -> None:
    assert "message" in client.get("/all/cdx").json()
    assert client.get("/all/cdx").status_code == 400
    assert client.get("/cdx/search/cdx").headers["x-archive-wayback-runtime-error"]
    assert client.get("/-/outbackcdx/all").status_code == 400
    assert client.get("/nowhere/cdx", params={"url": HOME}).status_code == 404


def test_an_address_may_come_encoded_or_not(client: httpx.Client) -> None:
    for query in (
        "url=http://news.example/a%2520b%3Fq=%25C3%25A9",
        "url=http%3A%2F%2Fnews.example%2Fa%20b%3Fq%3D%C3%A9",
        "url=http://news.example/a+b?q=%C3%A9",
    ):
        assert client.get(f"/all/cdx?{query}").text.count("\n") == 1, query


def test_a_head_request_has_no_body(client: httpx.Client) -> None:
    response = client.head("/all/cdx", params={"url": HOME})
    assert (response.status_code, response.content) == (200, b"")


def test_nothing_that_is_archived_is_taken_for_a_page(client: httpx.Client) -> None:
    for path in ("/all/cdx", "/cdx/search/cdx", "/-/outbackcdx/all"):
        response = client.get(path, params={"url": HOME})
        assert response.headers["x-content-type-options"] == "nosniff"
        assert "html" not in response.headers["content-type"]
        assert "access-control-allow-origin" not in response.headers


def test_a_long_answer_comes_in_pieces(tmp_path: Path) -> None:
    pages = [Page(f"{HOME}{number:04}", "x") for number in range(400)]
    with (
        served(tmp_path, pages) as running,
        httpx.stream(
            "GET", f"{running.reading}/all/cdx", params={"url": f"{HOME}*"}, verify=trusted()
        ) as response,
    ):
        assert "content-length" not in response.headers
        assert sum(map(len, response.iter_bytes())) > 2 * PIECE


def test_an_answer_that_cannot_be_finished_is_not_taken_for_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Patience.__init__, "__defaults__", (380,))
    pages = [Page(f"{HOME}{number:04}", "x") for number in range(400)]
    with served(tmp_path, pages) as running:
        address = f"{running.reading}/all/cdx"
        with pytest.raises(httpx.RemoteProtocolError):
            httpx.get(address, params={"url": f"{HOME}*"}, verify=trusted())
        refused = httpx.get(address, params={"url": f"{HOME}*", "filter": "=status:500"}, verify=trusted())
        assert refused.status_code == 400
        assert "Narrow" in refused.json()["message"]


class Slow:
    """Rules that take their time, and tell how often they were asked."""

    asked = 0

    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        self.asked += 1
        time.sleep(0.02)
        return OPEN


def rests(rules: Slow) -> bool:
    before = rules.asked
    time.sleep(0.5)
    return rules.asked == before


def test_work_ends_when_the_client_has_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines_module, "OFTEN", 10)
    rules, pages = Slow(), [Page(f"{HOME}{number:04}", "x") for number in range(600)]
    with served(tmp_path, pages, policy=rules) as running:
        asked = {"url": f"{HOME}*", "filter": "=status:500"}
        with pytest.raises(httpx.ReadTimeout):
            httpx.get(f"{running.reading}/all/cdx", params=asked, timeout=0.5, verify=trusted())
        wait_until(lambda: rests(rules))
        assert rules.asked < len(pages)


def test_many_ask_at_once(news: Served) -> None:
    answers: list[int] = []

    def ask() -> None:
        with httpx.Client(base_url=news.reading, verify=trusted()) as client:
            asked = {"url": HOME, "output": "json"}
            answers.extend(len(client.get("/all/cdx", params=asked).text) for _ in range(20))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 160
    assert len(set(answers)) == 1


def test_a_revisit_leads_to_the_record_with_its_content(client: httpx.Client) -> None:
    asked = {"url": HOME, "output": "json", "resolveRevisits": "true"}
    found = [json.loads(one) for one in client.get("/all/cdx", params=asked).text.splitlines()]
    assert found[2]["orig.offset"] == found[1]["offset"]
