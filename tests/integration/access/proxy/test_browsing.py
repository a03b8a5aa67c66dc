"""Reading through the proxy, with real clients."""

import gzip
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.integration.access.proxy.world import Proxied, proxied
from tests.integration.access.world import Page, world_of

PAGE = "<!doctype html><html><head><title>Old</title></head><body><a href='http://example.org/b'>b</a></body></html>"
LONG = bytes(range(256)) * 20_000
PAGES = [
    Page("http://example.org/", PAGE.replace("Old", "Of 2010"), "20100101000000"),
    Page("http://example.org/", PAGE.replace("Old", "Of 2020"), "20200101000000"),
    Page("https://secure.example/", PAGE, "20200101000000"),
    Page("https://xn--bcher-kva.example/", "Books", "20200101000000"),
    Page("https://192.0.2.7/", "By number", "20200101000000"),
    Page("https://odd.example:8443/", "Odd port", "20200101000000"),
    Page("http://example.org/film", LONG, "20200101000000", type="video/mp4"),
    Page(
        "http://example.org/gone",
        "",
        "20200101000000",
        status="301 Moved",
        headers=(("Location", "http://example.org/"),),
    ),
    Page(
        "https://secure.example/strict",
        gzip.compress(PAGE.encode()),
        "20200101000000",
        headers=(
            ("Content-Encoding", "gzip"),
            ("Strict-Transport-Security", "max-age=31536000; includeSubDomains"),
            ("Content-Security-Policy", "default-src 'none'"),
            ("Set-Cookie", "a=1; Expires=Wed, 01 Jan 2098 00:00:00 GMT"),
            ("Cache-Control", "public, max-age=99999"),
        ),
    ),
    Page("http://example.org/form", "Answer to a=1", "20200101000000", method="POST", sent=b"a=1"),
    Page("http://example.org/407", "No", "20200101000000", status="407 Proxy Authentication Required"),
]
NAVIGATION = {"upgrade-insecure-requests": "1", "accept": "text/html"}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    folder: Path = tmp_path_factory.mktemp("proxy")
    with proxied(world_of(folder, PAGES), folder) as running:
        yield running


def test_a_page_is_shown_under_its_own_address_as_it_was_recorded(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = client.get("http://example.org/")
    assert answer.status_code == 200
    assert answer.text == PAGE.replace("Old", "Of 2020")
    assert answer.headers["memento-datetime"] == "Wed, 01 Jan 2020 00:00:00 GMT"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("url", "content"),
    [
        ("https://secure.example/", PAGE),
        ("https://xn--bcher-kva.example/", "Books"),
        ("https://192.0.2.7/", "By number"),
        ("https://odd.example:8443/", "Odd port"),
    ],
)
def test_https_is_believed_by_whoever_trusts_the_authority(proxy: Proxied, url: str, content: str) -> None:
    with proxy.client() as client:
        assert client.get(url).text == content


def test_the_date_is_chosen_by_the_user_name(proxy: Proxied) -> None:
    with proxy.client("all@2010") as client:
        assert "Of 2010" in client.get("http://example.org/").text
    with proxy.client("@2019") as client:
        assert "Of 2020" in client.get("http://example.org/").text


def test_the_date_is_chosen_by_accept_datetime(proxy: Proxied) -> None:
    with proxy.client() as client:
        asked = {"accept-datetime": "Fri, 01 Jan 2010 00:00:00 GMT"}
        assert "Of 2010" in client.get("http://example.org/", headers=asked).text
        assert client.get("http://example.org/", headers={"accept-datetime": "lately"}).status_code == 400


