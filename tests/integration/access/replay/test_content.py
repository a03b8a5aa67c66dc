"""The origin of the content, over HTTP."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.integration.access.replay.serving import Served, serving
from tests.integration.access.world import Page, world_of

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
    return httpx.get(address, headers={name.replace("_", "-"): value for name, value in headers.items()})


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
    assert httpx.post(served.archived(URL), data={"q": "1"}).text == "thanks"


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
        with httpx.stream("GET", address) as answer:
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
    with httpx.Client() as client:
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
