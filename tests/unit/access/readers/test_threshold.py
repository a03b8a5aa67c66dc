"""The two addresses of ours on the content's origin: neither leads elsewhere, neither serves strangers."""

import asyncio
from datetime import timedelta

import httpx
import pytest

from armarium.access.readers.cookies import Cookies, Purpose, Seals
from armarium.access.readers.identification import Claims, facts_of
from armarium.access.readers.tickets import TicketPages
from armarium.access.settings import AccessSettings

SETTINGS = AccessSettings()
SEALS = Seals(b"k" * 32)
MINUTE = timedelta(seconds=60)


def asked(path: str, method: str = "GET", **query: str) -> httpx.Response:
    app = TicketPages(SETTINGS, SEALS, Cookies(SETTINGS))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url=SETTINGS.content) as client:
            return await client.request(method, path, params=query)

    return asyncio.run(ask())


def ticket(purpose: Purpose = Purpose.ENTER) -> str:
    return SEALS.seal(purpose, {**facts_of(Claims(7, "word")), "whole": 1}, MINUTE)


def test_a_ticket_becomes_a_cookie_and_leads_to_the_page() -> None:
    answer = asked("/-/enter", ticket=ticket(), to="/all/2020mp_/http://example.org/?a=b")
    assert answer.status_code == 302
    assert answer.headers["location"] == "/all/2020mp_/http://example.org/?a=b"
    assert answer.headers["cache-control"] == "no-store"
    name, _, rest = answer.headers["set-cookie"].partition("=")
    facts = SEALS.opened(Purpose.CONTENT, rest.partition(";")[0])
    assert name == "armarium_content"
    assert facts is not None
    assert (facts["session"], facts["visit"]) == (7, "word")


@pytest.mark.parametrize("purpose", [Purpose.READING, Purpose.CONTENT, Purpose.STAFF, Purpose.LEAVE])
def test_what_was_made_for_something_else_brings_no_cookie(purpose: Purpose) -> None:
    answer = asked("/-/enter", ticket=ticket(purpose), to="/all/2020mp_/http://example.org/")
    assert answer.status_code == 302
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "to",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example/",
        "/-/leave?ticket=x",
        "",
        "javascript:alert(1)",
        "/a\r\nSet-Cookie: a=b",
        "/\t/evil.example",
    ],
)
def test_nobody_is_led_elsewhere(to: str) -> None:
    assert asked("/-/enter", ticket=ticket(), to=to).headers["location"] == "/"


def test_leaving_wipes_what_archived_pages_left() -> None:
    answer = asked("/-/leave", ticket=ticket(Purpose.LEAVE))
    assert answer.headers["clear-site-data"] == '"cache", "storage", "cookies"'
    assert "armarium_content=;" in answer.headers["set-cookie"]
    assert f"frame-ancestors {SETTINGS.reading}" in answer.headers["content-security-policy"]


def test_cookies_of_a_domain_that_others_use_are_kept() -> None:
    sealed = SEALS.seal(Purpose.LEAVE, {"whole": 0}, MINUTE)
    assert asked("/-/leave", ticket=sealed).headers["clear-site-data"] == '"cache", "storage"'


def test_another_site_cannot_wipe_what_readers_have() -> None:
    for given in ({}, {"ticket": "x"}, {"ticket": ticket(Purpose.ENTER)}):
        answer = asked("/-/leave", **given)
        assert answer.status_code == 404
        assert "clear-site-data" not in answer.headers


def test_other_addresses_and_methods_find_nothing() -> None:
    assert asked("/-/nothing").status_code == 404
    assert asked("/-/enter", "POST", ticket=ticket()).status_code == 404


def test_no_document_there_is_without_a_policy() -> None:
    for path in ("/-/anything", "/-/leave.js", "/-/leave", "/-/enter"):
        policy = asked(path).headers["content-security-policy"]
        assert policy == "default-src 'none'; sandbox", path
    leaving = asked("/-/leave", ticket=ticket(Purpose.LEAVE)).headers
    assert "script-src 'self'" in leaving["content-security-policy"]
    assert leaving["x-content-type-options"] == "nosniff"
