"""Cookies: their names and rules, by where the two origins lie."""

from datetime import timedelta

import pytest
from starlette.responses import Response

from armarium.access.readers.cookies import Cookies, is_same_site
from armarium.access.settings import AccessSettings


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