def test_what_a_browser_would_keep_is_taken_out(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = client.get("https://secure.example/strict")
    assert answer.text == PAGE
    assert answer.headers["content-encoding"] == "gzip"  # bytes as recorded
    assert "strict-transport-security" not in answer.headers
    assert "content-security-policy" not in answer.headers
    assert answer.headers["set-cookie"] == "a=1"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("accepting", ["identity", "br", "gzip;q=0, br"])
def test_whoever_cannot_unpack_gets_it_unpacked(proxy: Proxied, accepting: str) -> None:
    with proxy.client() as client:
        answer = client.get("https://secure.example/strict", headers={"accept-encoding": accepting})
    assert answer.text == PAGE
    assert "content-encoding" not in answer.headers


def test_a_page_that_a_browser_navigates_to_has_a_banner_with_its_date(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = client.get("https://secure.example/strict", headers=NAVIGATION)
    assert "content-encoding" not in answer.headers
    before, script, after = answer.text.partition("<script>")
    assert before == "<!doctype html><html><head>"
    assert "2020-01-01 00:00:00" in script + after
    assert after.endswith(PAGE.partition("<head>")[2])


def test_parts_are_taken_from_the_time_of_their_page(proxy: Proxied) -> None:
    with proxy.client("all@2011") as client:
        client.get("http://example.org/", headers=NAVIGATION)
    with proxy.client("all@2011") as client:
        part = client.get("http://example.org/", headers={"referer": "http://example.org/"})
    assert "Of 2010" in part.text


def test_a_redirect_stays_as_it_was(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = client.get("http://example.org/gone")
    assert answer.status_code == 301
    assert answer.headers["location"] == "http://example.org/"


def test_a_film_can_be_had_in_parts_and_whole(proxy: Proxied) -> None:
    with proxy.client() as client:
        part = client.get("http://example.org/film", headers={"range": "bytes=1000-1999"})
        assert part.status_code == 206
        assert part.content == LONG[1000:2000]
        assert client.get("http://example.org/film").content == LONG
        head = client.head("http://example.org/film")
        assert (head.status_code, head.content) == (200, b"")


def test_a_form_that_was_posted_is_answered(proxy: Proxied) -> None:
    with proxy.client() as client:
        assert client.post("http://example.org/form", data={"a": "1"}).text == "Answer to a=1"


def test_an_archived_407_does_not_make_the_browser_ask(proxy: Proxied) -> None:
    with proxy.client() as client:
        assert client.get("http://example.org/407").status_code == 403


def test_what_is_missing_is_said_on_a_page_with_the_next_step(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = client.get("http://nowhere.example/x?y=<script>", headers=NAVIGATION)
        part = client.get("http://nowhere.example/x.png", headers={"referer": "http://nowhere.example/"})
    assert answer.status_code == 404
    assert "http://armarium.invalid/" in answer.text
    assert "<script>" not in answer.text
    assert "script-src" not in answer.headers["content-security-policy"]
    assert part.status_code == 404
    assert part.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize(
    "headers",
    [
        {
            "connection": "Upgrade",
            "upgrade": "websocket",
            "sec-websocket-version": "13",
            "sec-websocket-key": "x",
        },
        {"service-worker": "script"},
    ],
)
def test_web_sockets_and_service_workers_are_refused(proxy: Proxied, headers: dict[str, str]) -> None:
    with proxy.client() as client:
        assert client.get("https://secure.example/", headers=headers).status_code in {403, 404}


def test_a_hundred_at_once_are_answered(proxy: Proxied) -> None:
    def ask(number: int) -> str:
        with proxy.client() as client:
            url = "http://example.org/" if number % 2 else "https://secure.example/"
            return client.get(url).text

    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(ask, range(100)))
    assert set(answers) == {PAGE, PAGE.replace("Old", "Of 2020")}


@pytest.mark.skipif(shutil.which("curl") is None, reason="There is no curl on this machine.")
def test_curl_reads_through_it(proxy: Proxied) -> None:
    def curl(*arguments: str) -> str:
        command = ["curl", "-sS", "--proxy", proxy.address, *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    assert "Of 2020" in curl("http://example.org/")
    assert "Of 2010" in curl("--proxy-user", "all@2010:", "http://example.org/")
    assert curl("--cacert", str(proxy.trust), "https://secure.example/") == PAGE
    several = curl("--cacert", str(proxy.trust), "https://secure.example/", "https://secure.example/")
    assert several == PAGE * 2  # over one connection
    assert "a=1" in curl("--data", "a=1", "http://example.org/form")
    with pytest.raises(subprocess.CalledProcessError):
        curl("https://secure.example/")  # trusts the authorities of the machine, and not ours
