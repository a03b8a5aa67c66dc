"""Who asks, what they may see, and the proxy's own pages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import pytest
from cryptography import x509

from armarium.access.model import OPEN, Collection, Decision, Effect, Reader
from armarium.access.settings import AccessSettings
from armarium.formats.cdx import CdxLine
from tests.integration.access.proxy.world import OneWord, Proxied, Strangers, proxied
from tests.integration.access.world import Page, World, world_of

NAVIGATION = {"upgrade-insecure-requests": "1", "accept": "text/html"}
HOME = "http://armarium.invalid/"
PAGES = [
    Page("http://open.example/", "<p>Of 2010", "20100101000000"),
    Page("http://open.example/", "<p>Of 2020", "20200101000000"),
    Page("http://closed.example/", "<p>Secret"),
    Page("https://closed.example/safe", "<p>Secret"),
    Page("http://hidden.example/", "<p>Secret"),
    Page("http://lone.example/", "<p>Alone"),
]


class Rules:
    def decide(self, reader: Reader, collection: Collection, line: CdxLine) -> Decision:
        if "hidden" in line.key:
            return Decision(Effect.HIDDEN)
        if "closed" in line.key and reader.account is None:
            return Decision(Effect.RESTRICTED, message="For Lea only, until spring.")
        return Decision(Effect.ALLOWED, one_reader=True) if "lone" in line.key else OPEN


@dataclass
class Locks:
    holder: str = ""

    def take(self, key: str, reader: Reader) -> bool:
        if not reader.visit:
            return False
        self.holder = self.holder or reader.visit
        return self.holder == reader.visit

    def release(self, reader: Reader, key: str | None = None) -> None:
        self.holder = ""


@pytest.fixture
def proxy(tmp_path: Path) -> Iterator[Proxied]:
    made = world_of(
        tmp_path, PAGES, policy=Rules(), settings=AccessSettings(reading_url="https://reading.example.net")
    )
    world = World(replace(made.site, readers=Strangers(), locks=Locks()))
    with proxied(world, tmp_path, words=OneWord()) as running:
        yield running


def test_what_a_stranger_may_not_see_makes_the_browser_ask_who_it_is(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = client.get("http://closed.example/", headers=NAVIGATION)
    assert answer.status_code == 407
    assert answer.headers["proxy-authenticate"].startswith("Basic realm=")
    assert "Secret" not in answer.text


def test_parts_and_programs_are_told_451_with_the_message_of_the_rule(proxy: Proxied) -> None:
    with proxy.client() as client:
        program = client.get("http://closed.example/")
        part = client.get("http://closed.example/", headers={"referer": "http://open.example/"})
    for answer in (program, part):
        assert answer.status_code == 451
        assert "For Lea only, until spring." in answer.text
        assert "Secret" not in answer.text


def test_inside_a_tunnel_the_page_says_where_to_say_who_one_is(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = client.get("https://closed.example/safe", headers=NAVIGATION)
    assert answer.status_code == 451  # a browser does not listen to a proxy's question here
    assert f"{HOME}sign-in" in answer.text


def test_the_right_word_opens(proxy: Proxied) -> None:
    with proxy.client("all", "right") as client:
        assert client.get("http://closed.example/").text == "<p>Secret"
        assert client.get("https://closed.example/safe").text == "<p>Secret"
        assert "Lea Librarian" in client.get(HOME).text


def test_a_wrong_word_is_refused_at_the_door_of_a_tunnel_too(proxy: Proxied) -> None:
    with proxy.client("all", "wrong") as client:
        assert client.get("http://open.example/").status_code == 407
        with pytest.raises(httpx.ProxyError, match="407"):
            client.get("https://closed.example/safe")


def test_whoever_guesses_words_is_soon_not_heard(proxy: Proxied) -> None:
    statuses = []
    for number in range(12):
        with proxy.client("all", f"guess {number}") as client:
            statuses.append(client.get("http://open.example/").status_code)
    assert statuses == [407] * 10 + [429] * 2


def test_what_is_hidden_is_as_if_it_were_not_there(proxy: Proxied) -> None:
    with proxy.client() as client:
        hidden = client.get("http://hidden.example/", headers=NAVIGATION)
        missing = client.get("http://missing.example/", headers=NAVIGATION)
    assert hidden.status_code == missing.status_code == 404
    assert hidden.text.replace("hidden", "missing") == missing.text


def test_a_page_for_one_reader_is_not_given_to_a_second_browser(proxy: Proxied) -> None:
    with proxy.client("all@2020", "right") as first, proxy.client("all@2021", "right") as second:
        assert first.get("http://lone.example/").status_code == 200
        assert second.get("http://lone.example/").status_code == 423
        assert first.get("http://lone.example/").status_code == 200


def test_who_cannot_be_told_from_others_gets_no_page_for_one_reader(proxy: Proxied) -> None:
    for user in ("", "all@2020"):
        with proxy.client(user) as client:
            assert client.get("http://lone.example/").status_code == 423


def test_a_page_is_counted_as_one_and_may_be_far_from_the_date(tmp_path: Path) -> None:
    counted: list[tuple[str, str]] = []

    class Uses:
        def note(
            self, kind: str, outcome: str, *, collection: str, reader: Reader, size: int = 0, domain: str = ""
        ) -> None:
            counted.append((kind, domain))

    made = world_of(tmp_path, PAGES, settings=AccessSettings(most_spread_days=1))
    with (
        proxied(World(replace(made.site, uses=Uses())), tmp_path) as running,
        running.client("all@2015") as client,
    ):
        assert client.get("http://open.example/", headers=NAVIGATION).status_code == 200
    assert counted == [("page", "open.example")]


def test_the_title_of_a_page_ends_with_the_library_if_it_has_a_name(tmp_path: Path) -> None:
    made = world_of(tmp_path, PAGES)
    with (
        proxied(World(replace(made.site, library="")), tmp_path) as running,
        running.client() as client,
    ):
        title = client.get("http://nowhere.example/", headers=NAVIGATION).text.partition("</title>")[0]
    assert not title.endswith(("·", "· "))


def test_an_unknown_collection_and_a_date_that_is_none_are_told(proxy: Proxied) -> None:
    with proxy.client("nothing") as client:
        assert client.get("http://open.example/").status_code == 404
    with proxy.client("all@soon") as client:
        assert client.get("http://open.example/").status_code == 400


def test_another_date_is_chosen_on_the_proxys_own_page(proxy: Proxied) -> None:
    with proxy.client() as client:
        assert client.get("http://open.example/").text == "<p>Of 2020"
        answer = _choose(client, collection="all", date="2010-06")
        assert answer.status_code == 303
        assert "2010-06" in client.get(HOME).text
        assert client.get("http://open.example/").text == "<p>Of 2010"
        assert client.get(f"{HOME}status").json()["timestamp"] == "201006"
    with proxy.client("all") as other:
        assert other.get("http://open.example/").text == "<p>Of 2020"


def test_a_wrong_date_is_told_beside_the_form(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = _choose(client, collection="all", date='"><script>')
    assert answer.status_code == 400
    assert "2020-03-31" in answer.text
    assert "<script>" not in answer.text


@pytest.mark.parametrize("token", ["", "guessed"])
def test_an_archived_page_cannot_choose_for_its_reader(proxy: Proxied, token: str) -> None:
    with proxy.client() as client:
        asked = {"collection": "all", "date": "2010", "token": token}
        answer = client.post(f"{HOME}choose", data=asked, headers={"origin": "http://open.example"})
        assert answer.status_code == 400
        assert "access-control-allow-origin" not in answer.headers
        assert client.get("http://open.example/").text == "<p>Of 2020"


def test_the_pages_of_the_proxy_cannot_be_framed_or_read_by_archived_pages(proxy: Proxied) -> None:
    with proxy.client() as client:
        answer = client.get(HOME, headers={"origin": "http://open.example"})
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert "access-control-allow-origin" not in answer.headers


def test_the_certificate_can_be_had_in_three_forms(proxy: Proxied) -> None:
    with proxy.client() as client:
        pem = client.get(f"{HOME}download/pem").content
        der = client.get("http://wsgiprox/download/cer").content
        assert client.get(f"{HOME}download/p12").content[:1] == b"\x30"
        assert client.get(f"{HOME}download/key").status_code == 404
    assert x509.load_pem_x509_certificate(pem) == x509.load_der_x509_certificate(der)
    assert b"PRIVATE" not in pem


def test_sign_in_makes_the_browser_ask_and_goes_home_afterwards(proxy: Proxied) -> None:
    with proxy.client() as client:
        assert client.get(f"{HOME}sign-in").status_code == 407
    with proxy.client("all", "right") as client:
        assert client.get(f"{HOME}sign-in").headers["location"] == "/"


def test_the_sites_of_the_house_are_not_reached_through_the_proxy(proxy: Proxied) -> None:
    with proxy.client() as client:
        assert "uses no proxy" in client.get("http://reading.example.net/").text
        with pytest.raises(httpx.ProxyError, match="403"):
            client.get("https://reading.example.net/")


def test_other_names_that_end_in_invalid_are_nobodys(proxy: Proxied) -> None:
    with proxy.client() as client:
        assert client.get("http://other.invalid/").status_code == 404
        assert client.get("http://viewerproxy.invalid/getStatus").status_code == 404


def _choose(client: httpx.Client, **values: str) -> httpx.Response:
    found = re.search(r'name="token" value="([^"]+)"', client.get(HOME).text)
    assert found is not None
    return client.post(f"{HOME}choose", data={"token": found[1], **values})
