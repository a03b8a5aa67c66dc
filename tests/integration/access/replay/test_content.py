"""The origin of the content, over HTTP."""

import asyncio
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import Response

from armarium.access.origins import content
from armarium.access.origins.content import Content
from armarium.access.replay.engine import Replay
from armarium.access.requests.threads import Threads
from tests.integration.access.replay.serving import Served, serving
from tests.integration.access.world import Page, world_of
from tests.site import trusted

URL = "http://example.com/a"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    pages = [
        Page(URL, "<html><head></head><body>hello</body></html>"),
        Page("http://example.com/s.css", "a{}", type="text/css"),
        Page("http://example.com/film", b"film!" * 1_000_000, type="video/mp4"),
        Page("http://example.com/q?a=1&b=%2F", "the query", type="text/plain"),
        Page(URL, "thanks", type="text/plain", method="POST", sent=b"q=1"),
    ]
    with serving(world_of(tmp_path, pages).site) as running:
        yield running


def get(address: str, **headers: str) -> httpx.Response:
    return httpx.get(
        address, headers={name.replace("_", "-"): value for name, value in headers.items()}, verify=trusted()
    )


def test_an_archived_page_is_answered(served: Served) -> None:
    answer = get(served.archived(URL))
    assert answer.status_code == 200
    assert "hello" in answer.text
    assert answer.headers["memento-datetime"] == "Wed, 01 Jan 2020 00:00:00 GMT"


def test_a_window_of_its_own_is_led_to_the_frame(served: Served) -> None:
    answer = get(served.archived(URL), sec_fetch_dest="document")
    assert (answer.status_code, answer.headers["location"]) == (302, served.frame(URL))


@pytest.mark.parametrize(
    "rest", ["", "*/http://example.com/", "http://example.com/", "2020/http://example.com/"]
)
def test_pages_of_ours_are_on_the_other_origin(served: Served, rest: str) -> None:
    answer = get(f"{served.content}/all/{rest}")
    assert answer.status_code in (302, 400)
    assert answer.headers.get("location", served.reading).startswith(served.reading)


def test_no_service_worker_is_given_out(served: Served) -> None:
    assert get(served.archived(URL, mod="sw_"), service_worker="script").status_code == 403


def test_a_stray_request_finds_its_way_back(served: Served) -> None:
    answer = get(f"{served.content}/s.css", referer=served.archived(URL))
    assert answer.status_code == 307
    assert answer.headers["location"] == "/all/20200101000000mp_/http://example.com/s.css"


def test_an_unknown_collection_is_not_found(served: Served) -> None:
    answer = get(f"{served.content}/other/20200101000000mp_/{URL}")
    assert answer.status_code == 404
    assert "There is no collection other." in answer.text


def test_queries_come_through_as_they_are(served: Served) -> None:
    assert get(served.archived("http://example.com/q?a=1&b=%2F", mod="oe_")).text == "the query"


def test_a_form_that_was_sent_is_answered_by_what_it_brought(served: Served) -> None:
    assert httpx.post(served.archived(URL), data={"q": "1"}, verify=trusted()).text == "thanks"


def test_head_has_no_body(served: Served) -> None:
    answer = httpx.head(served.archived(URL))
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) > 0


def test_a_long_body_comes_whole_and_in_parts(served: Served) -> None:
    address = served.archived("http://example.com/film", mod="oe_")
    assert get(address).content == b"film!" * 1_000_000
    assert get(address, range="bytes=4999995-").content == b"film!"


def test_who_stops_listening_does_not_keep_a_thread(served: Served) -> None:
    address = served.archived("http://example.com/film", mod="oe_")
    for _ in range(served.site.settings.threads * 2):
        with httpx.stream("GET", address, verify=trusted()) as answer:
            next(answer.iter_raw())
    assert get(served.archived(URL)).status_code == 200


def test_our_own_script_names_the_origin_of_the_frame(served: Served) -> None:
    answer = get(f"{served.content}/-/static/content.js")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert f'"{served.reading}"' in answer.text


