"""Cookies: their names and rules, by where the two origins lie."""

from datetime import timedelta

import pytest
from starlette.responses import Response

from armarium.access.readers.cookies import Cookies, Purpose, Seals, is_same_site
from armarium.access.settings import AccessSettings
from armarium.core import clock


def cookies(reading: str | None = None, content: str | None = None) -> Cookies:
    return Cookies(AccessSettings(reading_url=reading, content_url=content))


def content_cookie(found: Cookies) -> str:
    response = Response()
    found.put_content(response, "word", timedelta(hours=12))
    return response.headers["set-cookie"]


def test_over_https_the_browser_guards_the_names_of_cookies() -> None:
    found = cookies("https://reading.example.org", "https://content.example.org")
    for name in (found.reading, found.visit, found.terms, found.content):
        assert name.startswith("__Host-")
    response = Response()
    found.put(response, found.reading, "word")
    assert response.headers["set-cookie"] == (
        "__Host-armarium_reading=word; Path=/; HttpOnly; SameSite=Lax; Secure"
    )


def test_on_one_machine_the_cookie_of_the_content_goes_into_the_frame() -> None:
    assert content_cookie(cookies()) == (
        "armarium_content=word; Path=/; Max-Age=43200; HttpOnly; SameSite=None; Secure; Partitioned"
    )


def test_two_hosts_of_one_site_need_no_cookie_for_other_sites() -> None:
    found = cookies("https://reading.example.org", "https://content.example.org")
    assert content_cookie(found).endswith("HttpOnly; SameSite=Lax; Secure")


def test_two_sites_over_https_let_the_cookie_into_their_frame_only() -> None:
    found = cookies("https://reading.example.org", "https://reading-content.example")
    assert content_cookie(found).endswith("SameSite=None; Secure; Partitioned")


def test_dropping_a_cookie_names_it_with_the_same_rules() -> None:
    found = cookies()
    response = Response()
    found.drop_content(response)
    assert response.headers["set-cookie"] == (
        "armarium_content=; Path=/; Max-Age=0; HttpOnly; SameSite=None; Secure; Partitioned"
    )


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://reading.example.org", "https://content.example.org", True),
        ("https://reading.example.org", "http://content.example.org", False),  # schemes count
        ("https://a.github.io", "https://b.github.io", False),  # each somebody else's
        ("https://example.org", "https://example.com", False),
        ("http://localhost:8090", "http://127.0.0.1:8090", False),
        ("http://localhost:8000", "http://localhost:9000", True),  # ports do not
        ("http://10.0.0.1", "http://10.0.0.2", False),
    ],
)
def test_what_browsers_call_one_site(one: str, other: str, same: bool) -> None:
    assert is_same_site(one, other) is same


HOUR = timedelta(hours=1)


def test_a_seal_tells_what_was_sealed() -> None:
    seals = Seals(b"k" * 32)
    opened = seals.opened(Purpose.READING, seals.seal(Purpose.READING, {"session": 7}, HOUR))
    assert opened is not None
    assert opened["session"] == 7


@pytest.mark.parametrize("other", [purpose for purpose in Purpose if purpose is not Purpose.CONTENT])
def test_a_seal_opens_nothing_for_another_purpose(other: Purpose) -> None:
    seals = Seals(b"k" * 32)
    sealed = seals.seal(Purpose.CONTENT, {"session": 7}, HOUR)
    assert seals.opened(other, sealed) is None


def test_a_seal_of_another_house_opens_nothing() -> None:
    sealed = Seals(b"a" * 32).seal(Purpose.READING, {"session": 7}, HOUR)
    assert Seals(b"b" * 32).opened(Purpose.READING, sealed) is None


def test_a_seal_opens_nothing_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    seals = Seals(b"k" * 32)
    sealed = seals.seal(Purpose.READING, {"session": 7}, HOUR)
    later = clock.now() + HOUR
    monkeypatch.setattr(clock, "now", lambda: later)
    assert seals.opened(Purpose.READING, sealed) is None


@pytest.mark.parametrize("nonsense", [None, "", "a", "====", "é", "x" * 3000, "AAAA", "\0", "Zm9v" * 20])
def test_nonsense_opens_nothing_and_breaks_nothing(nonsense: str | None) -> None:
    assert Seals(b"k" * 32).opened(Purpose.READING, nonsense) is None


def test_a_changed_letter_anywhere_makes_a_seal_worthless() -> None:
    seals = Seals(b"k" * 32)
    sealed = seals.seal(Purpose.READING, {"session": 7}, HOUR)
    for at in range(len(sealed) - 1):  # of the last letter only some bits count
        other = "A" if sealed[at] != "A" else "B"
        assert seals.opened(Purpose.READING, sealed[:at] + other + sealed[at + 1 :]) is None


def test_a_word_is_the_same_for_the_same_and_tells_nothing() -> None:
    seals = Seals(b"k" * 32)
    assert seals.word("session", 7) == seals.word("session", 7)
    assert len({seals.word("session", 7), seals.word("session", 8), seals.word("visit", 7)}) == 3