@pytest.mark.parametrize("name", ["../content.js", "frame.js", "..%2f..%2fsettings.py", ""])
def test_nothing_else_is_below_our_own_addresses(served: Served, name: str) -> None:
    assert get(f"{served.content}/-/static/{name}").status_code == 404


def test_the_limit_that_a_reader_chose_is_kept(served: Served) -> None:
    with httpx.Client(verify=trusted()) as client:
        client.get(f"{served.content}/-/spread?days=30&to=/")
        answer = client.get(
            served.archived("http://example.com/s.css", "20100101000000", "cs_"),
            headers={"Cookie": "armarium_spread=30"},
        )
    assert (answer.status_code, answer.headers["x-armarium-reason"]) == (404, "spread")


@pytest.mark.parametrize(
    "rest",
    [
        "20200101000000mp_/%",
        "99999999999999mp_/http://[",
        "20200101000000mp_/http://",
        "mp_/" + "a" * 9000,
    ],
)
def test_odd_addresses_are_answered_with_words(served: Served, rest: str) -> None:
    assert get(f"{served.content}/all/{rest}").status_code in (400, 404)


@pytest.mark.parametrize(
    "address",
    [
        "20200101000000mp_/http://example.com/a",
        "20200101000000oe_/http://example.com/film",
        "20200101000000id_/http://example.com/film",
        "20200101000000mp_/http://example.com/missing",
        "20200101000000oe_/http://example.com/missing",
        "nonsense",
    ],
)
def test_every_answer_has_a_policy_since_a_page_can_use_the_window_of_its_frame(
    served: Served, address: str
) -> None:
    for answer in (
        get(f"{served.content}/all/{address}"),
        get(f"{served.content}/all/{address}", range="bytes=99999999-"),
    ):
        assert "sandbox" in answer.headers["content-security-policy"]
        assert answer.headers["cross-origin-embedder-policy"] == "require-corp"


def test_who_types_the_name_of_this_origin_is_led_to_the_readers_pages(served: Served) -> None:
    assert get(f"{served.content}/").headers["location"] == served.reading


@pytest.mark.parametrize(("url", "method"), [("http://example.com/film", "GET"), (URL, "POST")])
def test_who_sends_or_takes_nothing_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, method: str
) -> None:
    monkeypatch.setattr(content, "BODY_SECONDS", 0.1)
    monkeypatch.setattr(content, "TAKING_SECONDS", 0.1)
    site = world_of(tmp_path, [Page("http://example.com/film", bytes(3 << 20), type="video/mp4")]).site
    threads = Threads(1)
    said: list[MutableMapping[str, Any]] = []

    async def silent() -> MutableMapping[str, Any]:
        await asyncio.sleep(60)
        return {"type": "http.disconnect"}

    async def taken(message: MutableMapping[str, Any]) -> None:
        said.append(message)
        if message.get("body"):
            await asyncio.sleep(60)

    scope = {
        "type": "http",
        "method": method,
        "raw_path": f"/all/20200101000000oe_/{url}".encode(),
        "query_string": b"",
        "headers": [],
        "client": ("127.0.0.1", 9),
    }
    app = Content(site, Replay(site), threads)
    asyncio.run(asyncio.wait_for(app(scope, silent, taken), 10))
    threads.close()
    assert said[0]["status"] == {"GET": 200, "POST": 408}[method]


def test_what_the_threshold_answers_has_one_too(tmp_path: Path) -> None:
    site = world_of(tmp_path, [Page(URL, "hello")]).site
    threads = Threads(1)
    app = Content(
        site, Replay(site), threads, ticket_pages=Response("gone", 404, {"Referrer-Policy": "no-referrer"})
    )

    async def asked() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as client:
            return await client.get("/-/anything")

    answer = asyncio.run(asked())
    threads.close()
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["cross-origin-embedder-policy"] == "require-corp"
    assert answer.headers["referrer-policy"] == "no-referrer"
